// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Compaction in one pass over memory (Merrill and Garland's decoupled look-back
// over counts): each block takes a tile into shared memory, where its warps
// compact their segments in place; the block learns how many elements the tiles
// before it kept, and its warps copy their segments out, whole cache lines at a
// time. As in the scan, what limits it is how many bytes are in flight while
// tiles wait for their prefixes.

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>

#include "concord/algorithms/compact/compact.h"
#include "concord/algorithms/compact/cuda/run.cuh"
#include "concord/algorithms/compact/cuda/segment.cuh"
#include "concord/backends/cuda/async_copy.cuh"
#include "concord/backends/cuda/copy_out.cuh"
#include "concord/backends/cuda/lookback.cuh"
#include "concord/backends/cuda/tile_words.cuh"
#include "concord/backends/cuda/vector.cuh"
#include "concord/backends/cuda/warp.cuh"

namespace concord::compact {
namespace {

// Tiles of 32 KiB, five of which share a Hopper multiprocessor: 160 KiB in
// flight. Bytes need more registers than that leaves (2^28 of them took 226 us,
// with four blocks 183). Two fit the 64 KiB of the smallest GPUs that this is
// for.
constexpr int kWarps = 8;
constexpr int kThreads = kWarps * kWarpSize;
constexpr int kSegmentsOfWarp = 2;
constexpr int kSegments = kWarps * kSegmentsOfWarp;
constexpr int kTileBytes = kSegments * kSegmentBytes;
template <typename Word>
constexpr int kBlocks = sizeof(Word) == 1 ? 4 : 5;

template <typename Word>
constexpr int64_t kTileElements = kTileBytes / sizeof(Word);

// Where indices are asked for, which elements of a segment are kept is noted
// behind the tile: a half-word for each vector.
constexpr int kVectorsOfSegment = kSegmentBytes / kVectorBytes;
constexpr int kBitsBytes = kSegments * kSegmentBitsBytes;

// Brings a segment into shared memory; what is not there stays undefined.
template <typename Word>
__device__ __forceinline__ void FetchSegment(Span<const Word> in, int64_t first,
                                             Vector<Word>* segment) {
  if (in.HoldsVectors(first, kSegmentElements<Word>)) {
#pragma unroll
    for (int i = LaneId(); i < kVectorsOfSegment; i += kWarpSize) {
      CopyVectorAsync(&segment[i], in, first + i * Vector<Word>::kLanes);
    }
  } else {
#pragma unroll 1
    for (int i = LaneId(); i < kVectorsOfSegment; i += kWarpSize) {
      const int64_t element = first + i * Vector<Word>::kLanes;
      if (element >= in.end) break;
      segment[i] = LoadElements(in, element, Word{0});
    }
  }
}

// Publishes how many elements the tile keeps, and finds out how many the tiles
// before it do. A whole warp calls it.
__device__ __forceinline__ int64_t PrefixOfTile(TileTicket ticket,
                                                int64_t tile_kept,
                                                StatusWord* statuses) {
  Lookback<int64_t> lookback(statuses, ticket.epoch);
  int64_t prefix = 0;
  if (ticket.tile > 0) {
    if (LaneId() == 0) lookback.PublishAggregate(ticket.tile, tile_kept);
    prefix = lookback.ExclusivePrefix<Add<int64_t>>(ticket.tile);
  }
  if (LaneId() == 0) lookback.PublishPrefix(ticket.tile, prefix + tile_kept);
  return prefix;
}

template <bool kPartition, typename Word>
__global__ void __launch_bounds__(kThreads, kBlocks<Word>)
    CompactTiles(DeviceTestOf<Word> keep, Span<const Word> in,
                 CompactArrays<Word> to, uint32_t tiles,
                 unsigned long long* counter, StatusWord* statuses) {
  extern __shared__ uint4 tile_memory[];
  __shared__ TileTicket ticket;
  __shared__ PackTable table;
  __shared__ int warp_kept[kWarps];
  __shared__ int64_t tile_prefix;

  if (threadIdx.x == 0) ticket = DrawTile(counter, tiles);
  if (sizeof(Word) == 1 && threadIdx.x < 16) table.Fill(threadIdx.x);
  __syncthreads();
  const int segment = WarpId() * kSegmentsOfWarp;
  auto* const vectors = reinterpret_cast<Vector<Word>*>(tile_memory) +
                        segment * kVectorsOfSegment;
  uint16_t* bits = nullptr;
  if (to.indices != nullptr) {
    bits =
        reinterpret_cast<uint16_t*>(tile_memory + kTileBytes / sizeof(uint4)) +
        segment * kVectorsOfSegment;
  }
  int64_t first =
      ticket.tile * kTileElements<Word> + segment * kSegmentElements<Word>;
#pragma unroll
  for (int s = 0; s < kSegmentsOfWarp; ++s) {
    FetchSegment(in, first + s * kSegmentElements<Word>,
                 vectors + s * kVectorsOfSegment);
  }
  WaitForCopies();
  __syncwarp();

  int kept[kSegmentsOfWarp];
  int warp_total = 0;
#pragma unroll
  for (int s = 0; s < kSegmentsOfWarp; ++s) {
    const SegmentPart part =
        SegmentPart::Of(in, first + s * kSegmentElements<Word>);
    Vector<Word>* const at = vectors + s * kVectorsOfSegment;
    uint16_t* const bits_at =
        bits == nullptr ? nullptr : bits + s * kVectorsOfSegment;
    if constexpr (sizeof(Word) == 1) {
      kept[s] = CompactSegment<kPartition>(keep, part, table, at, bits_at);
    } else {
      kept[s] = CompactSegment<kPartition>(keep, part, at, bits_at);
    }
    warp_total += kept[s];
  }
  if (LaneId() == 0) warp_kept[WarpId()] = warp_total;
  __syncthreads();
  const int of_warp = LaneId() < kWarps ? warp_kept[LaneId()] : 0;
  if (WarpId() == 0) {
    const int tile_kept = WarpReduce<Add<int>>(of_warp);
    const int64_t prefix = PrefixOfTile(ticket, tile_kept, statuses);
    if (LaneId() == 0) {
      tile_prefix = prefix;
      if (ticket.tile == tiles - 1) SetCounts(to, prefix + tile_kept);
    }
  }
  int64_t before = WarpReduce<Add<int>>(LaneId() < WarpId() ? of_warp : 0);
  __syncthreads();
  before += tile_prefix;

#pragma unroll
  for (int s = 0; s < kSegmentsOfWarp; ++s) {
    const Word* const from =
        reinterpret_cast<const Word*>(vectors + s * kVectorsOfSegment);
    CopyOut<kSegmentBatch>(to.kept + before, from, kept[s]);
    if constexpr (kPartition) {
      const SegmentPart part = SegmentPart::Of(in, first);
      const int64_t passed = max(first, in.begin) - in.begin;
      CopyOut<kSegmentBatch>(to.rejected + (passed - before), from + kept[s],
                             part.size() - kept[s]);
    }
    if (bits != nullptr) {
      WriteIndices<Word>(bits + s * kVectorsOfSegment, first - in.begin,
                         to.indices + before);
    }
    before += kept[s];
    first += kSegmentElements<Word>;
  }
}

class CompactCuda : public CompactOnCuda<CompactCuda> {
 public:
  using CompactOnCuda::CompactOnCuda;

  template <typename Word>
  absl::Status Select(const KeptRange<Word>& keep,
                      const CompactArrays<Word>& arrays) {
    return arrays.rejected == nullptr ? Launch<false>(keep, arrays)
                                      : Launch<true>(keep, arrays);
  }

 private:
  template <bool kPartition, typename Word>
  absl::Status Launch(const KeptRange<Word>& keep,
                      const CompactArrays<Word>& arrays) {
    constexpr int64_t kTile = kTileElements<Word>;
    const int64_t shift = ElementsPastBoundary(arrays.in);
    // No elements are a tile as well: somebody has to write the counts.
    const int64_t tiles =
        std::max<int64_t>(DivideUp(arrays.size + shift, kTile), 1);
    absl::Status status = words_.Prepare<StatusWord>(tiles);
    if (!status.ok()) return status;
    const int shared =
        kTileBytes + (arrays.indices == nullptr ? 0 : kBitsBytes);
    return Queue(CompactTiles<kPartition, Word>, {tiles, kThreads, shared},
                 DeviceTest(keep), ShiftedSpan(arrays.in, arrays.size, shift),
                 arrays, static_cast<uint32_t>(tiles), words_.counter(),
                 words_.words<StatusWord>());
  }

  TileWords words_{backend()};
};

const bool kRegistered = RegisterOnCuda<CompactCuda>(
    "lookback", /*rank=*/10, "one pass with decoupled look-back over counts",
    CompactContract()
        .Keeps(kKeepsTileWords)
        .Boundaries({kTileElements<uint64_t>, kTileElements<uint32_t>,
                     kTileElements<uint8_t>}));

}  // namespace
}  // namespace concord::compact
