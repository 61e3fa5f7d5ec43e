// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Run-length encoding in one pass over memory (Merrill and Garland's decoupled
// look-back): each block takes a tile into shared memory, where its warps find
// the runs that start in their segments; the block learns how many runs start
// before the tile and where the last of them does, and its warps write theirs.
// As in the scan, what limits it is how many bytes are in flight while tiles
// wait for their prefixes.

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>

#include "concord/algorithms/run_length_encode/cuda/run.cuh"
#include "concord/algorithms/run_length_encode/cuda/segment.cuh"
#include "concord/algorithms/run_length_encode/run_length_encode.h"
#include "concord/backends/cuda/async_copy.cuh"
#include "concord/backends/cuda/dependent_launch.cuh"
#include "concord/backends/cuda/lookback.cuh"
#include "concord/backends/cuda/tile_words.cuh"
#include "concord/backends/cuda/vector.cuh"
#include "concord/backends/cuda/warp.cuh"

namespace concord::run_length_encode {
namespace {

// What a block does: kBlocksOnOne of them fit on a Hopper multiprocessor, a
// warp has so many segments, and a lane so many vectors of each.
template <int kWarpsOfBlock, int kSegmentsOfWarpIs, int kVectorsIs,
          int kBlocksOnOne>
struct Shape {
  static constexpr int kWarps = kWarpsOfBlock;
  static constexpr int kThreads = kWarps * kWarpSize;
  static constexpr int kSegmentsOfWarp = kSegmentsOfWarpIs;
  static constexpr int kSegments = kWarps * kSegmentsOfWarp;
  static constexpr int kVectors = kVectorsIs;
  static constexpr int kTileBytes = kSegments * kVectors * kStepBytes;
  static constexpr int kPositionBytes = kPositions * sizeof(uint16_t);
  static constexpr int kSharedBytes = kTileBytes + kWarps * kPositionBytes;
  static constexpr int kBlocks = kBlocksOnOne;
  template <typename Word>
  static constexpr int64_t kTileElements = kTileBytes / sizeof(Word);
};

// Tiles of 32 KiB, five of which share a multiprocessor: 160 KiB in flight.
using Large = Shape<8, 2, 4, 5>;
// For few bytes: what counts is how long a warp takes with its segments.
using Small = Shape<32, 1, 1, 1>;
using Medium = Shape<32, 1, 1, 2>;
constexpr int64_t kMediumBytes = int64_t{1} << 22;

// Lines of results that a warp has on their way.
constexpr int kBatch = 4;

// The array is encoded stretch by stretch, a launch for each, so that numbers
// within a stretch fit into 32 bits, and two of them into a status word. A
// stretch takes the GPU a quarter of a millisecond or more.
constexpr int64_t kStretchElements = int64_t{1} << 30;

// One stretch of the array, which is `in`, with element numbers as there.
template <typename Word, typename Length>
struct Stretch {
  Span<const Word> in;
  int64_t first;  // where its first tile starts
  uint32_t tiles;
  RunOutputs<Word, Length> out;
  int64_t* runs;
  // What the stretch before has left, and what this one is to leave.
  const RunsBefore* carry_in;
  RunsBefore* carry_out;
};

// Starts to bring a segment into shared memory; what is not in the array stays
// undefined.
template <int kVectors, typename Word>
__device__ __forceinline__ void FetchSegment(Span<const Word> in, int64_t first,
                                             Vector<Word>* segment) {
#pragma unroll
  for (int i = 0; i < kVectors; ++i) {
    const int slot = i * kWarpSize + LaneId();
    const int64_t element = first + slot * Vector<Word>::kLanes;
    if (in.HoldsVectors(element, Vector<Word>::kLanes)) {
      CopyVectorAsync(&segment[slot], in, element);
    } else {
      segment[slot] = LoadElements(in, element, Word{0});
    }
  }
}

// What the stretches before and the first elements of this one amount to.
__device__ __forceinline__ RunsBefore RunsUpTo(uint64_t sums, RunsBefore carry,
                                               int64_t stretch_first) {
  const uint32_t last = RunSums::Last(sums);
  return {carry.count + RunSums::Count(sums),
          last == 0 ? carry.start : stretch_first + last - 1};
}

// What comes after the last tile of a stretch: another stretch, or nothing.
template <typename Shape, typename Word, typename Length>
__device__ void FinishStretch(const Stretch<Word, Length>& stretch,
                              RunsBefore all) {
  *stretch.carry_out = all;
  if (stretch.first + stretch.tiles * Shape::template kTileElements<Word> >=
      stretch.in.end) {
    *stretch.runs = all.count;
    stretch.out.lengths[all.count - 1] =
        static_cast<Length>(stretch.in.end - all.start);
  }
}

// The sums of the segments become those of all elements of the stretch before
// them. A whole warp calls it; every lane gets the sums up to the tile's end.
template <int kSegments>
__device__ __forceinline__ uint64_t ScanSegmentSums(uint64_t* segment_sums,
                                                    TileTicket ticket,
                                                    StatusWord* statuses) {
  static_assert(kSegments <= kWarpSize);
  const int lane = LaneId();
  uint64_t sums[1] = {lane < kSegments ? segment_sums[lane]
                                       : RunSums::Identity()};
  WarpInclusiveScan<RunSums>(sums);
  const uint64_t before = ShiftIn<RunSums>(sums[0]);
  const uint64_t of_tile = ShuffleFrom(sums[0], kSegments - 1);

  Lookback<uint64_t> lookback(statuses, ticket.epoch);
  uint64_t prefix = RunSums::Identity();
  if (ticket.tile > 0) {
    if (lane == 0) lookback.PublishAggregate(ticket.tile, of_tile);
    prefix = lookback.template ExclusivePrefix<RunSums>(ticket.tile);
  }
  const uint64_t up_to_end = RunSums()(prefix, of_tile);
  if (lane == 0) lookback.PublishPrefix(ticket.tile, up_to_end);
  if (lane < kSegments) segment_sums[lane] = RunSums()(prefix, before);
  return up_to_end;
}

template <typename Shape, typename Word, typename Length>
__global__ void __launch_bounds__(Shape::kThreads, Shape::kBlocks)
    EncodeTiles(Stretch<Word, Length> stretch, unsigned long long* counter,
                StatusWord* statuses) {
  constexpr int kSegmentsOfWarp = Shape::kSegmentsOfWarp;
  constexpr int kVectors = Shape::kVectors;
  constexpr int kSlots = kVectors * kWarpSize;
  extern __shared__ uint4 tile_memory[];
  __shared__ TileTicket ticket;
  __shared__ uint64_t segment_sums[Shape::kSegments];
  __shared__ RunsBefore carry;
  const Span<const Word> in = stretch.in;

  LetNextGridStart();
  WaitForGridBefore();
  if (threadIdx.x == 0) {
    ticket = DrawTile(counter, stretch.tiles);
    carry = *stretch.carry_in;
  }
  __syncthreads();
  const int64_t tile_first =
      stretch.first + ticket.tile * Shape::template kTileElements<Word>;
  Vector<Word>* const segments = reinterpret_cast<Vector<Word>*>(tile_memory) +
                                 WarpId() * kSegmentsOfWarp * kSlots;
  const auto first_of = [&](int s) {
    return tile_first +
           (WarpId() * kSegmentsOfWarp + s) * kSegmentElements<Word, kVectors>;
  };

  VectorTail<Word> before[kSegmentsOfWarp];
#pragma unroll
  for (int s = 0; s < kSegmentsOfWarp; ++s) {
    const int64_t first = first_of(s);
    FetchSegment<kVectors>(in, first, segments + s * kSlots);
    before[s] = first > in.begin && first <= in.end
                    ? TailWith(in.base[first - 1])
                    : VectorTail<Word>{0};
  }
  WaitForCopies();

  RunStarts<Word, kVectors> starts[kSegmentsOfWarp];
#pragma unroll
  for (int s = 0; s < kSegmentsOfWarp; ++s) {
    const int64_t first = first_of(s);
    starts[s] = RunStarts<Word, kVectors>::Find(in, segments + s * kSlots,
                                                first, before[s]);
    const uint64_t sums = starts[s].Sums();
    if (LaneId() == 0) {
      // From numbers within the segment to those within the stretch.
      const uint32_t last = RunSums::Last(sums);
      const auto offset = static_cast<uint32_t>(first - stretch.first);
      segment_sums[WarpId() * kSegmentsOfWarp + s] =
          RunSums::Make(RunSums::Count(sums), last == 0 ? 0 : last + offset);
    }
  }
  __syncthreads();
  if (WarpId() == 0) {
    const uint64_t up_to_end =
        ScanSegmentSums<Shape::kSegments>(segment_sums, ticket, statuses);
    if (LaneId() == 0 && ticket.tile == stretch.tiles - 1) {
      FinishStretch<Shape>(stretch, RunsUpTo(up_to_end, carry, stretch.first));
    }
  }
  __syncthreads();

  uint16_t* const positions = reinterpret_cast<uint16_t*>(
      reinterpret_cast<char*>(tile_memory) + Shape::kTileBytes +
      WarpId() * Shape::kPositionBytes);
#pragma unroll
  for (int s = 0; s < kSegmentsOfWarp; ++s) {
    const uint64_t sums = segment_sums[WarpId() * kSegmentsOfWarp + s];
    WriteRuns<kBatch>(starts[s], segments + s * kSlots, first_of(s),
                      RunsUpTo(sums, carry, stretch.first), stretch.out,
                      positions);
  }
}

// What a stretch leaves to the next, in three places of which the first is
// never written.
constexpr int64_t kCarryBytes = 3 * sizeof(RunsBefore);

class RunLengthEncodeCuda : public RunLengthEncodeOnCuda<RunLengthEncodeCuda> {
 public:
  using RunLengthEncodeOnCuda::RunLengthEncodeOnCuda;

  template <typename Word, typename Length>
  absl::Status Launch(ConstArrayView in, const Outputs& out) {
    const auto bytes = in.size() * static_cast<int64_t>(sizeof(Word));
    if (bytes <= kFewBytes) return LaunchAs<Small, Word, Length>(in, out);
    if constexpr (sizeof(Word) == 1) {
      if (bytes <= kMediumBytes) return LaunchAs<Medium, Word, Length>(in, out);
    }
    return LaunchAs<Large, Word, Length>(in, out);
  }

 private:
  template <typename Shape, typename Word, typename Length>
  absl::Status LaunchAs(ConstArrayView in, const Outputs& out) {
    constexpr int64_t kTile = Shape::template kTileElements<Word>;
    constexpr int64_t kTiles = kStretchElements / kTile;
    const Span<const Word> span = AlignedSpan(in.data<Word>(), in.size());
    const int64_t all_tiles = DivideUp(span.end, kTile);
    absl::Status status = words_.Prepare<StatusWord>(
        std::min(all_tiles, kTiles), DivideUp(all_tiles, kTiles));
    auto* const carries = words_.own<RunsBefore>();
    for (int64_t tile = 0, k = 0; status.ok() && tile < all_tiles;
         tile += kTiles, ++k) {
      const auto tiles =
          static_cast<uint32_t>(std::min(all_tiles - tile, kTiles));
      const Stretch<Word, Length> stretch = {
          span,
          tile * kTile,
          tiles,
          {out.values.data<Word>(), out.lengths.data<Length>()},
          out.runs.data<int64_t>(),
          carries + (k == 0 ? 0 : 1 + (k - 1) % 2),
          carries + 1 + k % 2};
      status = launcher_.Queue(name(), EncodeTiles<Shape, Word, Length>,
                               {tiles, Shape::kThreads, Shape::kSharedBytes},
                               stretch, words_.counter(),
                               words_.words<StatusWord>());
    }
    return status;
  }

  TileWords words_{backend(), kCarryBytes};
  DependentLauncher launcher_{backend()};
};

const bool kRegistered = RegisterOnCuda<RunLengthEncodeCuda>(
    "lookback", /*rank=*/10, "one pass with decoupled look-back",
    Contract()
        .SpecialValues("floats are equal when their bits are")
        .Keeps(kKeepsTileWords)
        .Boundaries({kMediumBytes})
        .Boundaries({Small::kTileBytes, kFewBytes, Large::kTileBytes},
                    {sizeof(uint64_t), sizeof(uint32_t), sizeof(uint8_t)}));

}  // namespace
}  // namespace concord::run_length_encode
