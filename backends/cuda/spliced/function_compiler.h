// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Another compiler for functions than ptx_emitter.h: what it makes of them is
// spliced into the same templates.

#ifndef CONCORD_BACKENDS_CUDA_SPLICED_FUNCTION_COMPILER_H_
#define CONCORD_BACKENDS_CUDA_SPLICED_FUNCTION_COMPILER_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "concord/backends/cuda/spliced/pass_functions.h"
#include "concord/backends/cuda/spliced/ptx_emitter.h"
#include "concord/backends/cuda/spliced/ptx_writer.h"

namespace concord::spliced {

// The functions of a pass, compiled.
class PassCode {
 public:
  virtual ~PassCode() = default;

  // As EmitFunction, of a part that the pass has.
  virtual Values Emit(PtxWriter& ptx, Part part, const Values& arguments,
                      const std::string& index,
                      const std::string& kernel_arguments) const = 0;

  // Of the PTX that it writes: "9.0".
  virtual std::string PtxVersion() const = 0;
};

class FunctionCompiler {
 public:
  virtual ~FunctionCompiler() = default;

  // Stands in keys of caches, and in words for people: "NVRTC 13.0".
  virtual std::string Name() const = 0;
  // What else the code depends on beside the functions: a hash.
  virtual absl::string_view Version() const = 0;

  // All parts of the pass, for kernels of this virtual architecture: "80".
  virtual absl::StatusOr<std::unique_ptr<PassCode>> Compile(
      const PassFunctions& pass, absl::string_view architecture) const = 0;
};

}  // namespace concord::spliced

#endif  // CONCORD_BACKENDS_CUDA_SPLICED_FUNCTION_COMPILER_H_
