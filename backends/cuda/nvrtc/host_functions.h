// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Printed functions as the host's C++ compiler makes them, for tests.

#ifndef CONCORD_BACKENDS_CUDA_NVRTC_HOST_FUNCTIONS_H_
#define CONCORD_BACKENDS_CUDA_NVRTC_HOST_FUNCTIONS_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "concord/core/array.h"
#include "concord/core/expression/evaluate.h"
#include "concord/core/expression/function.h"
#include "concord/core/expression/value_type.h"

namespace concord::nvrtc {

class HostFunctions {
 public:
  // Whether there is a compiler, `c++`.
  static bool HasCompiler();

  // Null where it does not take the text of these functions, which is
  // `prelude` and they; says why on the standard error.
  static std::unique_ptr<HostFunctions> Of(
      const std::vector<expression::Function>& functions,
      const std::string& prelude);
  ~HostFunctions();

  // As expression::Evaluate, of the function of that number.
  expression::Evaluated Run(std::size_t number,
                            absl::Span<const expression::Word> arguments,
                            std::int64_t index = 0,
                            absl::Span<const ConstArrayView> tables = {}) const;

 private:
  HostFunctions(std::vector<expression::Function> functions, void* library)
      : functions_(std::move(functions)), library_(library) {}

  const std::vector<expression::Function> functions_;
  void* const library_;
};

}  // namespace concord::nvrtc

#endif  // CONCORD_BACKENDS_CUDA_NVRTC_HOST_FUNCTIONS_H_
