// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The autocorrelation of a row of small numbers,
//
//   c[lag] = a[0] a[lag] + a[1] a[lag + 1] + ...,
//
// by transforms modulo a prime: exact where it is less than the prime.
//
// The row, with as many zeros behind it, is a polynomial A(z) of `length`
// coefficients. Its values where z^length = -1 come from a transform of all
// columns of 4096 and one of all rows (D. H. Bailey, "FFTs in external or
// hierarchical memory", 1990). A(z) A(1 / z) has the autocorrelation as its
// coefficients, and a transform of rows and one of columns takes it back. As
// z^length = -1, what comes out is c[lag] - c[length - lag]. One of both is 0.
//
// A(z) A(1 / z) is the same at z and at 1 / z, which is a root, too. So half of
// the rows go back, and with them half of the columns.

#ifndef CONCORD_ALGORITHMS_CYCLOSPECTRUM_CUDA_AUTOCORRELATION_CUH_
#define CONCORD_ALGORITHMS_CYCLOSPECTRUM_CUDA_AUTOCORRELATION_CUH_

#include <cuda_runtime.h>

#include <cstdint>

#include "concord/algorithms/cyclospectrum/cuda/field.cuh"
#include "concord/algorithms/cyclospectrum/cuda/fourier.cuh"
#include "concord/algorithms/cyclospectrum/cuda/roots.cuh"
#include "concord/backends/cuda/dependent_launch.cuh"

namespace concord::cyclospectrum {

// Of a row. A column has 256 elements times a radix.
inline constexpr int kColumns = 4096;
inline constexpr int kMiddleColumn = kColumns / 2;

// Neighbouring columns that a block takes: their elements of a row are a whole
// sector of memory.
inline constexpr int kBlockColumns = 8;
// Each thread takes one or two sets in each of the last two steps, or four of
// the longest column, for which a block has no threads enough.
template <int kRadix>
inline constexpr int kColumnThreads = kRadix <= 4    ? kRadix * 128
                                      : kRadix <= 16 ? kRadix * 64
                                                     : kRadix * 32;
template <int kRadix>
inline constexpr int kColumnBlocks = kRadix <= 4    ? 8 / kRadix
                                     : kRadix == 5  ? 3
                                     : kRadix <= 10 ? 2
                                                    : 1;

// Steps of 16 elements that are 16 apart, and then next to each other. One word
// in 17 is left out, so that sets of neighbouring threads meet in no bank.
inline constexpr int kPaddedStep = 16 + 1;
inline constexpr int kPaddedSteps = 16 * kPaddedStep;
template <int kRadix>
inline constexpr int kColumnBytes =
    kRadix* kPaddedSteps* kBlockColumns* static_cast<int>(sizeof(uint32_t));

// What is left of the columns: the first half and the one in the middle.
struct Lags {
  const uint32_t* words;
  int rows;

  static constexpr int kPitch = kMiddleColumn + kBlockColumns;
  static int64_t Words(int rows) { return int64_t{rows} * kPitch; }

  // c[lag] for lag < length / 2.
  __device__ __forceinline__ uint32_t At(uint32_t lag) const {
    const uint32_t row = lag / kColumns;
    const uint32_t column = lag % kColumns;
    if (column <= kMiddleColumn) return words[row * kPitch + column];
    // - c[length - (length - lag)]
    const uint32_t negative =
        words[(rows - 1 - row) * kPitch + (kColumns - column)];
    return negative == 0 ? 0 : kPrime - negative;
  }
};

// The last step but one of a column, for a set. load(m) is its element m; what
// comes out goes to `line` and on.
template <typename Load>
__device__ __forceinline__ void StepOfColumn(const Roots& roots, int set,
                                             uint32_t* line, const Load& load) {
  uint32_t x[16];
#pragma unroll
  for (int m = 0; m < 16; ++m) x[m] = load(m);
  FourierOf(x);
  const uint32_t* const factors = roots.LastStep() + set % 16;
#pragma unroll
  for (int q = 0; q < 16; ++q) {
    line[q * kPaddedStep * kBlockColumns] =
        TimesMontgomery(x[q], factors[q * 16]);
  }
}

// Transforms kBlockColumns columns of 256 kRadix elements. load(i, column) is
// element i, less than 2 kPrime; store(k, column, word) takes element k of the
// result, any word. With kHalf, the second half of the elements is 0.
template <int kRadix, bool kHalf, typename Load, typename Store>
__device__ __forceinline__ void FourierOfColumns(const Roots& roots,
                                                 uint32_t* buffer,
                                                 const Load& load,
                                                 const Store& store) {
  constexpr int kSets = kColumnThreads<kRadix> / kBlockColumns;
  const int column = threadIdx.x % kBlockColumns;
  const int first_set = threadIdx.x / kBlockColumns;
  if constexpr (kRadix > 1) {
#pragma unroll 1
    for (int set = first_set; set < 256; set += kSets) {
      uint32_t x[kRadix];
#pragma unroll
      for (int m = 0; m < kRadix; ++m) {
        x[m] = kHalf && 2 * m >= kRadix ? 0 : load(m * 256 + set, column);
      }
      FourierOf(x);
      uint32_t* const line = buffer + (set + set / 16) * kBlockColumns + column;
      const uint32_t* const factors = roots.ColumnStep() + set;
#pragma unroll
      for (int q = 0; q < kRadix; ++q) {
        line[q * kPaddedSteps * kBlockColumns] =
            TimesMontgomery(x[q], factors[q * 256]);
      }
    }
    __syncthreads();
  }
#pragma unroll 1
  for (int set = first_set; set < 16 * kRadix; set += kSets) {
    uint32_t* const line =
        buffer + (set / 16 * kPaddedSteps + set % 16) * kBlockColumns + column;
    StepOfColumn(roots, set, line, [&](int m) -> uint32_t {
      if constexpr (kRadix > 1) return line[m * kPaddedStep * kBlockColumns];
      return kHalf && m >= 8 ? 0 : load(m * 16 + set, column);
    });
  }
  __syncthreads();
#pragma unroll 1
  for (int set = first_set; set < 16 * kRadix; set += kSets) {
    const uint32_t* const line =
        buffer + set * kPaddedStep * kBlockColumns + column;
    uint32_t x[16];
#pragma unroll
    for (int m = 0; m < 16; ++m) x[m] = line[m * kBlockColumns];
    FourierOf(x);
    const int k = set / 16 + kRadix * (set % 16);
#pragma unroll
    for (int q = 0; q < 16; ++q) store(k + 16 * kRadix * q, column, x[q]);
  }
}

// Columns of `lines` rows of bytes into `words`.
template <int kRadix>
__global__ void __launch_bounds__(kColumnThreads<kRadix>, kColumnBlocks<kRadix>)
    TransformColumns(Roots roots, const uint8_t* bytes, int lines,
                     uint32_t* words) {
  LetNextGridStart();
  WaitForGridBefore();
  extern __shared__ uint32_t buffer[];
  const int first = blockIdx.x * kBlockColumns;
  FourierOfColumns<kRadix, true>(
      roots, buffer,
      [&](int i, int column) -> uint32_t {
        const uint32_t element =
            i < lines ? bytes[i * kColumns + first + column] : 0;
        return TimesMontgomery(element, roots.CoarsePower(i));
      },
      [&](int k, int column, uint32_t word) {
        words[k * kColumns + first + column] = word;
      });
}

// The way back, into `lags`.
template <int kRadix>
__global__ void __launch_bounds__(kColumnThreads<kRadix>, kColumnBlocks<kRadix>)
    TransformColumnsBack(Roots roots, const uint32_t* words, uint32_t* lags) {
  LetNextGridStart();
  WaitForGridBefore();
  extern __shared__ uint32_t buffer[];
  constexpr int kRows = 256 * kRadix;
  const int first = blockIdx.x * kBlockColumns;
  FourierOfColumns<kRadix, false>(
      roots, buffer,
      [&](int k, int column) -> uint32_t {
        const int at = first + column;
        if (at > kMiddleColumn) return 0;
        if (k >= kRows / 2) {
          return words[(kRows - 1 - k) * kColumns + (kColumns - at) % kColumns];
        }
        const uint32_t word = words[k * kColumns + at];
        return at < kMiddleColumn
                   ? word
                   : TimesMontgomery(word, roots.CoarsePower(2 * k + 1));
      },
      [&](int i, int column, uint32_t word) {
        if (first + column > kMiddleColumn) return;
        lags[i * Lags::kPitch + first + column] =
            Less(TimesMontgomery(word, roots.CoarsePower(i)), kPrime);
      });
}

}  // namespace concord::cyclospectrum

#endif  // CONCORD_ALGORITHMS_CYCLOSPECTRUM_CUDA_AUTOCORRELATION_CUH_
