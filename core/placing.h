// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_CORE_PLACING_H_
#define CONCORD_CORE_PLACING_H_

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "concord/core/algorithm.h"
#include "concord/core/backend.h"

namespace concord {

// Where an input comes from: an array, a mapped file, a part of either. It need
// not be in memory as a whole.
class Source {
 public:
  virtual ~Source() = default;
  virtual ElementType type() const = 0;
  virtual Shape shape() const = 0;
  // All of it, where it lies in some memory.
  virtual std::optional<ConstArrayView> View() const { return std::nullopt; }
  // Writes all of it to `to`, of its type and size, in the backend's memory or
  // the host's.
  virtual absl::Status CopyTo(Backend& backend, ArrayView to) const = 0;
};
using Sources = std::map<std::string, std::shared_ptr<const Source>>;

// An array that is there, which may well lie on a GPU.
class ArraySource : public Source {
 public:
  // `owner` keeps it alive, unless the caller does.
  explicit ArraySource(ConstArrayView view,
                       std::shared_ptr<const void> owner = nullptr)
      : view_(view), owner_(std::move(owner)) {}

  ElementType type() const override { return view_.type(); }
  Shape shape() const override { return view_.shape(); }
  std::optional<ConstArrayView> View() const override { return view_; }
  absl::Status CopyTo(Backend& backend, ArrayView to) const override {
    return backend.Copy(view_, to);
  }

 private:
  ConstArrayView view_;
  std::shared_ptr<const void> owner_;
};

// Arrays that are there and outlive the sources.
Sources SourcesOf(const Inputs& arrays);

// The arrays of a call.
struct Arrays {
  Inputs inputs;
  Outputs outputs;
  // The memory of those that were made for the call.
  std::vector<Array> owners = {};
};

// Decides where the arrays of a call lie, and brings them there.
//
// Those below are for whoever runs kernels. The differential engine has one of
// its own, which puts every array between guard zones and fills outputs with
// the sentinel (testing/engine/staging.h).
class Placing {
 public:
  virtual ~Placing() = default;
  // Adds an input to `arrays`, with its elements.
  virtual absl::Status AddInput(Backend& backend, const std::string& name,
                                const Source& source, Arrays& arrays) = 0;
  // Adds room for an output; all inputs have been added. `wanted` is an array
  // of the caller's for it, or null.
  virtual absl::Status AddOutput(Backend& backend, const OutputSpec& spec,
                                 const ArrayView* wanted, Arrays& arrays) = 0;
};

// Where they are, if the backend computes there; otherwise in its memory.
Placing& WhereTheyAre();
// In memory of the backend's, made for the call.
Placing& InBackendMemory();
// In the host memory that the backend copies from and to fastest.
Placing& InPageLockedMemory();

// The sentinel: every byte of an output is this before a run whose results are
// compared, so that those that it leaves out are seen. The byte gives no NaN,
// which would equal an expected NaN, and no small number.
inline constexpr unsigned char kSentinelByte = 0xa5;

// Fills an array in any memory. Gigabytes need no second copy in host memory.
absl::Status FillWithByte(Backend& backend, const ArrayView& view,
                          unsigned char byte);

// Fills them with the sentinel.
absl::Status Poison(Backend& backend, const Outputs& outputs);

// The inputs, and room for the outputs that `specs` describe, placed as asked.
// `wanted` has arrays of the caller's for some outputs: the run computes into
// them directly if they lie where the outputs are to be.
absl::StatusOr<Arrays> Place(Backend& backend, const Sources& sources,
                             const std::vector<OutputSpec>& specs,
                             const Outputs& wanted, Placing& placing);

}  // namespace concord

#endif  // CONCORD_CORE_PLACING_H_
