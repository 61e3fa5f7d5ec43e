// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_BACKENDS_CUDA_LAUNCH_CUH_
#define CONCORD_BACKENDS_CUDA_LAUNCH_CUH_

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <type_traits>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "concord/backends/cuda/cuda_backend.h"
#include "concord/backends/cuda/cuda_status.h"
#include "concord/core/errors.h"

namespace concord {

constexpr std::int64_t DivideUp(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}

struct LaunchShape {
  std::int64_t blocks;
  dim3 threads;
  // Beside what the kernel itself declares.
  std::int64_t shared_bytes = 0;
  // Of as many blocks each: the grid's second dimension.
  std::int64_t rows = 1;

  // Without blocks, which no launch takes, where there are too many.
  dim3 grid() const {
    if (blocks > kMostBlocks || rows > kMostRows) return dim3(0);
    return dim3(static_cast<unsigned>(blocks), static_cast<unsigned>(rows));
  }
  absl::Status Check(absl::string_view what) const {
    if (blocks <= kMostBlocks && rows <= kMostRows) return absl::OkStatus();
    return ResourceExhaustedError(what, ": a grid of ", blocks, " by ", rows,
                                  " blocks; CUDA's have at most ", kMostBlocks,
                                  " by ", kMostRows);
  }

  // What all of CUDA's devices take.
  static constexpr std::int64_t kMostBlocks = (std::int64_t{1} << 31) - 1;
  static constexpr std::int64_t kMostRows = (std::int64_t{1} << 16) - 1;
};

// Queues a kernel on a stream, with shared memory that it may have already, and
// returns what became of that. It is what CUDA's <<<>>> calls, which hides it.
template <typename... Parameters>
[[nodiscard]] cudaError_t LaunchKernel(
    cudaStream_t stream, void (*kernel)(Parameters...),
    const LaunchShape& shape, std::common_type_t<Parameters>... arguments) {
  // One more, as there is no array of none.
  void* pointers[] = {&arguments..., nullptr};
  return cudaLaunchKernel(reinterpret_cast<const void*>(kernel), shape.grid(),
                          shape.threads, pointers,
                          static_cast<std::size_t>(shape.shared_bytes), stream);
}

// Lets a kernel have so much shared memory on the current device beside what it
// declares. The limit is one for the whole program and only rises, so that
// nobody else who launches the kernel is refused what was allowed.
inline absl::Status AllowSharedMemory(const void* kernel, std::int64_t bytes,
                                      absl::string_view what) {
  static auto* const mutex = new std::mutex();
  static auto* const allowed =
      new std::map<std::pair<int, const void*>, std::int64_t>();
  int device = 0;
  RETURN_IF_ERROR(CudaStatus(cudaGetDevice(&device), "the current device"));
  const std::lock_guard<std::mutex> lock(*mutex);
  std::int64_t& most = (*allowed)[{device, kernel}];
  if (bytes <= most) return absl::OkStatus();
  RETURN_IF_ERROR(CudaStatus(
      cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                           static_cast<int>(bytes)),
      "shared memory for ", what));
  most = bytes;
  return absl::OkStatus();
}
template <typename... Parameters>
absl::Status AllowSharedMemory(void (*kernel)(Parameters...),
                               std::int64_t bytes, absl::string_view what) {
  return AllowSharedMemory(reinterpret_cast<const void*>(kernel), bytes, what);
}

// The same where it has to be asked for: a block has 48 KiB anyway, of which
// nobody who wants more than that declares over 8. Refuses grids that are too
// large.
template <typename... Parameters>
absl::Status PrepareLaunch(void (*kernel)(Parameters...),
                           const LaunchShape& shape, absl::string_view what) {
  RETURN_IF_ERROR(shape.Check(what));
  constexpr std::int64_t kAlwaysAllowed = 40 << 10;
  if (shape.shared_bytes <= kAlwaysAllowed) return absl::OkStatus();
  return AllowSharedMemory(kernel, shape.shared_bytes, what);
}

// Queues a kernel on the backend's stream. `what` names it in errors.
template <typename... Parameters>
absl::Status QueueKernel(const CudaBackend& backend, absl::string_view what,
                         void (*kernel)(Parameters...),
                         const LaunchShape& shape,
                         std::common_type_t<Parameters>... arguments) {
  absl::Status status = PrepareLaunch(kernel, shape, what);
  if (!status.ok()) return status;
  return CudaStatus(LaunchKernel(backend.stream(), kernel, shape, arguments...),
                    "launch of ", what);
}

}  // namespace concord

#endif  // CONCORD_BACKENDS_CUDA_LAUNCH_CUH_
