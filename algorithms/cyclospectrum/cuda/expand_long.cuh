// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Writes a spectrum whose runs are long. Each read of memory between the writes
// holds these up, and a block that waits for one load after the other writes
// later than its neighbours. So a first launch puts what a block has to know
// into one line, 128 bytes for 8192 elements.

#ifndef CONCORD_ALGORITHMS_CYCLOSPECTRUM_CUDA_EXPAND_LONG_CUH_
#define CONCORD_ALGORITHMS_CYCLOSPECTRUM_CUDA_EXPAND_LONG_CUH_

#include <cstdint>

#include "concord/algorithms/cyclospectrum/cuda/expand.cuh"
#include "concord/backends/cuda/cache_policy.cuh"
#include "concord/backends/cuda/dependent_launch.cuh"
#include "concord/backends/cuda/vector.cuh"
#include "concord/backends/cuda/warp.cuh"

namespace concord::cyclospectrum {

// What a block writes: one step of each warp of ExpandByBlock, which takes over
// where a line is too short. More warps write less each and are faster: 1.465
// ms for 1.6e9 elements in place of 1.480.
inline constexpr int kLongElements = kExpandWarps * kStepElements;
inline constexpr int kLongThreads = 512;
inline constexpr int kLongWarps = kLongThreads / kWarpSize;
inline constexpr int kLongWarpElements = kLongElements / kLongWarps;

// The line of a block, a word for each lane of a warp: the value of the first
// element, how many values start behind it, and where, two places in each word.
// The first element of the next block is counted, too.
struct BlockRuns {
  uint32_t word[kWarpSize];

  static constexpr int kMostStarts = 2 * (kWarpSize - 2);
  // Of a start that there is not.
  static constexpr int kNowhere = 0xffff;
};
static_assert(kLongElements < BlockRuns::kNowhere);

// How many lines a block of FindBlockRuns makes, of how many values.
inline constexpr int kLinesOfBlock = 64;
inline constexpr int kValuesOfBlock = 4096;

// How many of `count` rising numbers are `most` or less.
__device__ __forceinline__ int CountUpTo(const int* numbers, int count,
                                         int most) {
  int low = 0;
  while (low < count) {
    const int middle = (low + count) / 2;
    if (numbers[middle] <= most) {
      low = middle + 1;
    } else {
      count = middle;
    }
  }
  return low;
}

// The lines of blocks [first_block, end_block), each at its number. `shift` is
// how far the output's first element lies behind where block 0 begins.
static __global__ void __launch_bounds__(kExpandThreads)
    FindBlockRuns(ValueRuns runs, int64_t shift, int64_t first_block,
                  int64_t end_block, BlockRuns* lines) {
  LetNextGridStart();
  WaitForGridBefore();
  __shared__ int64_t ends[2];
  // Where the values behind the first one start, from the first block on.
  __shared__ int starts[kValuesOfBlock];
  // How many of them are at the first element of each line or before it; last
  // those up to where the block's lines end.
  __shared__ int starts_before[kLinesOfBlock + 1];
  const int64_t base = first_block + blockIdx.x * int64_t{kLinesOfBlock};
  if (WarpId() < 2) {
    const int64_t place =
        (base + WarpId() * kLinesOfBlock) * kLongElements - shift;
    const int64_t value =
        runs.ValueAt(min(max(place, int64_t{0}), runs.size - 1));
    if (LaneId() == 0) ends[WarpId()] = value;
  }
  __syncthreads();
  const int64_t origin = base * kLongElements - shift;
  const int64_t first_of_all = ends[0];
  const int64_t all = ends[1] - first_of_all;
  const bool has_room = all <= kValuesOfBlock;
  if (has_room) {
    for (int i = threadIdx.x; i < all; i += kExpandThreads) {
      starts[i] = static_cast<int>(runs.Start(first_of_all + 1 + i) - origin);
    }
  }
  __syncthreads();
  if (threadIdx.x <= kLinesOfBlock) {
    starts_before[threadIdx.x] =
        has_room ? CountUpTo(starts, static_cast<int>(all),
                             static_cast<int>(threadIdx.x) * kLongElements)
                 : 0;
  }
  __syncthreads();
  for (int i = WarpId(); i < kLinesOfBlock; i += kExpandWarps) {
    if (base + i >= end_block) return;
    const int before = starts_before[i];
    const int count = has_room ? starts_before[i + 1] - before
                               : BlockRuns::kMostStarts + 1;
    uint32_t word = 0;
    if (LaneId() == 0) {
      word = static_cast<uint32_t>(first_of_all + before);
    } else if (LaneId() == 1) {
      word = count;
    } else {
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const int k = 2 * (LaneId() - 2) + half;
        const int start = has_room && k < count
                              ? starts[before + k] - i * kLongElements
                              : BlockRuns::kNowhere;
        word |= static_cast<uint32_t>(start) << (16 * half);
      }
    }
    StoreToStay(&lines[base + i].word[LaneId()], word);
  }
}

// The starts that a lane has of a line, in ascending order.
struct TwoStarts {
  int first;
  int second;

  __device__ explicit TwoStarts(uint32_t word)
      : first(LaneId() < 2 ? BlockRuns::kNowhere
                           : static_cast<int>(word & 0xffff)),
        second(LaneId() < 2 ? BlockRuns::kNowhere
                            : static_cast<int>(word >> 16)) {}

  // How many starts of all lanes are less than `place`.
  __device__ int CountBelow(int place) const {
    return __popc(__ballot_sync(kWholeWarp, first < place)) +
           __popc(__ballot_sync(kWholeWarp, second < place));
  }
};

// Writes a warp's elements, from place `low` of the block that begins at
// `begin`, out of a line that has all starts.
template <typename T>
__device__ __forceinline__ void WriteFromLine(const Span<T>& out, int64_t begin,
                                              int low, uint32_t word) {
  constexpr int kLanes = Vector<T>::kLanes;
  constexpr int kRow = kWarpSize * kLanes;
  const TwoStarts starts(word);
  const bool is_whole = out.HoldsVectors(begin + low, kLongWarpElements);
  T before = static_cast<T>(ShuffleFrom(word, 0)) +
             static_cast<T>(starts.CountBelow(low));
#pragma unroll
  for (int row = low; row < low + kLongWarpElements; row += kRow) {
    const int mine = row + LaneId() * kLanes;
    T values[kLanes];
#pragma unroll
    for (int k = 0; k < kLanes; ++k) values[k] = before;
    const unsigned first =
        __ballot_sync(kWholeWarp, starts.first / kRow == row / kRow);
    const unsigned second =
        __ballot_sync(kWholeWarp, starts.second / kRow == row / kRow);
    for (unsigned left = first | second; left != 0; left &= left - 1) {
      const int lane = __ffs(static_cast<int>(left)) - 1;
      const uint32_t both = ShuffleFrom(word, lane);
      // One before the row has been added already.
      const int place = (first >> lane & 1) != 0
                            ? static_cast<int>(both & 0xffff)
                            : BlockRuns::kNowhere;
      const int place_behind = static_cast<int>(both >> 16);
#pragma unroll
      for (int k = 0; k < kLanes; ++k) {
        values[k] +=
            (mine + k >= place ? 1 : 0) + (mine + k >= place_behind ? 1 : 0);
      }
    }
    before += static_cast<T>(__popc(first) + __popc(second));
    Vector<T> vector{};
#pragma unroll
    for (int k = 0; k < kLanes; ++k) vector.set_lane(k, values[k]);
    if (is_whole) {
      StoreToGo(out.base + begin + mine, vector);
    } else {
      StoreElements(out, begin + mine, vector);
    }
  }
}

// Writes the elements of this block, of kLongThreads threads.
template <typename T>
__device__ __forceinline__ void ExpandFromLine(const ValueRuns& runs,
                                               const Span<T>& out,
                                               const BlockRuns* lines,
                                               int64_t block) {
  const uint32_t word = lines[block].word[LaneId()];
  if (ShuffleFrom(word, 1) > BlockRuns::kMostStarts) {
    // The block finds its values by itself.
    if (WarpId() < kExpandWarps) ExpandByBlock<1>(runs, out, block);
    return;
  }
  WriteFromLine(out, block * kLongElements, WarpId() * kLongWarpElements, word);
}

template <typename T>
__global__ void __launch_bounds__(kLongThreads)
    ExpandFromLines(ValueRuns runs, Span<T> out, const BlockRuns* lines) {
  LetNextGridStart();
  WaitForGridBefore();
  ExpandFromLine(runs, out, lines, int64_t{blockIdx.x});
}

}  // namespace concord::cyclospectrum

#endif  // CONCORD_ALGORITHMS_CYCLOSPECTRUM_CUDA_EXPAND_LONG_CUH_
