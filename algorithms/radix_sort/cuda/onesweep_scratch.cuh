// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// What the onesweep sort keeps from call to call.

#ifndef CONCORD_ALGORITHMS_RADIX_SORT_CUDA_ONESWEEP_SCRATCH_CUH_
#define CONCORD_ALGORITHMS_RADIX_SORT_CUDA_ONESWEEP_SCRATCH_CUH_

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "concord/algorithms/radix_sort/cuda/arrays.cuh"
#include "concord/algorithms/radix_sort/cuda/lookback.cuh"
#include "concord/algorithms/radix_sort/cuda/onesweep_policy.cuh"
#include "concord/algorithms/radix_sort/cuda/plan.cuh"
#include "concord/backends/cuda/cluster_launch.cuh"
#include "concord/backends/cuda/cuda_backend.h"
#include "concord/backends/cuda/cuda_status.h"
#include "concord/backends/cuda/dependent_launch.cuh"
#include "concord/backends/cuda/launch.cuh"
#include "concord/backends/cuda/scratch.cuh"
#include "concord/backends/cuda/tile_words.cuh"
#include "concord/core/errors.h"

namespace concord::radix_sort {

// Whether the device's memory can do so many bytes a second.
inline bool HasMemoryOf(int64_t bytes_per_second, int device) {
  int kilohertz = 0;
  int bits = 0;
  if (!TryCuda(cudaDeviceGetAttribute(&kilohertz, cudaDevAttrMemoryClockRate,
                                      device)) ||
      !TryCuda(cudaDeviceGetAttribute(&bits, cudaDevAttrGlobalMemoryBusWidth,
                                      device))) {
    return false;
  }
  // Twice a cycle.
  return int64_t{kilohertz} * 1000 * 2 * bits / 8 >= bytes_per_second;
}

// What is kept from call to call.
struct OnesweepScratch {
  explicit OnesweepScratch(std::shared_ptr<CudaBackend> backend)
      : words(backend, sizeof(SortPlan), kDigitEpochs),
        spare(backend),
        launcher(backend),
        clusters(backend),
        has_fast_memory(HasMemoryOf(kFastMemory, backend->device())) {}

  // With the plan.
  TileWords words;
  // Elements between the passes.
  Scratch spare;
  DependentLauncher launcher;
  ClusterLauncher clusters;
  const bool has_fast_memory;
};

// Room for so many elements between the passes.
template <typename Bits, typename Value>
absl::StatusOr<Elements<Bits, Value>> ReserveSpareFor(OnesweepScratch& scratch,
                                                      int64_t size) {
  // Values follow the keys, at an alignment that suits every type. There are
  // whole vectors of both.
  const auto rounded = [size](std::size_t width) {
    return DivideUp(size * static_cast<int64_t>(width), 128) * 128;
  };
  const int64_t key_bytes = rounded(sizeof(Bits));
  RETURN_IF_ERROR(scratch.spare.Reserve(
      key_bytes + (kHasValues<Value> ? rounded(sizeof(Value)) : 0)));
  return Elements<Bits, Value>{scratch.spare.template data<Bits>(),
                               scratch.spare.template data<Value>(key_bytes)};
}

}  // namespace concord::radix_sort

#endif  // CONCORD_ALGORITHMS_RADIX_SORT_CUDA_ONESWEEP_SCRATCH_CUH_
