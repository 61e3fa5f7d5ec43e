// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// How the peers call CUB: as one does who knows it and wants its best time.

#ifndef CONCORD_BACKENDS_CUDA_CUB_PEER_CUH_
#define CONCORD_BACKENDS_CUDA_CUB_PEER_CUH_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "concord/backends/cuda/cub_calls.cuh"
#include "concord/backends/cuda/cuda_backend.h"
#include "concord/backends/cuda/cuda_status.h"
#include "concord/backends/cuda/scratch.cuh"
#include "concord/core/errors.h"

namespace concord {

// The memory that an object's calls of CUB work in. It is kept, so that a call
// for which it suffices need not ask CUB for the size first.
class CubMemory {
 public:
  explicit CubMemory(std::shared_ptr<CudaBackend> backend)
      : scratch_(std::move(backend)) {}

  // Calls an algorithm of CUB by `call(memory, bytes)`.
  template <typename Call>
  absl::Status Run(absl::string_view what, const Call& call) {
    // Before it queues anything, CUB refuses memory that is too small. Whatever
    // else went wrong goes wrong again below, where it is reported.
    ForgetOlderError();
    std::size_t kept = std::exchange(bytes_, 0);
    if (kept > 0 && call(scratch_.data(), kept) == cudaSuccess) {
      bytes_ = kept;
      return absl::OkStatus();
    }
    RETURN_IF_ERROR(RunCub(scratch_, what, [&](void* memory, auto& wanted) {
      const cudaError_t error = call(memory, wanted);
      if (memory == nullptr) kept = std::max(kept, wanted);
      return error;
    }));
    // Not before: memory that could not be had is none, and CUB would take that
    // for the question how much it wants.
    bytes_ = kept;
    return absl::OkStatus();
  }

 private:
  Scratch scratch_;
  std::size_t bytes_ = 0;
};

// Calls f(n), with 32 bits where they hold n: CUB then counts with them, which
// mostly is faster.
template <typename F>
auto WithNarrowCount(std::int64_t n, const F& f) {
  if (n <= std::numeric_limits<std::int32_t>::max()) {
    return f(static_cast<std::int32_t>(n));
  }
  return f(n);
}

}  // namespace concord

#endif  // CONCORD_BACKENDS_CUDA_CUB_PEER_CUH_
