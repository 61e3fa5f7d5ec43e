// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The kernels of max_subarray/cuda/fused for words and floats: an ordered fold
// whose rows are the leaves of max_subarray.h.

#ifndef CONCORD_ALGORITHMS_MAX_SUBARRAY_CUDA_KERNEL_CUH_
#define CONCORD_ALGORITHMS_MAX_SUBARRAY_CUDA_KERNEL_CUH_

#include <cuda_runtime.h>

#include <cstdint>

#include "concord/algorithms/max_subarray/cuda/lanes.cuh"
#include "concord/algorithms/max_subarray/cuda/locate.cuh"
#include "concord/algorithms/max_subarray/max_subarray_summary.h"
#include "concord/backends/cuda/dependent_launch.cuh"
#include "concord/backends/cuda/ordered_fold.cuh"
#include "concord/backends/cuda/vector.cuh"
#include "concord/backends/cuda/warp.cuh"

namespace concord::max_subarray {

template <typename T, typename Sum, int kShiftOfRows>
struct MaxSubarrayFold {
  static constexpr int kShift = kShiftOfRows;
  using Element = T;
  using State = LaneSums<T>;
  using Value = typename SummaryFold<Sum>::Value;

  static __device__ __forceinline__ State Begin() { return State(); }
  static __device__ __forceinline__ void AddPiece(State& sums,
                                                  const Vector<T>* piece) {
    sums.template AddPiece<kShift>(piece);
  }
  static __device__ __forceinline__ void AddSome(State& sums, const T* elements,
                                                 int count) {
    sums.AddSome(elements, count);
  }
  static __device__ __forceinline__ Value Finish(const State& sums,
                                                 int64_t row) {
    const auto place = static_cast<uint32_t>(row);
    return {static_cast<Sum>(sums.sum()),
            static_cast<Sum>(sums.prefix()),
            static_cast<Sum>(sums.suffix()),
            static_cast<Sum>(sums.best()),
            place,
            place,
            place,
            place};
  }
  static __device__ __forceinline__ Value Combine(const Value& a,
                                                  const Value& b) {
    return max_subarray::Combine(a, b);
  }
};

template <typename T>
__device__ __forceinline__ Rows RowsOf(const FoldPlan& plan) {
  return {static_cast<int>(RowElements<T>(plan)), plan.shift};
}

template <typename T, typename Sum, int kShift>
__global__ void __launch_bounds__(kFoldThreads, kFoldBlocksPerMultiprocessor)
    FindMaxSubarray(Span<const T> in, FoldPlan plan,
                    Summary<Sum, uint32_t>* chunks, Sum* sum, int64_t* run) {
  using Fold = MaxSubarrayFold<T, Sum, kShift>;
  const typename Fold::Value value = FoldChunk(Fold(), in, plan);
  if (plan.chunks == 1) {
    StoreLocated(in, RowsOf<T>(plan), value, sum, run);
  } else if (threadIdx.x == 0) {
    chunks[blockIdx.x] = value;
  }
}

// After it, where there are several chunks. `groups` and `arrivals` are for
// CombineInGroups.
template <typename T, typename Sum>
__global__ void __launch_bounds__(kFoldThreads)
    CombineMaxSubarrays(Span<const T> in, FoldPlan plan,
                        const Summary<Sum, uint32_t>* chunks,
                        Summary<Sum, uint32_t>* groups, unsigned* arrivals,
                        Sum* sum, int64_t* run) {
  WaitForGridBefore();
  Summary<Sum, uint32_t> value{};
  if (CombineInGroups<SummaryFold<Sum>>(
          value, [&](unsigned i) { return chunks[i]; },
          static_cast<unsigned>(plan.chunks), groups, arrivals)) {
    StoreLocated(in, RowsOf<T>(plan), value, sum, run);
  }
}

}  // namespace concord::max_subarray

#endif  // CONCORD_ALGORITHMS_MAX_SUBARRAY_CUDA_KERNEL_CUH_
