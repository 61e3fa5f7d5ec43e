// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The kernel of max_subarray/cuda/fused: an ordered fold whose rows are the
// leaves of max_subarray.h. The values say in which leaf the best run begins
// and ends, and these two are looked at again.

#ifndef CONCORD_ALGORITHMS_MAX_SUBARRAY_MAX_SUBARRAY_CUDA_KERNEL_CUH_
#define CONCORD_ALGORITHMS_MAX_SUBARRAY_MAX_SUBARRAY_CUDA_KERNEL_CUH_

#include <cuda_runtime.h>

#include <cstdint>
#include <type_traits>

#include "algorithms/max_subarray/max_subarray_cuda_lanes.cuh"
#include "algorithms/max_subarray/max_subarray_summary.h"
#include "backends/cuda/ordered_fold.cuh"
#include "backends/cuda/vector.cuh"
#include "backends/cuda/warp.cuh"

namespace concord {

template <typename T, typename Sum, int kShiftOfRows>
struct MaxSubarrayFold {
  static constexpr int kShift = kShiftOfRows;
  using Element = T;
  using State = LaneSums<T>;
  // Places are the numbers of rows: 32 bits for arrays of up to 2^40 bytes.
  using Value = Summary<Sum, uint32_t>;

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
    return concord::Combine(a, b);
  }
};

// What the sums of one row are counted in.
template <typename T, typename Sum>
using RowSum = std::conditional_t<sizeof(T) == 1, int32_t, Sum>;
template <typename T, typename Sum>
using RowSummary = Summary<RowSum<T, Sum>, uint32_t>;

// The summary of one row, by elements, in lane 0 of the warp that calls it.
// Sums of floats depend on the order, so there all lanes do the same;
// otherwise each takes a few elements. `copy` has room for the row.
template <typename T, typename Sum>
__device__ RowSummary<T, Sum> SummarizeByElements(Span<const T> in,
                                                  const FoldPlan& plan,
                                                  uint32_t row,
                                                  Vector<T>* copy) {
  const int row_elements = static_cast<int>(RowElements<T>(plan));
  const int64_t row_first = plan.shift + int64_t{row} * row_elements;
  const int64_t copy_first = row_first - plan.shift;
  const int64_t copied = row_elements + RoundUpToVector<T>(plan.shift);
  for (int i = LaneId() * Vector<T>::kLanes; i < copied;
       i += kWarpSize * Vector<T>::kLanes) {
    FetchVector(in, copy_first + i, copy + i / Vector<T>::kLanes);
  }
  WaitForCopies();
  __syncwarp();
  const int64_t begin = max(in.begin, row_first);
  const int count =
      static_cast<int>(min(in.end, row_first + row_elements) - begin);
  const T* const elements =
      reinterpret_cast<const T*>(copy) + (begin - copy_first);

  constexpr bool kTogether = std::is_integral_v<T>;
  const int of_lane = kTogether ? row_elements / kWarpSize : row_elements;
  const int first = kTogether ? LaneId() * of_lane : 0;
  const int last = min(first + of_lane, count);
  RowSummary<T, Sum> summary{};
  if (first < last) {
    summary = SummaryOf(static_cast<RowSum<T, Sum>>(elements[first]),
                        static_cast<uint32_t>(first));
    // So that several elements are on their way from memory.
#pragma unroll 8
    for (int i = first + 1; i < last; ++i) {
      Append(summary, static_cast<RowSum<T, Sum>>(elements[i]),
             static_cast<uint32_t>(i));
    }
  }
  if constexpr (kTogether) {
    summary = CombineWarp<MaxSubarrayFold<T, RowSum<T, Sum>, 0>>(
        summary, (count + of_lane - 1) / of_lane);
  }
  return summary;
}

// Writes the results; a whole block calls it, with the summary of all rows in
// thread 0. Two warps look at a row each, the one where the best run begins and
// the one where it ends.
template <typename T, typename Sum>
__device__ void StoreLocated(Span<const T> in, const FoldPlan& plan,
                             const Summary<Sum, uint32_t>& root, Sum* sum,
                             int64_t* run) {
  static_assert(kFoldWarps >= 2);
  __shared__ uint32_t rows[2];
  __shared__ RowSummary<T, Sum> summaries[2];
  if (threadIdx.x == 0) {
    rows[0] = root.best_begin;
    rows[1] = root.best_end;
  }
  __syncthreads();
  if (WarpId() < 2) {
    const RowSummary<T, Sum> summary = SummarizeByElements<T, Sum>(
        in, plan, rows[WarpId()], PiecesOfWarp<T>());
    if (LaneId() == 0) summaries[WarpId()] = summary;
  }
  __syncthreads();
  if (threadIdx.x != 0) return;
  const auto index = [&](uint32_t row, uint32_t place) {
    const int64_t first = plan.shift + row * RowElements<T>(plan);
    return max(first, in.begin) + place - in.begin;
  };
  Summary<Sum, int64_t> whole{};
  whole.sum = root.sum;
  whole.best = root.best;
  const bool one_row = rows[0] == rows[1];
  whole.best_begin = index(
      rows[0], one_row ? summaries[0].best_begin : summaries[0].suffix_begin);
  whole.best_end =
      index(rows[1], one_row ? summaries[0].best_end : summaries[1].prefix_end);
  StoreResult(whole, in.end - in.begin, sum, run);
}

template <typename T, typename Sum, int kShift>
__global__ void __launch_bounds__(kFoldThreads, kFoldBlocksPerMultiprocessor)
    FindMaxSubarray(Span<const T> in, FoldPlan plan,
                    Summary<Sum, uint32_t>* values, Sum* sum, int64_t* run) {
  using Fold = MaxSubarrayFold<T, Sum, kShift>;
  const typename Fold::Value value =
      FoldChunk(Fold(), in, plan, static_cast<typename Fold::Value*>(nullptr));
  if (plan.chunks == 1) {
    StoreLocated(in, plan, value, sum, run);
  } else if (threadIdx.x == 0) {
    values[blockIdx.x] = value;
  }
}

// After it, where there are several chunks.
template <typename T, typename Sum>
__global__ void __launch_bounds__(kFoldThreads)
    CombineMaxSubarrays(Span<const T> in, FoldPlan plan,
                        Summary<Sum, uint32_t>* values, unsigned* arrivals,
                        Sum* sum, int64_t* run) {
  using Fold = MaxSubarrayFold<T, Sum, 0>;
  typename Fold::Value value{};
  if (CombineChunks<Fold>(value, values, plan.chunks, arrivals)) {
    StoreLocated(in, plan, value, sum, run);
  }
}

template <typename Sum>
__global__ void StoreEmpty(Sum* sum, int64_t* run) {
  StoreEmptyResult(sum, run);
}

}  // namespace concord

#endif  // CONCORD_ALGORITHMS_MAX_SUBARRAY_MAX_SUBARRAY_CUDA_KERNEL_CUH_
