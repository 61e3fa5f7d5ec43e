// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_CYCLOSPECTRUM_CUDA_LAG_COUNTER_CUH_
#define CONCORD_ALGORITHMS_CYCLOSPECTRUM_CUDA_LAG_COUNTER_CUH_

#include <cstdint>
#include <memory>

#include "absl/status/status.h"
#include "concord/algorithms/cyclospectrum/cuda/circle.cuh"
#include "concord/backends/cuda/cuda_backend.h"
#include "concord/backends/cuda/dependent_launch.cuh"
#include "concord/backends/cuda/scratch.cuh"

namespace concord::cyclospectrum {

// The largest total: the elements of a transform are twice as many.
inline constexpr int64_t kMostLagTotal = int64_t{10} << 20;

// Does what CountTiles does, by transforms.
class LagCounter {
 public:
  explicit LagCounter(std::shared_ptr<CudaBackend> backend)
      : backend_(std::move(backend)), memory_(backend_), launcher_(backend_) {}

  // Whether all counts are less than the prime, and the columns of a transform
  // fit into shared memory.
  template <typename T>
  bool CanCount(const DeviceCircle<T>& circle) const;

  // Whether that takes less time than CountTiles on so many devices.
  template <typename T>
  static bool IsFaster(const DeviceCircle<T>& circle, int devices = 1);

  // offsets[v] becomes the number of elements of the spectrum below v, for
  // v = 0, ..., circle.half().
  template <typename T>
  absl::Status Count(const DeviceCircle<T>& circle, int64_t* offsets);

 private:
  std::shared_ptr<CudaBackend> backend_;
  Scratch memory_;
  DependentLauncher launcher_;
};

}  // namespace concord::cyclospectrum

#endif  // CONCORD_ALGORITHMS_CYCLOSPECTRUM_CUDA_LAG_COUNTER_CUH_
