// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The runs that start in a segment: 2 KiB of elements in shared memory that
// belong to one warp. It looks at the segment twice. At first it finds where
// runs start, a bit for each element, and sums that up, which is all that other
// segments need to know. Later, when it is known how many runs start before the
// segment and where the last of them does, the warp writes its runs: the
// positions of the starts, put side by side in shared memory, make neighbours
// in the outputs of neighbouring lanes. The length of a run is known where the
// next one starts, and written there.

#ifndef CONCORD_ALGORITHMS_RUN_LENGTH_ENCODE_RUN_LENGTH_ENCODE_CUDA_SEGMENT_CUH_
#define CONCORD_ALGORITHMS_RUN_LENGTH_ENCODE_RUN_LENGTH_ENCODE_CUDA_SEGMENT_CUH_

#include <cstdint>

#include "backends/cuda/vector.cuh"
#include "backends/cuda/warp.cuh"
#include "core/operators.h"

namespace concord {

// Of a lane. Step i of the warp covers 512 bytes, vector i of each lane.
inline constexpr int kSegmentVectors = 4;

template <typename Word>
inline constexpr int kStepElements = kWarpSize* Vector<Word>::kLanes;
template <typename Word>
inline constexpr int kSegmentElements = kSegmentVectors* kStepElements<Word>;

// What elements amount to: how many runs start in them, and the number of the
// last element that starts one, counted from 1 (0: none does). Numbers of later
// elements are larger, so the order of operands does not matter.
struct RunSums {
  using Element = uint64_t;
  __device__ static constexpr uint64_t Identity() { return 0; }
  __device__ __forceinline__ uint64_t operator()(uint64_t a, uint64_t b) const {
    return Make(Count(a) + Count(b), max(Last(a), Last(b)));
  }

  __device__ static uint64_t Make(uint32_t count, uint32_t last) {
    return uint64_t{last} << 32 | count;
  }
  __device__ static uint32_t Count(uint64_t sums) {
    return static_cast<uint32_t>(sums);
  }
  __device__ static uint32_t Last(uint64_t sums) {
    return static_cast<uint32_t>(sums >> 32);
  }
};

// For each byte of `word`, bit 0 to 3: whether it differs from the byte before
// it; `before` has that of the lowest byte in its highest.
__device__ __forceinline__ uint32_t ByteStarts(uint32_t word, uint32_t before) {
  const uint32_t different = word ^ __byte_perm(before, word, 0x6543);
  // The highest bit of each byte that is not zero.
  const uint32_t marks =
      ((different & 0x7f7f7f7fu) + 0x7f7f7f7fu | different) & 0x80808080u;
  // The four bits side by side: bit 7 + 8k goes to bit 28 + k.
  return (marks >> 7) * 0x10204080u >> 28;
}

// Bit k: whether lane k of the vector differs from the element before it.
template <typename Word>
__device__ __forceinline__ uint32_t VectorStarts(const Vector<Word>& vector,
                                                 Word before) {
  uint32_t bits = 0;
  if constexpr (sizeof(Word) == 1) {
    uint32_t previous = uint32_t{before} << 24;
#pragma unroll
    for (int w = 0; w < Vector<Word>::kWords; ++w) {
      bits |= ByteStarts(vector.word[w], previous) << (4 * w);
      previous = vector.word[w];
    }
  } else {
#pragma unroll
    for (int k = 0; k < Vector<Word>::kLanes; ++k) {
      const Word word = vector.lane(k);
      if (word != before) bits |= 1u << k;
      before = word;
    }
  }
  return bits;
}

// Which elements of a segment are in the array: [begin, end).
struct SegmentPart {
  int begin;
  int end;

  template <typename Word>
  __device__ bool IsWhole() const {
    return begin == 0 && end == kSegmentElements<Word>;
  }
  // Of the `count` elements from `first` on, a bit for each.
  __device__ uint32_t Bits(int first, int count) const {
    const int from = min(max(begin - first, 0), count);
    const int to = min(max(end - first, 0), count);
    return to > from ? ((1u << (to - from)) - 1) << from : 0;
  }
};

// The runs that start in a segment, as its warp keeps them.
template <typename Word>
struct RunStarts {
  // Bit k of bits[i]: whether one starts at lane k of this lane's vector i.
  uint32_t bits[kSegmentVectors];

  // Finds them. `before` is the element before the segment. Where
  // `is_first`, element part.begin starts a run whatever is before it. All
  // lanes call this, and get the sums over the whole segment, with elements
  // counted from the segment's first.
  __device__ __forceinline__ uint64_t Find(const Vector<Word>* segment,
                                           Word before, SegmentPart part,
                                           bool is_first) {
    constexpr int kLanes = Vector<Word>::kLanes;
    const int lane = LaneId();
#pragma unroll
    for (int i = 0; i < kSegmentVectors; ++i) {
      const Vector<Word> vector = segment[i * kWarpSize + lane];
      const Word last = vector.lane(kLanes - 1);
      const Word previous = ShuffleUp(last, 1);
      bits[i] = VectorStarts(vector, lane == 0 ? before : previous);
      before = ShuffleFrom(last, kWarpSize - 1);
    }
    if (is_first || !part.IsWhole<Word>()) {
#pragma unroll
      for (int i = 0; i < kSegmentVectors; ++i) {
        const int first = (i * kWarpSize + lane) * kLanes;
        if (is_first && part.begin >= first && part.begin < first + kLanes) {
          bits[i] |= 1u << (part.begin - first);
        }
        bits[i] &= part.Bits(first, kLanes);
      }
    }
    uint32_t count = 0;
    uint32_t end = 0;
#pragma unroll
    for (int i = 0; i < kSegmentVectors; ++i) {
      count += __popc(bits[i]);
      if (bits[i] != 0) {
        end = (i * kWarpSize + lane) * kLanes + 32 - __clz(bits[i]);
      }
    }
    return WarpReduce<RunSums>(RunSums::Make(count, end));
  }
};

// Room for the positions of the starts in as many steps as are written at once.
inline constexpr int kPositions = 512;
template <typename Word>
inline constexpr int kStepsOfRound =
    kPositions / kStepElements<Word> < kSegmentVectors
        ? kPositions / kStepElements<Word>
        : kSegmentVectors;

// Where the runs of a segment go.
template <typename Word, typename Length>
struct RunOutputs {
  Word* values;
  Length* lengths;
};

// Everything before a segment: so many runs have started, the last of them at
// this element of the array.
struct RunsBefore {
  int64_t count;
  int64_t start;
};

// Puts the positions of the starts in steps [step, step + kStepsOfRound) side
// by side; returns how many there are.
template <typename Word>
__device__ __forceinline__ int GatherPositions(const RunStarts<Word>& starts,
                                               int step, uint16_t* positions) {
  constexpr int kSteps = kStepsOfRound<Word>;
  constexpr int kLanes = Vector<Word>::kLanes;
  // The counts of all steps share a word; a step of several has at most 128.
  constexpr int kBits = 32 / kSteps;
  constexpr uint32_t kMask = kSteps == 1 ? ~0u : (1u << (kBits % 32)) - 1;
  uint32_t counts = 0;
#pragma unroll
  for (int i = 0; i < kSteps; ++i) {
    counts |= static_cast<uint32_t>(__popc(starts.bits[step + i]))
              << (kBits * i % 32);
  }
  if (__all_sync(kWholeWarp, counts == 0)) return 0;
  uint32_t scanned[1] = {counts};
  WarpInclusiveScan<Add<uint32_t>>(scanned);
  const uint32_t before = scanned[0] - counts;
  const uint32_t totals = ShuffleFrom(scanned[0], kWarpSize - 1);
  int total = 0;
#pragma unroll
  for (int i = 0; i < kSteps; ++i) {
    uint16_t* next = positions + total + (before >> (kBits * i % 32) & kMask);
    const int first = ((step + i) * kWarpSize + LaneId()) * kLanes;
#pragma unroll
    for (int k = 0; k < kLanes; ++k) {
      if ((starts.bits[step + i] >> k & 1) != 0) {
        *next++ = static_cast<uint16_t>(first + k);
      }
    }
    total += static_cast<int>(totals >> (kBits * i % 32) & kMask);
  }
  return total;
}

// Writes the values of the runs that start in the segment, and the lengths of
// those before each of them. `first` is the number of its first element in the
// array. `positions` has room for kPositions. The whole warp calls it.
template <typename Word, typename Length>
__device__ __forceinline__ void WriteRuns(const RunStarts<Word>& starts,
                                          const Vector<Word>* segment,
                                          int64_t first, RunsBefore before,
                                          const RunOutputs<Word, Length>& out,
                                          uint16_t* positions) {
  const Word* const elements = reinterpret_cast<const Word*>(segment);
#pragma unroll
  for (int step = 0; step < kSegmentVectors; step += kStepsOfRound<Word>) {
    const int total = GatherPositions(starts, step, positions);
    if (total == 0) continue;
    __syncwarp();
    for (int r = LaneId(); r < total; r += kWarpSize) {
      const int position = positions[r];
      const int64_t run = before.count + r;
      const int64_t start = first + position;
      const int64_t last = r > 0 ? first + positions[r - 1] : before.start;
      out.values[run] = elements[position];
      if (run > 0) out.lengths[run - 1] = static_cast<Length>(start - last);
    }
    before = {before.count + total, first + positions[total - 1]};
    __syncwarp();
  }
}

}  // namespace concord

#endif  // CONCORD_ALGORITHMS_RUN_LENGTH_ENCODE_RUN_LENGTH_ENCODE_CUDA_SEGMENT_CUH_
