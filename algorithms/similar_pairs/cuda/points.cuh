// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// A copy of all sketches as points (points.h), in panels of 128 rows. Middle
// and scale are chosen on the GPU. What numbers become is a matter of the form:
//
//   Shape shape;                    first of all, then
//   Number* numbers;                padded_dim of each row, a multiple of
//                                   kPadding
//   float* ...;                     kFloats of each panel
//   kUsual                          as ScaleOf has it
//   float Rounded(half, scale)      a number of a point
//   void Store(panel, k, place, x)  puts number k of a row of a panel there
//   void Finish(panel, place, is_far, squares)
//                                   does the same for what is known of a row at
//                                   the end: whether it is similar to none, and
//                                   its sum of squares. All threads of a panel
//                                   call it together.

#ifndef CONCORD_ALGORITHMS_SIMILAR_PAIRS_CUDA_POINTS_CUH_
#define CONCORD_ALGORITHMS_SIMILAR_PAIRS_CUDA_POINTS_CUH_

#include <cstdint>

#include "concord/algorithms/similar_pairs/cuda/band.cuh"
#include "concord/algorithms/similar_pairs/points.h"
#include "concord/backends/cuda/warp.cuh"
#include "concord/core/operators.h"

namespace concord::similar_pairs {

// What all points share.
struct Scale {
  double scale;
  double root;  // RootOf the limit
};

struct Shape {
  Scale* scale;
  int64_t sketches;
  int64_t panels;
  int64_t dim;
  int64_t padded_dim;  // of the copy, with zeros at the end
};

// The middle is that of so many rows.
inline constexpr int kSample = 256;
// So many rows have one width, of which the usual one gives the scale.
inline constexpr int kWidthRows = 16;
inline constexpr int kScaleThreads = 256;
inline constexpr int kFillThreads = 256;

// Whether the calling thread's value is the median of the first `count`
// threads': exactly one thread's is. `values` are all of them.
template <typename T>
__device__ __forceinline__ bool IsMedian(const T* values, const bool* there,
                                         int threads, int count) {
  const int thread = static_cast<int>(threadIdx.x);
  if (thread >= threads || !there[thread]) return false;
  const T value = values[thread];
  int rank = 0;
  for (int other = 0; other < threads; ++other) {
    rank += there[other] && (values[other] < value ||
                             (values[other] == value && other < thread));
  }
  return rank == count / 2;
}

// The medians of a sample's finite numbers, which a few huge sketches do not
// move. Blocks of kSample threads, for one column after the other.
template <typename T>
__global__ void __launch_bounds__(kSample)
    FindMiddle(const T* rows, int64_t sketches, int64_t dim, T* middle) {
  __shared__ T values[kSample];
  __shared__ bool there[kSample];
  const int thread = static_cast<int>(threadIdx.x);
  const int64_t step = max(sketches / kSample, int64_t{1});
  for (int64_t k = blockIdx.x; k < dim; k += gridDim.x) {
    const int64_t row = thread * step;
    const T value = row < sketches ? rows[row * dim + k] : T{0};
    const bool is_there =
        row < sketches && isfinite(static_cast<double>(value));
    values[thread] = value;
    there[thread] = is_there;
    const int count = __syncthreads_count(is_there);
    if (IsMedian(values, there, kSample, count)) middle[k] = value;
    if (count == 0 && thread == 0) middle[k] = T{0};
    __syncthreads();  // before values are written again
  }
}

// The largest half of every kWidthRows rows. A warp for each of them.
template <typename T>
__global__ void MeasureWidths(const T* rows, int64_t sketches, int64_t dim,
                              const T* middle, double* widths) {
  const int64_t first_row =
      (int64_t{blockIdx.x} * (blockDim.x / kWarpSize) + WarpId()) * kWidthRows;
  const int64_t end = min(first_row + kWidthRows, sketches);
  if (first_row >= end) return;
  double width = 0;
  for (int64_t row = first_row; row < end; ++row) {
    for (int64_t k = LaneId(); k < dim; k += kWarpSize) {
      const double half = fabs(HalfOf(rows[row * dim + k], middle[k]));
      if (half > width && isfinite(half)) width = half;
    }
  }
  width = WarpReduce<Maximum<double>>(width);
  if (LaneId() == 0) widths[first_row / kWidthRows] = width;
}

// By the median of a sample of widths or, where that is zero because most rows
// are equal, by the largest of all. One block of kScaleThreads threads.
static __global__ void __launch_bounds__(kScaleThreads)
    ChooseScale(const double* widths, int64_t count, double limit, int64_t dim,
                int usual_power, Scale* scale) {
  __shared__ double sample[kScaleThreads];
  __shared__ bool there[kScaleThreads];
  __shared__ double usual;
  const int thread = static_cast<int>(threadIdx.x);
  const int size = static_cast<int>(min(count, int64_t{kScaleThreads}));
  there[thread] = thread < size;
  sample[thread] = thread < size ? widths[thread * (count / size)] : 0;
  __syncthreads();
  if (IsMedian(sample, there, size, size)) usual = sample[thread];
  __syncthreads();
  double width = usual;
  if (width == 0) {
    for (int64_t i = thread; i < count; i += kScaleThreads) {
      width = fmax(width, widths[i]);
    }
    width = WarpReduce<Maximum<double>>(width);
    if (LaneId() == 0) sample[WarpId()] = width;
    __syncthreads();
    for (int warp = 0; warp < kScaleThreads / kWarpSize; ++warp) {
      width = fmax(width, sample[warp]);
    }
  }
  if (thread == 0) {
    scale->scale = ScaleOf(width, usual_power);
    scale->root = RootOf(limit, dim, scale->scale);
  }
}

// A block for each panel. Rows come in 32 numbers at a time, and leave turned.
template <typename Form, typename T>
__global__ void __launch_bounds__(kFillThreads)
    FillPoints(const T* rows, const T* middle, Form form) {
  constexpr int kShares = kFillThreads / kPanel;
  __shared__ float turned[kWarpSize][kPanel + 1];
  __shared__ double squares[kFillThreads];
  __shared__ bool is_far[kPanel];
  const Shape& shape = form.shape;
  const int64_t panel = blockIdx.x;
  const int place = static_cast<int>(threadIdx.x) % kPanel;
  const int share = static_cast<int>(threadIdx.x) / kPanel;
  const double scale = shape.scale->scale;
  if (share == 0) is_far[place] = panel * kPanel + place >= shape.sketches;
  double sum = 0;
  for (int64_t first = 0; first < shape.padded_dim; first += kWarpSize) {
    __syncthreads();
    for (int to = WarpId(); to < kPanel; to += kFillThreads / kWarpSize) {
      const int64_t row = panel * kPanel + to;
      const int64_t k = first + LaneId();
      double half = 0;
      if (row < shape.sketches && k < shape.dim) {
        half = HalfOf(rows[row * shape.dim + k], middle[k]);
      }
      const bool is_finite = isfinite(half);
      turned[LaneId()][to] = is_finite ? form.Rounded(half, scale) : 0;
      if (!__all_sync(kWholeWarp, is_finite) && LaneId() == 0) {
        is_far[to] = true;
      }
    }
    __syncthreads();
    for (int k = share; k < kWarpSize && first + k < shape.padded_dim;
         k += kShares) {
      const float number = turned[k][place];
      form.Store(panel, first + k, place, number);
      sum += static_cast<double>(number) * number;
    }
  }
  squares[threadIdx.x] = sum;
  __syncthreads();
  if (share != 0) return;
  for (int s = 1; s < kShares; ++s) sum += squares[s * kPanel + place];
  form.Finish(panel, place, is_far[place], sum);
}

}  // namespace concord::similar_pairs

#endif  // CONCORD_ALGORITHMS_SIMILAR_PAIRS_CUDA_POINTS_CUH_
