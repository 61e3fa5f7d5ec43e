// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Compaction of a segment: 2 KiB of elements in shared memory that belong to
// one warp, compacted where they stand. The warp loads the segment into
// registers, four vectors a lane, and writes the elements to keep to its front;
// the others go behind them, in order, where they are asked for.
//
//   4- and 8-byte elements
//       Each step of 32 vectors keeps at most 128 elements, so the counts of
//       the four steps share a word, one scan over the lanes ranks them all,
//       and every element to keep is one predicated store.
//   bytes (bytes.cuh)
//       A lane owns 64 adjacent bytes and pushes those to keep, four at a time,
//       through a word that is stored when full.

#ifndef CONCORD_ALGORITHMS_COMPACT_CUDA_SEGMENT_CUH_
#define CONCORD_ALGORITHMS_COMPACT_CUDA_SEGMENT_CUH_

#include <cstdint>

#include "concord/algorithms/compact/cuda/bytes.cuh"
#include "concord/algorithms/compact/predicate.h"
#include "concord/backends/cuda/store_if.cuh"
#include "concord/backends/cuda/vector.cuh"
#include "concord/backends/cuda/warp.cuh"
#include "concord/core/operators.h"

namespace concord::compact {

template <typename Word>
inline constexpr int kSegmentElements = kSegmentBytes / sizeof(Word);

// Which elements are kept, a half-word for each vector.
inline constexpr int kSegmentBitsBytes =
    kSegmentBytes / kVectorBytes * sizeof(uint16_t);

// Lines that CopyOut has on their way for a segment. (2^28 elements with 4, 6,
// 9 and 17: int32, 75 % kept, 466, 465, 462 and 463 us; int8, 10 % kept, 136,
// 137, 140 and 147 us.)
inline constexpr int kSegmentBatch = 9;

// The test for elements to keep, as device code wants it.
template <typename Word>
KeptRange<Word> DeviceTest(const KeptRange<Word>& keep) {
  return keep;
}
inline ByteTest DeviceTest(const KeptRange<std::uint8_t>& keep) {
  return ByteTest::Of(keep);
}
template <typename Word>
using DeviceTestOf = decltype(DeviceTest(KeptRange<Word>()));

// Sets the bits of `mask` in `bits` where offset <= span: one comparison and
// one predicated instruction, of which compilers make more.
template <uint32_t mask>
__device__ __forceinline__ void SetBitsUpTo(uint32_t offset, uint32_t span,
                                            uint32_t& bits) {
  asm("{\n\t"
      ".reg .pred inside;\n\t"
      "setp.le.u32 inside, %1, %2;\n\t"
      "@inside or.b32 %0, %0, %3;\n\t"
      "}"
      : "+r"(bits)
      : "r"(offset), "r"(span), "n"(mask));
}
template <uint32_t mask>
__device__ __forceinline__ void SetBitsUpTo(uint64_t offset, uint64_t span,
                                            uint32_t& bits) {
  asm("{\n\t"
      ".reg .pred inside;\n\t"
      "setp.le.u64 inside, %1, %2;\n\t"
      "@inside or.b32 %0, %0, %3;\n\t"
      "}"
      : "+r"(bits)
      : "l"(offset), "l"(span), "n"(mask));
}

// Bit k of bits[i] becomes whether lane k of vector i is kept. `OffsetOf(x)` is
// how far element x lies behind the beginning of the range.
template <typename Word, typename F>
__device__ __forceinline__ void TestVectors(
    const KeptRange<Word>& keep, const Vector<Word> (&vectors)[kSegmentVectors],
    uint32_t (&bits)[kSegmentVectors], F&& OffsetOf) {
  constexpr uint32_t kAll = (1u << Vector<Word>::kLanes) - 1;
#pragma unroll
  for (int i = 0; i < kSegmentVectors; ++i) {
    bits[i] = 0;
    ForEachLane<Word>([&](auto k) {
      SetBitsUpTo<1u << k()>(OffsetOf(vectors[i].lane(k())), keep.span,
                             bits[i]);
    });
    bits[i] ^= keep.inverted ? kAll : 0;
  }
}
template <typename Word>
__device__ __forceinline__ void TestVectors(
    const KeptRange<Word>& keep, const Vector<Word> (&vectors)[kSegmentVectors],
    uint32_t (&bits)[kSegmentVectors]) {
  // Where nothing is to be flipped two operations are spared.
  if (keep.flip == 0) {
    TestVectors(keep, vectors, bits, [&](Word x) { return x - keep.low; });
  } else {
    TestVectors(keep, vectors, bits,
                [&](Word x) { return keep.Ordered(x) - keep.low; });
  }
}

// Four counts of up to 255 in one word, for all lanes of the warp at once.
struct StepCounts {
  uint32_t before;  // of the lanes before this one, a byte for each step
  uint32_t totals;  // of all lanes

  __device__ __forceinline__ static StepCounts Of(
      const uint32_t (&bits)[kSegmentVectors]) {
    uint32_t counts = 0;
#pragma unroll
    for (int i = 0; i < kSegmentVectors; ++i) {
      counts |= static_cast<uint32_t>(__popc(bits[i])) << (8 * i);
    }
    uint32_t scanned[1] = {counts};
    WarpInclusiveScan<Add<uint32_t>>(scanned);
    return {scanned[0] - counts, ShuffleFrom(scanned[0], kWarpSize - 1)};
  }

  __device__ __forceinline__ uint32_t total() const {
    return __dp4a(totals, 0x01010101u, 0u);
  }
};

// Stores the marked elements one after the other, from `to` on.
template <typename Word>
__device__ __forceinline__ void StoreMarked(
    const Vector<Word> (&vectors)[kSegmentVectors],
    const uint32_t (&bits)[kSegmentVectors], const StepCounts& counts,
    Word* to) {
  uint32_t step = static_cast<uint32_t>(__cvta_generic_to_shared(to));
#pragma unroll
  for (int i = 0; i < kSegmentVectors; ++i) {
    uint32_t next = step + (counts.before >> (8 * i) & 0xff) * sizeof(Word);
    ForEachLane<Word>([&](auto k) {
      StoreIfSet<1u << k()>(bits[i], vectors[i].lane(k()), next);
    });
    step += (counts.totals >> (8 * i) & 0xff) * sizeof(Word);
  }
}

// Compacts the elements [part.begin, part.end) of a segment to its front and
// returns how many are kept. With kPartition the others follow them. Where
// `bits_out` is not null, bit k of bits_out[v] becomes whether element k of
// vector v is kept. All lanes of the warp call this together; what they wrote
// to the segment before, they must have made visible to each other.
template <bool kPartition, typename Word>
__device__ __forceinline__ uint32_t CompactSegment(const KeptRange<Word>& keep,
                                                   SegmentPart part,
                                                   Vector<Word>* segment,
                                                   uint16_t* bits_out) {
  Vector<Word> vectors[kSegmentVectors];
  uint32_t bits[kSegmentVectors];
  uint32_t rejected[kSegmentVectors];
  constexpr uint32_t kAll = (1u << Vector<Word>::kLanes) - 1;
#pragma unroll
  for (int i = 0; i < kSegmentVectors; ++i) {
    vectors[i] = segment[i * kWarpSize + LaneId()];
  }
  TestVectors(keep, vectors, bits);
#pragma unroll
  for (int i = 0; i < kSegmentVectors; ++i) rejected[i] = bits[i] ^ kAll;
  if (!part.IsWhole<Word>()) {
#pragma unroll
    for (int i = 0; i < kSegmentVectors; ++i) {
      const uint32_t present = part.PresentBits<Word>(i * kWarpSize + LaneId());
      bits[i] &= present;
      rejected[i] &= present;
    }
  }
  if (bits_out != nullptr) {
#pragma unroll
    for (int i = 0; i < kSegmentVectors; ++i) {
      bits_out[i * kWarpSize + LaneId()] = static_cast<uint16_t>(bits[i]);
    }
  }
  const StepCounts counts = StepCounts::Of(bits);
  const uint32_t kept = counts.total();
  Word* const to = reinterpret_cast<Word*>(segment);
  __syncwarp();
  StoreMarked(vectors, bits, counts, to);
  if constexpr (kPartition) {
    StoreMarked(vectors, rejected, StepCounts::Of(rejected), to + kept);
  }
  __syncwarp();
  return kept;
}

// Writes where the kept elements of a segment stood, from the bits that
// CompactSegment left; element 0 of the segment has the index `first`.
template <typename Word>
__device__ __forceinline__ void WriteIndices(const uint16_t* bits,
                                             int64_t first, int64_t* to) {
  constexpr int kLanes = Vector<Word>::kLanes;
  const int lane = LaneId();
#pragma unroll 4
  for (int i = 0; i < kSegmentElements<Word>; i += kWarpSize) {
    const int element = i + lane;
    const bool is_kept =
        (bits[element / kLanes] >> (element % kLanes) & 1) != 0;
    const unsigned kept = __ballot_sync(kWholeWarp, is_kept);
    if (is_kept) to[__popc(kept & ((1u << lane) - 1))] = first + element;
    to += __popc(kept);
  }
}

}  // namespace concord::compact

#endif  // CONCORD_ALGORITHMS_COMPACT_CUDA_SEGMENT_CUH_
