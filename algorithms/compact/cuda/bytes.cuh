// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The part of segment.cuh that is about bytes: four of them are tested, packed
// and moved at a time.

#ifndef CONCORD_ALGORITHMS_COMPACT_CUDA_BYTES_CUH_
#define CONCORD_ALGORITHMS_COMPACT_CUDA_BYTES_CUH_

#include <cstdint>

#include "concord/algorithms/compact/predicate.h"
#include "concord/backends/cuda/vector.cuh"
#include "concord/backends/cuda/warp.cuh"
#include "concord/core/operators.h"

namespace concord::compact {

// The vectors of a lane, and the bytes of a segment.
inline constexpr int kSegmentVectors = 4;
inline constexpr int kSegmentBytes = kWarpSize * kSegmentVectors * kVectorBytes;

// The elements [begin, end) of a segment are there; the others, before the
// first or after the last of the array, are neither kept nor rejected.
struct SegmentPart {
  int begin;
  int end;

  // Of the segment that starts with element `first`.
  template <typename Word>
  __device__ __forceinline__ static SegmentPart Of(Span<const Word> in,
                                                   int64_t first) {
    constexpr int64_t kElements = kSegmentBytes / sizeof(Word);
    // Nearly always, and worth a test that is shorter than what follows.
    if (first >= in.begin && first + kElements <= in.end) {
      return {0, static_cast<int>(kElements)};
    }
    const auto place = [&](int64_t element) {
      return static_cast<int>(min(max(element - first, int64_t{0}), kElements));
    };
    return {place(in.begin), place(in.end)};
  }

  __device__ __forceinline__ int size() const { return end - begin; }

  template <typename Word>
  __device__ __forceinline__ bool IsWhole() const {
    return begin == 0 && end == kSegmentBytes / static_cast<int>(sizeof(Word));
  }
  // One bit for each element of a vector of the segment.
  template <typename Word>
  __device__ __forceinline__ uint32_t PresentBits(int vector) const {
    constexpr int kLanes = Vector<Word>::kLanes;
    const int first = min(max(begin - vector * kLanes, 0), kLanes);
    const int last = min(max(end - vector * kLanes, first), kLanes);
    return (1u << last) - (1u << first);
  }
};

// A KeptRange for the four bytes of a word at once, in ordinary arithmetic.
// Carries must not pass from byte to byte, so sums are of the low seven bits,
// and the eighth joins by logic: with c = 0x80 - (c & 0x7f) added to a byte's
// low bits, the top bit says whether those are at least c's, and x >= c is
// "top bit of x or of the sum" where c < 0x80 and "and" otherwise: the majority
// of both and of whether c < 0x80.
struct ByteTest {
  uint32_t low_sum;    // what turns the low bits into "at least low"
  uint32_t high_sum;   // "more than high"
  uint32_t low_small;  // top bits set where the bound is less than 0x80
  uint32_t high_small;
  uint32_t value;     // the one byte of a range of one
  uint32_t inverted;  // top bits set where what is in the range goes
  bool is_single;

  static ByteTest Of(KeptRange<uint8_t> keep) {
    uint32_t low = keep.low;
    uint32_t high = (keep.low + keep.span) & 0xffu;
    bool inverted = keep.inverted;
    if (keep.span == 0xff) {
      low = 0;
      high = 0xff;
    } else if (low > high) {
      // A range that wraps is the inverse of one that does not.
      const uint32_t begin = high + 1;
      high = low - 1;
      low = begin;
      inverted = !inverted;
    }
    const auto splat = [](uint32_t byte) { return byte * 0x01010101u; };
    ByteTest test;
    test.low_sum = splat(0x80 - (low & 0x7f));
    test.high_sum = splat(0x7f - (high & 0x7f));
    test.low_small = splat(low < 0x80 ? 0x80 : 0);
    test.high_small = splat(high < 0x80 ? 0x80 : 0);
    test.value = splat(low);
    test.inverted = splat(inverted ? 0x80 : 0);
    test.is_single = low == high;
    return test;
  }

  // 0x80 in each byte that is kept, otherwise 0. For a range of one byte, such
  // as zero, half of the work will do.
  __device__ __forceinline__ uint32_t MarksOfSingle(uint32_t word) const {
    const uint32_t other = word ^ value;
    const uint32_t differs = ((other & 0x7f7f7f7fu) + 0x7f7f7f7fu) | other;
    return (~differs ^ inverted) & 0x80808080u;
  }
  __device__ __forceinline__ uint32_t MarksOfRange(uint32_t word) const {
    const uint32_t low_bits = word & 0x7f7f7f7fu;
    const uint32_t from = Majority(word, low_bits + low_sum, low_small);
    const uint32_t past = Majority(word, low_bits + high_sum, high_small);
    return ((from & ~past) ^ inverted) & 0x80808080u;
  }

 private:
  __device__ __forceinline__ static uint32_t Majority(uint32_t a, uint32_t b,
                                                      uint32_t c) {
    return (a & b) | (a & c) | (b & c);
  }
};

// For each set of bytes of a word, how to move them to its low end (a selector
// of the byte permutation, zeros above) and how many bits they are.
struct PackTable {
  uint2 rows[16];

  // Called by the first 16 threads of a block, before a barrier.
  __device__ __forceinline__ void Fill(uint32_t set) {
    uint32_t selector = 0;
    uint32_t count = 0;
    for (uint32_t byte = 0; byte < 4; ++byte) {
      if ((set >> byte & 1) != 0) selector |= byte << (4 * count++);
    }
    for (uint32_t i = count; i < 4; ++i) selector |= 4u << (4 * i);
    rows[set] = make_uint2(selector, 8 * count);
  }

  // `marks` has 0x80 in the bytes of the set. The product gathers the four top
  // bits in the upper end of the word, below which it has three zeros.
  __device__ __forceinline__ uint2 Row(uint32_t marks) const {
    static_assert(sizeof(uint2) == 8);
    const uint32_t offset = marks * 0x00204081u >> 25;
    return *reinterpret_cast<const uint2*>(reinterpret_cast<const char*>(rows) +
                                           offset);
  }
};

// The words of a lane: 64 adjacent bytes of the segment.
inline constexpr int kLaneWords = kSegmentVectors * 4;

// Stores `value` to shared memory and moves on where change > 31, without a
// branch.
__device__ __forceinline__ void StoreIfAbove31(uint32_t change, uint32_t value,
                                               uint32_t& to) {
  asm volatile(
      "{\n\t"
      ".reg .pred full;\n\t"
      "setp.gt.u32 full, %1, 31;\n\t"
      "@full st.shared.u32 [%0], %2;\n\t"
      "@full add.u32 %0, %0, 4;\n\t"
      "}"
      : "+r"(to)
      : "r"(change), "r"(value)
      : "memory");
}

// Appends the marked bytes of all lanes, in order, at byte `start` of the
// segment, and returns how many there are. The segment has been read. `rest` is
// what else belongs into the word at `start`, for lane 0 to put there.
__device__ __forceinline__ uint32_t PackMarked(
    const uint32_t (&words)[kLaneWords], const uint32_t (&marks)[kLaneWords],
    const PackTable& table, uint32_t* segment, uint32_t start, uint32_t rest) {
  uint32_t packed[kLaneWords];
  uint32_t bits[kLaneWords];
  uint32_t sum = 0;
#pragma unroll
  for (int i = 0; i < kLaneWords; ++i) {
    const uint2 row = table.Row(marks[i]);
    packed[i] = __byte_perm(words[i], 0, row.x);
    bits[i] = row.y;
    sum += row.y;
  }
  uint32_t scanned[1] = {sum};
  WarpInclusiveScan<Add<uint32_t>>(scanned);
  const uint32_t total = ShuffleFrom(scanned[0], kWarpSize - 1) / 8;
  __syncwarp();

  // The last four bytes so far stand in `last`, the newest on top; those that
  // are not stored yet are the (position % 32) bits on top.
  uint32_t position = scanned[0] - sum + 8 * start;
  uint32_t last = 0;
  uint32_t next =
      static_cast<uint32_t>(__cvta_generic_to_shared(segment + position / 32));
#pragma unroll
  for (int i = 0; i < kLaneWords; ++i) {
    const uint32_t full = __funnelshift_l(last, packed[i], position);
    last = __funnelshift_rc(last, packed[i], bits[i]);
    const uint32_t moved = position + bits[i];
    StoreIfAbove31(moved ^ position, full, next);
    position = moved;
  }
  // The word in which a lane ends is stored by a later lane, which has filled
  // it, or by the last; then the others add their bytes.
  const uint32_t open = position % 32;
  const uint32_t tail = open == 0 ? 0 : last >> (32 - open);
  const bool is_last = LaneId() == kWarpSize - 1;
  uint32_t* const end = static_cast<uint32_t*>(__cvta_shared_to_generic(next));
  if (is_last && open != 0) *end = tail;
  __syncwarp();
  if (!is_last && tail != 0) atomicOr(end, tail);
  if (rest != 0 && LaneId() == 0) atomicOr(segment + start / 4, rest);
  __syncwarp();
  return total;
}

// CompactSegment for bytes.
template <bool kPartition>
__device__ __forceinline__ uint32_t CompactSegment(const ByteTest& keep,
                                                   SegmentPart part,
                                                   const PackTable& table,
                                                   Vector<uint8_t>* segment,
                                                   uint16_t* bits_out) {
  // Lane by lane, vectors are 64 bytes apart: they are read in another order by
  // every second lane, which spares conflicts of memory banks.
  const int lane = LaneId();
  const int turn = lane / 2 % kSegmentVectors;
  Vector<uint8_t> turned[kSegmentVectors];
#pragma unroll
  for (int i = 0; i < kSegmentVectors; ++i) {
    turned[i] = segment[lane * kSegmentVectors + (i + turn) % kSegmentVectors];
  }
  uint32_t words[kLaneWords];
#pragma unroll
  for (int i = 0; i < kSegmentVectors; ++i) {
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      // Vector i is turned[(i - turn) % 4].
      const uint32_t even =
          (turn & 1) != 0 ? turned[(i + 3) % 4].word[k] : turned[i].word[k];
      const uint32_t odd = (turn & 1) != 0 ? turned[(i + 1) % 4].word[k]
                                           : turned[(i + 2) % 4].word[k];
      words[4 * i + k] = (turn & 2) != 0 ? odd : even;
    }
  }
  uint32_t marks[kLaneWords];
  if (keep.is_single) {
#pragma unroll
    for (int i = 0; i < kLaneWords; ++i)
      marks[i] = keep.MarksOfSingle(words[i]);
  } else {
#pragma unroll
    for (int i = 0; i < kLaneWords; ++i) marks[i] = keep.MarksOfRange(words[i]);
  }
  uint32_t present[kLaneWords];
#pragma unroll
  for (int i = 0; i < kLaneWords; ++i) present[i] = 0x80808080u;
  if (!part.IsWhole<uint8_t>()) {
#pragma unroll
    for (int i = 0; i < kSegmentVectors; ++i) {
      const uint32_t bits =
          part.PresentBits<uint8_t>(lane * kSegmentVectors + i);
#pragma unroll
      for (int k = 0; k < 4; ++k) {
        // Four bits to the top bits of four bytes.
        present[4 * i + k] =
            ((bits >> (4 * k) & 0xf) * 0x00204081u & 0x01010101u) << 7;
        marks[4 * i + k] &= present[4 * i + k];
      }
    }
  }
  if (bits_out != nullptr) {
#pragma unroll
    for (int i = 0; i < kSegmentVectors; ++i) {
      uint32_t bits = 0;
#pragma unroll
      for (int k = 0; k < 4; ++k) {
        bits |= (marks[4 * i + k] * 0x00204081u >> 28) << (4 * k);
      }
      bits_out[lane * kSegmentVectors + i] = static_cast<uint16_t>(bits);
    }
  }
  uint32_t* const to = reinterpret_cast<uint32_t*>(segment);
  const uint32_t kept =
      PackMarked(words, marks, table, to, /*start=*/0, /*rest=*/0);
  if constexpr (kPartition) {
#pragma unroll
    for (int i = 0; i < kLaneWords; ++i) marks[i] ^= present[i];
    // The bytes kept in the word that both have a part in.
    const uint32_t rest = kept % 4 == 0 ? 0 : to[kept / 4];
    PackMarked(words, marks, table, to, kept, rest);
  }
  return kept;
}

}  // namespace concord::compact

#endif  // CONCORD_ALGORITHMS_COMPACT_CUDA_BYTES_CUH_
