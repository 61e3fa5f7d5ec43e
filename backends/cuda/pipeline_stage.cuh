// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// What a block of the pipeline (pipeline.cuh) is made of: the shape of its
// tiles, the stages that they pass through, and the shared memory of both.

#ifndef CONCORD_BACKENDS_CUDA_PIPELINE_STAGE_CUH_
#define CONCORD_BACKENDS_CUDA_PIPELINE_STAGE_CUH_

#include <cstdint>

#include "concord/backends/cuda/mbarrier.cuh"
#include "concord/backends/cuda/vector.cuh"
#include "concord/backends/cuda/warp.cuh"

namespace concord {

// A job's `Shape` derives from this and replaces what it wants otherwise.
//
// Tiles of 32 KiB: the one gatherer of a block takes about 1 us for a tile, in
// which a multiprocessor of an H200 moves 16 KiB in and out. Six of them, of
// which four wait for their prefix: that takes 2 to 3 us. (On an H200, scans of
// 2^28 elements took 534, 526 and 523 us for int32 and 1074, 1080 and 1066 us
// for int64 with a lag of 2, 3 and 4 tiles; with seven stages they were
// slower.)
struct PipelineShape {
  // Compute warps that share a tile, a team, and teams that take turns.
  static constexpr int kWarps = 16;
  static constexpr int kTeams = 1;
  // Vectors of a lane in one tile.
  static constexpr int kVectors = 4;
  // Tiles that fit into shared memory.
  static constexpr int kStages = 6;
  // Tiles that a team reduces before it comes back to write the first of them.
  static constexpr int kLag = 4;
  // Whether a warp decides anew after each segment that it has reduced. A shape
  // then has `static int LagAfter(Aggregate total)`, which is up to kLag, and
  // the job's Reduce returns what the segment amounts to in every lane.
  static constexpr bool kLagVaries = false;
  // Warps that take turns at gathering prefixes. One takes 1.4 us for a tile on
  // an H200, whatever its size.
  static constexpr int kGatherers = 1;
  // Whether a block draws its tiles or takes every n-th: the first is faster on
  // large arrays; the second combines the tiles in the same order in each run.
  static constexpr bool kDynamicTiles = true;
  // Vectors before a warp's segment that it can read too: 0 or 1. With one,
  // Reduce must not change the segment, whose end the next warp reads.
  static constexpr int kLeadVectors = 0;
  // What a warp may keep from Reduce to Write beside its segment; a multiple
  // of 16.
  static constexpr int kNoteBytes = 0;

  // All threads of a block call it before the first tile, for what a job keeps
  // in shared memory of its own.
  __device__ static void PrepareBlock() {}
};

// What follows from a job's shape.
template <typename Job>
struct PipelineLayout : Job::Shape {
  using Shape = typename Job::Shape;
  using T = typename Job::Element;
  using Shape::kGatherers;
  using Shape::kLag;
  using Shape::kLagVaries;
  using Shape::kLeadVectors;
  using Shape::kNoteBytes;
  using Shape::kStages;
  using Shape::kTeams;
  using Shape::kVectors;
  using Shape::kWarps;

  // A segment is one warp's part of a tile.
  static constexpr int kSegmentVectors = kVectors * kWarpSize;
  static constexpr int kSegmentElements = kSegmentVectors * Vector<T>::kLanes;
  static constexpr int64_t kTileElements = int64_t{kWarps} * kSegmentElements;

  // A stage holds a tile. The lead stands before it, at the end of a line of
  // its own, so that the tile is aligned to lines.
  static constexpr int kLeadRoom = kLeadVectors == 0 ? 0 : 128 / kVectorBytes;
  static constexpr int kStageVectors = kLeadRoom + kWarps * kSegmentVectors;

  static constexpr int kComputeWarps = kWarps * kTeams;
  static constexpr int kThreads = (kComputeWarps + 2 + kGatherers) * kWarpSize;

  static constexpr int kSharedBytes =
      kStages * (kStageVectors * kVectorBytes + kWarps * kNoteBytes);

  static_assert(kWarps <= kWarpSize, "one warp combines a tile's segments");
  static_assert(kStages % kTeams == 0, "a stage belongs to one team");
  static_assert(kStages / kTeams > kLag, "a team's tiles wait in its stages");
  static_assert(!kLagVaries || kLag > 1, "a lag that varies has a shorter one");
  static_assert(kNoteBytes % kVectorBytes == 0);
};

// A stage of the ring, and the parity of the phase that its barriers are in
// when the ring has been gone around so many times.
template <typename Job>
class StageCursor {
 public:
  __device__ explicit StageCursor(int stage) : stage_(stage) {}

  __device__ int stage() const { return stage_; }
  __device__ uint32_t parity() const { return parity_; }

  __device__ __forceinline__ void Advance(int stages) {
    stage_ += stages;
    if (stage_ >= Job::Shape::kStages) {
      stage_ -= Job::Shape::kStages;
      parity_ ^= 1;
    }
  }

 private:
  int stage_;
  uint32_t parity_ = 0;
};

// What the warps of a block tell each other, for each stage. The barriers stand
// in the order in which a tile passes them, each with who arrives there.
template <typename Job>
struct PipelineState {
  using L = PipelineLayout<Job>;

  Mbarrier loaded[L::kStages];    // the loader, and the bytes of the tile
  Mbarrier reduced[L::kStages];   // the warps of the team
  Mbarrier totalled[L::kStages];  // the publisher
  // The gatherer, and each lane of the publisher that has written.
  Mbarrier prefixed[L::kStages];
  Mbarrier emptied[L::kStages];  // the warps of the team

  // Of all tiles before this one, and with it.
  typename Job::Prefix tile_prefix[L::kStages];
  typename Job::Prefix tile_sum[L::kStages];
  typename Job::Aggregate tile_total[L::kStages];
  // Of a warp's segment, and of those before it in the tile.
  typename Job::Aggregate segment_total[L::kStages][L::kWarps];
  typename Job::Aggregate segment_prefix[L::kStages][L::kWarps];
  // Past the last one when there is none left.
  uint32_t tile[L::kStages];
  // The tile after the block's one before this: where gathering starts.
  uint32_t gather_from[L::kStages];
  uint32_t epoch;

  // One thread calls it, before a barrier of the block.
  __device__ void Init() {
    for (int stage = 0; stage < L::kStages; ++stage) {
      loaded[stage].Init(1);
      reduced[stage].Init(L::kWarps);
      totalled[stage].Init(1);
      prefixed[stage].Init(1 + L::kWarps);
      emptied[stage].Init(L::kWarps);
    }
    FenceMbarrierInit();
  }
};

// A warp's part of a tile, in shared memory. Elements that the array does not
// have are the job's `Absent()`.
template <typename T>
struct Segment {
  // With a lead, vectors[-1] is there, too, unless the array starts later.
  Vector<T>* vectors;
  // Job::Shape::kNoteBytes of the warp's own.
  unsigned char* note;
  // Its first element in the job's `in`; at or past its end for some segments
  // of the last tile.
  int64_t first;
};

}  // namespace concord

#endif  // CONCORD_BACKENDS_CUDA_PIPELINE_STAGE_CUH_
