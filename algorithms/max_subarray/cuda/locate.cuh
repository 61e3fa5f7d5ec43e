// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The end of max_subarray/cuda/fused: the summary of all rows says in which of
// them the best run begins and ends, and these two are looked at again.

#ifndef CONCORD_ALGORITHMS_MAX_SUBARRAY_CUDA_LOCATE_CUH_
#define CONCORD_ALGORITHMS_MAX_SUBARRAY_CUDA_LOCATE_CUH_

#include <cuda_runtime.h>

#include <cstdint>
#include <type_traits>

#include "concord/algorithms/max_subarray/max_subarray_summary.h"
#include "concord/backends/cuda/async_copy.cuh"
#include "concord/backends/cuda/ordered_fold.cuh"
#include "concord/backends/cuda/vector.cuh"
#include "concord/backends/cuda/warp.cuh"

namespace concord::max_subarray {

// For CombineWarp and CombineInGroups. Places are the numbers of rows: 32 bits
// for arrays of up to 2^40 bytes.
template <typename Sum>
struct SummaryFold {
  using Value = Summary<Sum, uint32_t>;

  static __device__ __forceinline__ Value Combine(const Value& a,
                                                  const Value& b) {
    return max_subarray::Combine(a, b);
  }
};

// What the sums of one row are counted in.
template <typename T, typename Sum>
using RowSum = std::conditional_t<sizeof(T) == 1, int32_t, Sum>;
template <typename T, typename Sum>
using RowSummary = Summary<RowSum<T, Sum>, uint32_t>;

// How an array is cut into rows: so many elements each, the first of them from
// element `shift` on. What is fetched of a row begins at a vector.
struct Rows {
  int elements;
  int shift;
};
inline constexpr int kMostRowVectors = 32;

// The summary of one row, by elements, in lane 0 of the warp that calls it.
// Sums of floats depend on the order, so there all lanes do the same;
// otherwise each takes a few elements. `copy` has room for the row.
template <typename T, typename Sum>
__device__ RowSummary<T, Sum> SummarizeByElements(Span<const T> in,
                                                  const Rows& rows,
                                                  uint32_t row,
                                                  Vector<T>* copy) {
  const int64_t copy_first = int64_t{row} * rows.elements;
  const int64_t row_first = copy_first + rows.shift;
  const int64_t copied = rows.elements + RoundUpToVector<T>(rows.shift);
  for (int i = LaneId() * Vector<T>::kLanes; i < copied;
       i += kWarpSize * Vector<T>::kLanes) {
    FetchVector(in, copy_first + i, copy + i / Vector<T>::kLanes);
  }
  WaitForCopies();
  __syncwarp();
  const int64_t begin = max(in.begin, row_first);
  const int count =
      static_cast<int>(min(in.end, row_first + rows.elements) - begin);
  const T* const elements =
      reinterpret_cast<const T*>(copy) + (begin - copy_first);

  constexpr bool kTogether = std::is_integral_v<T>;
  const int of_lane =
      kTogether ? (rows.elements + kWarpSize - 1) / kWarpSize : rows.elements;
  const int first = kTogether ? LaneId() * of_lane : 0;
  const int last = min(first + of_lane, count);
  RowSummary<T, Sum> summary{};
  if (first < last) {
    summary = SummaryOf(static_cast<RowSum<T, Sum>>(elements[first]),
                        static_cast<uint32_t>(first));
    // So that several elements are on their way.
    constexpr int kUnroll = kTogether ? 1 : 8;
#pragma unroll kUnroll
    for (int i = first + 1; i < last; ++i) {
      Append(summary, static_cast<RowSum<T, Sum>>(elements[i]),
             static_cast<uint32_t>(i));
    }
  }
  if constexpr (kTogether) {
    summary = CombineWarp<SummaryFold<RowSum<T, Sum>>, 1>(
        summary, (count + of_lane - 1) / of_lane);
  }
  return summary;
}

// Writes the results; a whole block calls it, with the summary of all rows in
// thread 0. Two warps look at a row each, the one where the best run begins and
// the one where it ends.
template <typename T, typename Sum>
__device__ void StoreLocated(Span<const T> in, const Rows& shape,
                             const Summary<Sum, uint32_t>& root, Sum* sum,
                             int64_t* run) {
  static_assert(kFoldWarps >= 2);
  __shared__ uint32_t rows[2];
  __shared__ RowSummary<T, Sum> summaries[2];
  __shared__ Vector<T> copies[2][kMostRowVectors + 1];
  if (threadIdx.x == 0) {
    rows[0] = root.best_begin;
    rows[1] = root.best_end;
  }
  __syncthreads();
  if (WarpId() < 2) {
    const RowSummary<T, Sum> summary = SummarizeByElements<T, Sum>(
        in, shape, rows[WarpId()], copies[WarpId()]);
    if (LaneId() == 0) summaries[WarpId()] = summary;
  }
  __syncthreads();
  if (threadIdx.x != 0) return;
  const auto index = [&](uint32_t row, uint32_t place) {
    const int64_t first = shape.shift + int64_t{row} * shape.elements;
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

}  // namespace concord::max_subarray

#endif  // CONCORD_ALGORITHMS_MAX_SUBARRAY_CUDA_LOCATE_CUH_
