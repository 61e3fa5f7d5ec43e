// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_TOOLS_BINDINGS_C_KERNEL_H_
#define CONCORD_TOOLS_BINDINGS_C_KERNEL_H_

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "concord/core/algorithm.h"
#include "concord/core/errors.h"
#include "concord/core/options.h"
#include "concord/tools/bindings/c/backend.h"
#include "concord/tools/bindings/concord.h"

namespace concord::bindings {

// "name=value" each; a name alone is a switch that is on. InvalidArgument: a
// NULL, or a name that comes twice.
absl::StatusOr<OptionMap> OptionsOf(const char* const* texts,
                                    std::size_t count);

// A file of the command line's would be an array.
absl::Status RefuseFiles(const Algorithm& algorithm, const OptionMap& options);

using CArrays = absl::Span<const concord_array>;

// Calls `add(name, view)` for each array, which says whether the name is new.
// `view_of(array)` is the view.
template <typename ViewOf, typename Add>
absl::Status ForEachView(CArrays arrays, ViewOf&& view_of, Add&& add) {
  for (const concord_array& array : arrays) {
    if (array.name == nullptr) {
      return InvalidArgumentError("an array has no name");
    }
    ASSIGN_OR_RETURN(const auto view, view_of(array));
    if (!add(array.name, view)) {
      return InvalidArgumentError("'", array.name, "' is given twice");
    }
  }
  return absl::OkStatus();
}

// An implementation with its options, as a caller of C has it.
class Kernel {
 public:
  static absl::StatusOr<std::shared_ptr<Kernel>> Create(
      std::shared_ptr<SharedBackend> backend, absl::string_view algorithm,
      absl::string_view variant, const OptionMap& options);
  ~Kernel();

  // "scan/tbb/one_pass", or "scan/auto" where runs choose
  const std::string& name() const { return name_; }
  const SharedBackend& backend() const { return *backend_; }

  // Waits for its turn, and not for the work that it gives to the backend.
  // `timer`, if there is one, is set to what it measures.
  absl::Status Run(CArrays inputs, CArrays outputs,
                   std::unique_ptr<Timer>* timer = nullptr);
  // The same, and waits for the work.
  absl::Status RunToTheEnd(CArrays inputs, CArrays outputs);

  absl::StatusOr<std::vector<OutputSpec>> Plan(CArrays inputs) const;

 private:
  Kernel() = default;

  // Inputs or Outputs.
  template <typename Views>
  absl::StatusOr<Views> ByName(CArrays arrays) const;
  absl::Status RunInTurn(CArrays inputs, CArrays outputs);

  std::shared_ptr<SharedBackend> backend_;
  std::shared_ptr<const Algorithm> algorithm_;
  OptionMap options_;
  std::string name_;
  std::unique_ptr<Runner> runner_;
};

}  // namespace concord::bindings

struct concord_kernel {
  std::shared_ptr<concord::bindings::Kernel> kernel;
};

#endif  // CONCORD_TOOLS_BINDINGS_C_KERNEL_H_
