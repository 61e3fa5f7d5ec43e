// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_BACKENDS_CUDA_NVRTC_NVRTC_API_H_
#define CONCORD_BACKENDS_CUDA_NVRTC_NVRTC_API_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace concord::nvrtc {

// NVIDIA's compiler of CUDA C++, a library of the CUDA toolkit that is looked
// for when it is first wanted: programs are neither linked with it nor need it
// to start. It needs no GPU and no driver.
class Nvrtc {
 public:
  // The library of $CONCORD_NVRTC, if that is set (none, if it is empty); else
  // that of CUDA 13 or 12, where the system looks for libraries or in
  // /usr/local/cuda. Unavailable: there is none; says so in one line.
  static absl::StatusOr<const Nvrtc*> Get();

  // The first of these files that can be opened.
  static absl::StatusOr<Nvrtc> Open(const std::vector<std::string>& files);

  // "13.0".
  std::string Version() const;

  // PTX for this virtual architecture, "80". Sums and products are not fused,
  // subnormals stay, divisions and square roots are rounded once. `what` is for
  // errors.
  //
  // Unavailable: it does not know the architecture. Internal: it is not CUDA
  // C++, with the compiler's log.
  absl::StatusOr<std::string> Compile(const std::string& source,
                                      absl::string_view architecture,
                                      absl::string_view what) const;

 private:
  struct Functions;

  explicit Nvrtc(std::shared_ptr<const Functions> functions)
      : functions_(std::move(functions)) {}

  std::shared_ptr<const Functions> functions_;
};

}  // namespace concord::nvrtc

#endif  // CONCORD_BACKENDS_CUDA_NVRTC_NVRTC_API_H_
