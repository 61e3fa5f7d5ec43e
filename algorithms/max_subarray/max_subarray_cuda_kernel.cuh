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

template <typename T, typename Sum>
struct MaxSubarrayFold {
  using Element = T;
  using State = LaneSums<T>;
  // Places are the numbers of rows: 32 bits for arrays of up to 2^40 bytes.
  using Value = Summary<Sum, uint32_t>;

  static __device__ __forceinline__ State Begin() { return State(); }
  static __device__ __forceinline__ void AddPiece(State& sums,
                                                  const Vector<T>* piece) {
    sums.AddPiece(piece);
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

// The summary of one row, by elements, in lane 0 of the warp that calls it.
// Sums of floats depend on the order, so there all lanes do the same;
// otherwise each takes a few elements. `copy` has room for the row.
template <typename T, typename Sum>
__device__ Summary<Sum, uint32_t> SummarizeByElements(Span<const T> in,
                                                      int row_elements,
                                                      uint32_t row, T* copy) {
  const int64_t row_first = int64_t{row} * row_elements;
  const int64_t begin = max(in.begin, row_first);
  const int count =
      static_cast<int>(min(in.end, row_first + row_elements) - begin);
  for (int i = LaneId(); i < count; i += kWarpSize) {
    copy[i] = in.base[begin + i];
  }
  __syncwarp();
  constexpr bool kTogether = std::is_integral_v<T>;
  const int of_lane = kTogether ? row_elements / kWarpSize : row_elements;
  const int first = kTogether ? LaneId() * of_lane : 0;
  const int last = min(first + of_lane, count);
  Summary<Sum, uint32_t> summary{};
  if (first < last) {
    summary =
        SummaryOf(static_cast<Sum>(copy[first]), static_cast<uint32_t>(first));
    for (int i = first + 1; i < last; ++i) {
      Append(summary, static_cast<Sum>(copy[i]), static_cast<uint32_t>(i));
    }
  }
  if constexpr (kTogether) {
    summary = CombineWarp<MaxSubarrayFold<T, Sum>>(
        summary, (count + of_lane - 1) / of_lane);
  }
  __syncwarp();
  return summary;
}

// Writes the results; a whole block calls it, with the summary of all rows in
// thread 0. Two warps look at a row each, the one where the best run begins and
// the one where it ends.
template <typename T, typename Sum>
__device__ void StoreLocated(Span<const T> in, int row_elements,
                             const Summary<Sum, uint32_t>& root, Sum* sum,
                             int64_t* run) {
  static_assert(kFoldWarps >= 2);
  __shared__ uint32_t rows[2];
  __shared__ Summary<Sum, uint32_t> summaries[2];
  if (threadIdx.x == 0) {
    rows[0] = root.best_begin;
    rows[1] = root.best_end;
  }
  __syncthreads();
  if (WarpId() < 2) {
    const Summary<Sum, uint32_t> summary =
        SummarizeByElements<T, Sum>(in, row_elements, rows[WarpId()],
                                    reinterpret_cast<T*>(PiecesOfWarp<T>()));
    if (LaneId() == 0) summaries[WarpId()] = summary;
  }
  __syncthreads();
  if (threadIdx.x != 0) return;
  const auto index = [&](uint32_t row, uint32_t place) {
    return max(int64_t{row} * row_elements, in.begin) + place - in.begin;
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

template <typename T, typename Sum>
__global__ void __launch_bounds__(kFoldThreads, kFoldBlocksPerMultiprocessor)
    FindMaxSubarray(Span<const T> in, FoldPlan plan,
                    Summary<Sum, uint32_t>* values, unsigned* arrivals,
                    Sum* sum, int64_t* run) {
  using Fold = MaxSubarrayFold<T, Sum>;
  typename Fold::Value value =
      FoldChunk(Fold(), in, plan, static_cast<typename Fold::Value*>(nullptr));
  if (CombineChunks<Fold>(value, values, arrivals)) {
    StoreLocated(in, static_cast<int>(RowElements<T>(plan)), value, sum, run);
  }
}

template <typename Sum>
__global__ void StoreEmpty(Sum* sum, int64_t* run) {
  StoreEmptyResult(sum, run);
}

}  // namespace concord

#endif  // CONCORD_ALGORITHMS_MAX_SUBARRAY_MAX_SUBARRAY_CUDA_KERNEL_CUH_
