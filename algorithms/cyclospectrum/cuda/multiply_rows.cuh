// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// What autocorrelation.cuh does between the transforms of columns: those of
// rows, and the product.

#ifndef CONCORD_ALGORITHMS_CYCLOSPECTRUM_CUDA_MULTIPLY_ROWS_CUH_
#define CONCORD_ALGORITHMS_CYCLOSPECTRUM_CUDA_MULTIPLY_ROWS_CUH_

#include <cuda_runtime.h>

#include <cstdint>

#include "concord/algorithms/cyclospectrum/cuda/autocorrelation.cuh"
#include "concord/algorithms/cyclospectrum/cuda/field.cuh"
#include "concord/algorithms/cyclospectrum/cuda/fourier.cuh"
#include "concord/algorithms/cyclospectrum/cuda/roots.cuh"
#include "concord/backends/cuda/dependent_launch.cuh"

namespace concord::cyclospectrum {

inline constexpr int kRowThreads = 256;

// Where the calling thread's elements of a row begin, step by step.
struct RowPlaces {
  int first;
  int second;
  int last;

  __device__ RowPlaces()
      : first(threadIdx.x + threadIdx.x / 16),
        second(threadIdx.x / 16 * kPaddedSteps + threadIdx.x % 16),
        last(threadIdx.x * kPaddedStep) {}
};
inline constexpr int kRowWords = 16 * kPaddedSteps;

// What a row is multiplied by before its transform is, at `column`, this power
// of the root.
__device__ __forceinline__ uint32_t ExponentAt(int row, int column) {
  return static_cast<uint32_t>(2 * row + 1) * static_cast<uint32_t>(column);
}

// Transforms a row of `words`: thread t gets elements t / 16 + 16 (t % 16) +
// 256 m. `factor` is that of column t, and factors[m] that of column 256 m.
__device__ __forceinline__ void TransformRow(
    const Roots& roots, const uint32_t* words, uint32_t factor,
    const uint32_t* factors, uint32_t* buffer, uint32_t (&x)[16]) {
  const RowPlaces places;
  const int t = threadIdx.x;
#pragma unroll
  for (int m = 0; m < 16; ++m) x[m] = words[m * 256 + t];
#pragma unroll
  for (int m = 0; m < 16; ++m) {
    x[m] = TimesMontgomery(TimesMontgomery(x[m], factors[m]), factor);
  }
  FourierOf(x);
#pragma unroll
  for (int q = 0; q < 16; ++q) {
    buffer[places.first + q * kPaddedSteps] =
        TimesMontgomery(x[q], roots.RowStep()[q * 256 + t]);
  }
  __syncthreads();
#pragma unroll
  for (int m = 0; m < 16; ++m) x[m] = buffer[places.second + m * kPaddedStep];
  FourierOf(x);
#pragma unroll
  for (int q = 0; q < 16; ++q) {
    buffer[places.second + q * kPaddedStep] =
        TimesMontgomery(x[q], roots.LastStep()[q * 16 + t % 16]);
  }
  __syncthreads();
#pragma unroll
  for (int m = 0; m < 16; ++m) x[m] = buffer[places.last + m];
  FourierOf(x);
}

// The way back, of elements that threads have as TransformRow leaves them.
__device__ __forceinline__ void TransformRowBack(
    const Roots& roots, uint32_t (&x)[16], uint32_t factor,
    const uint32_t* factors, uint32_t* buffer, uint32_t* words) {
  const RowPlaces places;
  const int t = threadIdx.x;
  FourierOf(x);
#pragma unroll
  for (int q = 0; q < 16; ++q) buffer[places.last + q] = x[q];
  __syncthreads();
#pragma unroll
  for (int m = 0; m < 16; ++m) {
    x[m] = TimesMontgomery(buffer[places.second + m * kPaddedStep],
                           roots.LastStep()[m * 16 + t % 16]);
  }
  FourierOf(x);
#pragma unroll
  for (int q = 0; q < 16; ++q) buffer[places.second + q * kPaddedStep] = x[q];
  __syncthreads();
#pragma unroll
  for (int m = 0; m < 16; ++m) {
    x[m] = TimesMontgomery(buffer[places.first + m * kPaddedSteps],
                           roots.RowStep()[m * 256 + t]);
  }
  FourierOf(x);
#pragma unroll
  for (int q = 0; q < 16; ++q) {
    words[q * 256 + t] =
        TimesMontgomery(TimesMontgomery(x[q], factors[q]), factor);
  }
}

// A block transforms a row and that of the inverse roots, multiplies them, and
// transforms the product back into the former row. `scale` is 2^32 / length, a
// factor for TimesMontgomery.
static __global__ void __launch_bounds__(kRowThreads, 4)
    MultiplyRows(Roots roots, uint32_t scale, uint32_t* words) {
  __shared__ uint32_t buffer[kRowWords];
  __shared__ uint32_t inverse[kRowWords];
  __shared__ uint32_t factors[3][16];
  LetNextGridStart();
  WaitForGridBefore();
  const int row = blockIdx.x;
  const int other = 256 * roots.radix() - 1 - row;
  if (threadIdx.x < 16) {
    const int column = threadIdx.x * 256;
    const uint32_t exponent = ExponentAt(row, column);
    factors[0][threadIdx.x] = roots.Power(exponent);
    factors[1][threadIdx.x] = roots.Power(ExponentAt(other, column));
    // Columns of the upper half come out as those of the other row, whose
    // column is `kColumns - column`.
    const uint32_t order = static_cast<uint32_t>(roots.radix()) << 21;
    const uint32_t back = threadIdx.x < 8
                              ? exponent
                              : exponent + (order - ExponentAt(row, kColumns));
    factors[2][threadIdx.x] =
        Less(TimesMontgomery(roots.Power(back), scale), kPrime);
  }
  __syncthreads();
  const RowPlaces places;
  uint32_t x[16];
  TransformRow(roots, words + other * kColumns,
               roots.Power(ExponentAt(other, threadIdx.x)), factors[1], inverse,
               x);
#pragma unroll
  for (int m = 0; m < 16; ++m) {
    constexpr Factor kOne = Factor::Of(1);
    inverse[places.last + m] = Less(Times(x[m], kOne), kPrime);
  }
  const uint32_t factor = roots.Power(ExponentAt(row, threadIdx.x));
  TransformRow(roots, words + row * kColumns, factor, factors[0], buffer, x);
  // Element k of a row meets kColumns - 1 - k of the other.
#pragma unroll
  for (int m = 0; m < 16; ++m) {
    x[m] = TimesMontgomery(x[m], inverse[kRowWords - 2 - places.last - m]);
  }
  TransformRowBack(roots, x, factor, factors[2], buffer,
                   words + row * kColumns);
}

}  // namespace concord::cyclospectrum

#endif  // CONCORD_ALGORITHMS_CYCLOSPECTRUM_CUDA_MULTIPLY_ROWS_CUH_
