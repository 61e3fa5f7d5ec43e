// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_BACKENDS_CUDA_NVRTC_NVRTC_COMPILER_H_
#define CONCORD_BACKENDS_CUDA_NVRTC_NVRTC_COMPILER_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "concord/backends/cuda/nvrtc/nvrtc_api.h"
#include "concord/backends/cuda/spliced/function_compiler.h"
#include "concord/backends/cuda/spliced/pass_functions.h"

namespace concord::nvrtc {

// Functions by way of CUDA C++ and NVRTC; the kernels around them are those of
// spliced/.
class NvrtcCompiler : public spliced::FunctionCompiler {
 public:
  // Errors are those of Nvrtc::Get.
  static absl::StatusOr<const NvrtcCompiler*> Get();

  std::string Name() const override;
  absl::string_view Version() const override;
  absl::StatusOr<std::unique_ptr<spliced::PassCode>> Compile(
      const spliced::PassFunctions& pass,
      absl::string_view architecture) const override;

 private:
  explicit NvrtcCompiler(const Nvrtc* nvrtc) : nvrtc_(nvrtc) {}

  const Nvrtc* nvrtc_;
};

// The CUDA C++ of all parts of the pass, with the names concord_part_0 and so
// on, in the order of spliced::Part.
std::string CppOf(const spliced::PassFunctions& pass);

}  // namespace concord::nvrtc

#endif  // CONCORD_BACKENDS_CUDA_NVRTC_NVRTC_COMPILER_H_
