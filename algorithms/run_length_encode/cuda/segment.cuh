// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The runs that start in a segment: elements in shared memory that belong to
// one warp, kVectors vectors of each lane (2 KiB where nothing else is said).
// It looks at the segment twice. At first it finds where runs start, a bit for
// each element, and sums that up, which is all that other segments need to
// know. Later, when it is known how many runs start before the segment and
// where the last of them does, the warp writes its runs: the positions of the
// starts, put side by side in shared memory, make neighbours in the outputs of
// neighbouring lanes. The length of a run is known where the next one starts,
// and written there.

#ifndef CONCORD_ALGORITHMS_RUN_LENGTH_ENCODE_CUDA_SEGMENT_CUH_
#define CONCORD_ALGORITHMS_RUN_LENGTH_ENCODE_CUDA_SEGMENT_CUH_

#include <cstdint>
#include <type_traits>

#include "concord/backends/cuda/store_if.cuh"
#include "concord/backends/cuda/vector.cuh"
#include "concord/backends/cuda/warp.cuh"
#include "concord/core/operators.h"

namespace concord::run_length_encode {

// Of a lane. Step i of the warp covers 512 bytes, vector i of each lane.
inline constexpr int kSegmentVectors = 4;
inline constexpr int kStepBytes = kWarpSize * kVectorBytes;

template <typename Word>
inline constexpr int kStepElements = kWarpSize* Vector<Word>::kLanes;
template <typename Word, int kVectors = kSegmentVectors>
inline constexpr int kSegmentElements = kVectors* kStepElements<Word>;

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

// The sums over the lanes of a warp, each with a count and its last start.
__device__ __forceinline__ uint64_t SumsOfLanes(uint32_t count, uint32_t last) {
#if __CUDA_ARCH__ >= 800
  return RunSums::Make(__reduce_add_sync(kWholeWarp, count),
                       __reduce_max_sync(kWholeWarp, last));
#else
  return WarpReduce<RunSums>(RunSums::Make(count, last));
#endif
}

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

// The end of a vector, with its last element on top: 8 bytes for elements of
// that size, otherwise 4.
template <typename Word>
using VectorTail = std::conditional_t<sizeof(Word) == 8, uint64_t, uint32_t>;

template <typename Word>
__device__ __forceinline__ VectorTail<Word> TailOf(const Vector<Word>& vector) {
  if constexpr (sizeof(Word) == 8) {
    return vector.lane(1);
  } else {
    return vector.word[3];
  }
}

// One that ends with this element.
template <typename Word>
__device__ __forceinline__ VectorTail<Word> TailWith(Word last) {
  return VectorTail<Word>{last}
         << 8 * (sizeof(VectorTail<Word>) - sizeof(Word));
}

// Bit k: whether lane k of the vector differs from the element before it, which
// is on top of `before`.
template <typename Word>
__device__ __forceinline__ uint32_t VectorStarts(const Vector<Word>& vector,
                                                 VectorTail<Word> before) {
  uint32_t bits = 0;
  if constexpr (sizeof(Word) == 1) {
#pragma unroll
    for (int w = 0; w < Vector<Word>::kWords; ++w) {
      bits |= ByteStarts(vector.word[w], before) << (4 * w);
      before = vector.word[w];
    }
  } else {
#pragma unroll
    for (int k = 0; k < Vector<Word>::kLanes; ++k) {
      const Word word = vector.lane(k);
      bits |= word != before ? 1u << k : 0u;
      before = word;
    }
  }
  return bits;
}

// Which elements of a segment are in the array: [begin, end).
struct SegmentPart {
  int begin;
  int end;

  // Of the segment whose first element has this number in the array.
  template <int kVectors, typename Word>
  __device__ static SegmentPart Of(Span<const Word> in, int64_t first) {
    const auto place = [&](int64_t element) {
      return static_cast<int>(min(max(element - first, int64_t{0}),
                                  int64_t{kSegmentElements<Word, kVectors>}));
    };
    return {place(in.begin), place(in.end)};
  }

  // Of the `count` elements from `first` on, a bit for each.
  __device__ uint32_t Bits(int first, int count) const {
    const int from = min(max(begin - first, 0), count);
    const int to = min(max(end - first, 0), count);
    return to > from ? ((1u << (to - from)) - 1) << from : 0;
  }
};

// The runs that start in a segment, as a lane keeps them.
template <typename Word, int kVectors = kSegmentVectors>
class RunStarts {
 public:
  static constexpr int kLanes = Vector<Word>::kLanes;
  // Bit k of part i of kLanes bits: whether one starts at lane k of this lane's
  // vector i.
  using Bits = std::conditional_t<sizeof(Word) == 1, uint64_t, uint32_t>;

  RunStarts() = default;
  __device__ explicit RunStarts(Bits bits) : bits_(bits) {}

  // Finds them in the segment whose first element is number `first` of the
  // array and comes after the one on top of `before`. The whole warp calls it.
  __device__ __forceinline__ static RunStarts Find(Span<const Word> in,
                                                   const Vector<Word>* segment,
                                                   int64_t first,
                                                   VectorTail<Word> before) {
    const int lane = LaneId();
    Vector<Word> vectors[kVectors];
#pragma unroll
    for (int i = 0; i < kVectors; ++i) {
      vectors[i] = segment[i * kWarpSize + lane];
    }
    Bits bits = 0;
#pragma unroll
    for (int i = 0; i < kVectors; ++i) {
      // Lane 0 gets that of the last lane, which is what it needs next.
      const VectorTail<Word> previous =
          ShuffleFrom(TailOf(vectors[i]), (lane + kWarpSize - 1) % kWarpSize);
      bits |= Bits{VectorStarts(vectors[i], lane == 0 ? before : previous)}
              << (kLanes * i);
      before = previous;
    }
    // Of nearly all segments.
    const bool is_inside =
        first > in.begin && first + kSegmentElements<Word, kVectors> <= in.end;
    return RunStarts(is_inside ? bits : OfPart(bits, in, first));
  }

  __device__ Bits bits() const { return bits_; }
  // Of vector i.
  __device__ __forceinline__ uint32_t OfVector(int i) const {
    return static_cast<uint32_t>(bits_ >> (kLanes * i)) & kVectorMask;
  }

  // What the whole segment amounts to, with elements counted from its first.
  // All lanes call this together, and get the same.
  __device__ __forceinline__ uint64_t Sums() const {
    uint32_t count;
    uint32_t top;
    if constexpr (sizeof(Bits) == 8) {
      count = __popcll(bits_);
      top = 63 - __clzll(bits_);
    } else {
      count = __popc(bits_);
      top = 31 - __clz(bits_);
    }
    const uint32_t element =
        (top / kLanes * kWarpSize + LaneId()) * kLanes + top % kLanes;
    return SumsOfLanes(count, bits_ == 0 ? 0 : element + 1);
  }

 private:
  static constexpr uint32_t kVectorMask = (1u << kLanes) - 1;

  // For a segment that reaches beyond the array, or starts it: its first
  // element starts a run, whatever stands before it.
  __device__ __noinline__ static Bits OfPart(Bits bits, Span<const Word> in,
                                             int64_t first) {
    const SegmentPart part = SegmentPart::Of<kVectors>(in, first);
    const bool has_begin = first <= in.begin &&
                           in.begin < first + kSegmentElements<Word, kVectors>;
#pragma unroll 1
    for (int i = 0; i < kVectors; ++i) {
      const int vector = (i * kWarpSize + LaneId()) * kLanes;
      const int k = part.begin - vector;
      if (has_begin && k >= 0 && k < kLanes) {
        bits |= Bits{1} << (kLanes * i + k);
      }
      const uint32_t outside = kVectorMask & ~part.Bits(vector, kLanes);
      bits &= ~(Bits{outside} << (kLanes * i));
    }
    return bits;
  }

  Bits bits_;
};

// Room for the positions of the starts in as many steps as are written at once.
inline constexpr int kPositions = 512;
template <typename Word, int kVectors>
inline constexpr int kStepsOfRound = kPositions / kStepElements<Word> < kVectors
                                         ? kPositions / kStepElements<Word>
                                         : kVectors;

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
template <typename Word, int kVectors>
__device__ __forceinline__ int GatherPositions(RunStarts<Word, kVectors> starts,
                                               int step, uint16_t* positions) {
  constexpr int kSteps = kStepsOfRound<Word, kVectors>;
  constexpr int kLanes = Vector<Word>::kLanes;
  // The counts of all steps share a word; a step of several has at most 128.
  constexpr int kBits = 32 / kSteps;
  constexpr uint32_t kMask = kSteps == 1 ? ~0u : (1u << (kBits % 32)) - 1;
  uint32_t counts = 0;
#pragma unroll
  for (int i = 0; i < kSteps; ++i) {
    counts |= static_cast<uint32_t>(__popc(starts.OfVector(step + i)))
              << (kBits * i % 32);
  }
  if (__all_sync(kWholeWarp, counts == 0)) return 0;
  uint32_t scanned[1] = {counts};
  WarpInclusiveScan<Add<uint32_t>>(scanned);
  const uint32_t before = scanned[0] - counts;
  const uint32_t totals = ShuffleFrom(scanned[0], kWarpSize - 1);
  const auto base = static_cast<uint32_t>(__cvta_generic_to_shared(positions));
  int total = 0;
#pragma unroll
  for (int i = 0; i < kSteps; ++i) {
    uint32_t next = base + (total + (before >> (kBits * i % 32) & kMask)) *
                               sizeof(uint16_t);
    const uint32_t bits = starts.OfVector(step + i);
    const uint32_t first = ((step + i) * kWarpSize + LaneId()) * kLanes;
    ForEachLane<Word>(
        [&](auto k) { StoreHalfIfSet<1u << k()>(bits, first + k(), next); });
    total += static_cast<int>(totals >> (kBits * i % 32) & kMask);
  }
  return total;
}

// Writes `total` runs that start at these positions of the segment, and the
// length of the run before them, but not that of the last. `first` is the
// number of the segment's first element in the array. The whole warp calls it.
// kBatch times 32 are read before the first is written.
template <int kBatch, typename Word, typename Length>
__device__ __forceinline__ void WriteRound(
    const Word* elements, int64_t first, const uint16_t* positions, int total,
    RunsBefore before, const RunOutputs<Word, Length>& out) {
  if (LaneId() == 0 && before.count > 0) {
    out.lengths[before.count - 1] =
        static_cast<Length>(first + positions[0] - before.start);
  }
  Word* const values = out.values + before.count;
  Length* const lengths = out.lengths + before.count;
  // A lane's first run is such that later ones fill lines of 32 elements.
  const auto place = reinterpret_cast<uintptr_t>(values) / sizeof(Word);
  const int skipped = static_cast<int>(place % kWarpSize);
#pragma unroll 1
  for (int r = LaneId() - skipped; r < total; r += kBatch * kWarpSize) {
    Word value[kBatch];
    int length[kBatch];
#pragma unroll
    for (int k = 0; k < kBatch; ++k) {
      const int i = r + k * kWarpSize;
      if (i < 0 || i >= total) continue;
      const int position = positions[i];
      value[k] = elements[position];
      length[k] = i + 1 < total ? positions[i + 1] - position : 0;
    }
#pragma unroll
    for (int k = 0; k < kBatch; ++k) {
      const int i = r + k * kWarpSize;
      if (i < 0 || i >= total) continue;
      values[i] = value[k];
      if (i + 1 < total) lengths[i] = static_cast<Length>(length[k]);
    }
  }
}

// Writes the values of the runs that start in the segment, and the lengths of
// those before each of them. `positions` has room for kPositions. The whole
// warp calls it.
template <int kBatch, typename Word, int kVectors, typename Length>
__device__ __forceinline__ void WriteRuns(RunStarts<Word, kVectors> starts,
                                          const Vector<Word>* segment,
                                          int64_t first, RunsBefore before,
                                          const RunOutputs<Word, Length>& out,
                                          uint16_t* positions) {
#pragma unroll
  for (int step = 0; step < kVectors; step += kStepsOfRound<Word, kVectors>) {
    const int total = GatherPositions(starts, step, positions);
    if (total == 0) continue;
    __syncwarp();
    WriteRound<kBatch>(reinterpret_cast<const Word*>(segment), first, positions,
                       total, before, out);
    before = {before.count + total, first + positions[total - 1]};
    __syncwarp();
  }
}

}  // namespace concord::run_length_encode

#endif  // CONCORD_ALGORITHMS_RUN_LENGTH_ENCODE_CUDA_SEGMENT_CUH_
