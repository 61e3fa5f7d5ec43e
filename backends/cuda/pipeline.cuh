// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// A single pass over an array in which every tile needs to know what all tiles
// before it amount to, for Hopper and later: the frame of scan, compaction and
// their like.
//
// One block on each multiprocessor goes through many tiles, and its warps share
// the work by roles. A tile passes
//
//   1. the loader: one bulk copy brings the whole tile into a stage;
//   2. the compute warps, which reduce it, each its own segment;
//   3. the publisher: combines the segments and tells the other blocks;
//   4. the gatherer: adds up what they have told, the tile's prefix;
//   5. the compute warps again, which write the tile's results.
//
// Between their two visits the compute warps reduce the next tiles (the lag),
// so that nobody waits for step 4. No barrier stops the whole block.
//
// After the single-pass scan of D. Merrill and M. Garland ("Single-pass
// parallel prefix scan with decoupled look-back", NVIDIA technical report
// NVR-2016-002), with the chain of prefixes replaced by one gathering of
// aggregates; the division into roles is that of M. Bauer, H. Cook and B.
// Khailany ("CudaDMA: optimizing GPU memory bandwidth via warp specialization",
// SC 2011).
//
// A job says what to do:
//
//   struct Job {
//     using Element = ...;    // of the array that is read
//     // What a tile amounts to: a number of up to 8 bytes.
//     using Aggregate = ...;
//     // An associative operator over Aggregate, as those of core/operators.h.
//     using Combine = ...;
//     using Prefix = ...;     // what many tiles amount to, of any type
//     struct Shape : PipelineShape {};
//
//     Span<const Element> in;  // its base is aligned
//
//     // Of no tiles; of one, which is number `tile`; of two sets of tiles, in
//     // any order; of those of all lanes of a warp, the same for every lane.
//     static Prefix Empty();
//     Prefix Lift(Aggregate total, uint32_t tile) const;
//     static Prefix Join(Prefix, Prefix);
//     static Prefix JoinLanes(Prefix);
//
//     // Stands for elements that the last tile lacks, and the first.
//     Element Absent() const;
//
//     // A whole warp calls these two. `Reduce` returns, at least in lane 0,
//     // what the segment amounts to. It may change the segment: then each lane
//     // calls FenceBeforeBulkCopy() after it has done so. `Write` finds the
//     // segment as Reduce has left it, calls turn.AwaitPrefix() and, after its
//     // last access to the segment, turn.Release(), each once.
//     Aggregate Reduce(const Segment<Element>&) const;
//     void Write(const Segment<Element>&, PipelineTurn<Job>& turn) const;
//
//     // One thread of the grid calls it, with what all tiles amount to.
//     void Finish(Prefix all) const;
//   };

#ifndef CONCORD_BACKENDS_CUDA_PIPELINE_CUH_
#define CONCORD_BACKENDS_CUDA_PIPELINE_CUH_

#include <cuda_runtime.h>

#include <cstdint>

#include "concord/backends/cuda/bulk_copy.cuh"
#include "concord/backends/cuda/mbarrier.cuh"
#include "concord/backends/cuda/pipeline_exchange.cuh"
#include "concord/backends/cuda/pipeline_stage.cuh"
#include "concord/backends/cuda/tile_status.cuh"
#include "concord/backends/cuda/vector.cuh"
#include "concord/backends/cuda/warp.cuh"

namespace concord {

// A warp's second visit to a tile, as `Job::Write` sees it.
template <typename Job>
class PipelineTurn {
 public:
  using Aggregate = typename Job::Aggregate;
  using Prefix = typename Job::Prefix;

  __device__ PipelineTurn(const Job& job, PipelineState<Job>& state,
                          StageCursor<Job> cursor, int warp)
      : job_(job), state_(state), cursor_(cursor), warp_(warp) {}

  // What `Reduce` returned.
  __device__ Aggregate total() const {
    return state_.segment_total[cursor_.stage()][warp_];
  }

  // What everything before the segment amounts to.
  __device__ __forceinline__ Prefix AwaitPrefix() {
    const int stage = cursor_.stage();
    state_.prefixed[stage].Wait(cursor_.parity());
    return Job::Join(
        state_.tile_prefix[stage],
        job_.Lift(state_.segment_prefix[stage][warp_], state_.tile[stage]));
  }

  // The stage may be loaded with another tile.
  __device__ __forceinline__ void Release() {
    __syncwarp();
    if (LaneId() == 0) state_.emptied[cursor_.stage()].Arrive();
  }

 private:
  const Job& job_;
  PipelineState<Job>& state_;
  const StageCursor<Job> cursor_;
  const int warp_;
};

// All tiles of an array, for a launch that works on the whole of it.
struct AllTiles {
  uint32_t tiles;

  // As many as the blocks of the launch draw.
  __device__ uint32_t count() const { return tiles; }
  // The tile of that number; past the last one when there is none.
  __device__ uint32_t operator()(uint32_t number) const { return number; }
};

// One block of the grid. `Tiles` says which tiles the launch works on, in
// rising order; `Exchange` how blocks tell each other what tiles amount to.
template <typename Job, typename Tiles, typename Exchange>
class Pipeline {
 public:
  using L = PipelineLayout<Job>;
  using T = typename Job::Element;

  __device__ Pipeline(const Job& job, PipelineState<Job>& state, void* memory,
                      uint32_t tiles, Tiles drawn,
                      typename Exchange::Words words)
      : job_(job),
        state_(state),
        stages_(static_cast<Vector<T>*>(memory)),
        notes_(reinterpret_cast<unsigned char*>(stages_ +
                                                L::kStages * L::kStageVectors)),
        tiles_(tiles),
        drawn_(drawn),
        words_(words) {}

  // Lane 0 brings the block's first ticket.
  __device__ void RunLoader(unsigned long long* counter, TileTicket ticket) {
    if (LaneId() == 0) state_.epoch = ticket.epoch;
    uint32_t next = ticket.tile;
    uint32_t gather_from = 0;
    int ends = 0;
    for (StageCursor<Job> cursor(0); ends < kEnds; cursor.Advance(1)) {
      const uint32_t tile = drawn_(ShuffleFrom(next, 0));
      if (tile >= tiles_) {
        if (ends++ == 0) LetNextGridDraw();
      } else if (!L::kDynamicTiles) {
        next += gridDim.x;
      } else if (LaneId() == 0) {
        // One tile ahead: it arrives while this one waits for a stage.
        next = DrawTile(counter, drawn_.count() + gridDim.x).tile;
      }
      // Stages are empty before the first phase.
      state_.emptied[cursor.stage()].Wait(cursor.parity() ^ 1);
      if (LaneId() == 0) {
        state_.tile[cursor.stage()] = tile;
        state_.gather_from[cursor.stage()] = gather_from;
        LoadTile(cursor.stage(), tile);
      }
      gather_from = tile + 1;
    }
  }

  __device__ void RunPublisher() {
    using Combine = typename Job::Combine;
    using Aggregate = typename Job::Aggregate;
    for (StageCursor<Job> cursor(0);; cursor.Advance(1)) {
      const int stage = cursor.stage();
      const uint32_t tile = AwaitTile(cursor);
      if (tile >= tiles_) return;
      state_.reduced[stage].Wait(cursor.parity());
      Aggregate totals[1] = {LaneId() < L::kWarps
                                 ? state_.segment_total[stage][LaneId()]
                                 : Combine::Identity()};
      WarpInclusiveScan<Combine>(totals);
      const Aggregate total = ShuffleFrom(totals[0], L::kWarps - 1);
      if (LaneId() < Exchange::Listeners(words_)) {
        Exchange(job_, words_, state_.epoch).Publish(tile, total);
      }
      if (LaneId() == 0) {
        state_.tile_total[stage] = total;
        state_.totalled[stage].Arrive();
      }
      const Aggregate before = ShiftIn<Combine>(totals[0]);
      if (LaneId() < L::kWarps) {
        state_.segment_prefix[stage][LaneId()] = before;
        state_.prefixed[stage].Arrive();
      }
    }
  }

  // The `number`-th of those that take turns.
  __device__ void RunGatherer(int number) {
    // Of what precedes the array, and the tiles [0, from).
    typename Job::Prefix sum = Exchange::Before(words_);
    StageCursor<Job> previous(number - 1);
    for (StageCursor<Job> cursor(number);; cursor.Advance(L::kGatherers)) {
      const int stage = cursor.stage();
      const uint32_t tile = AwaitTile(cursor);
      if (tile >= tiles_) return;
      AwaitNextTotal(cursor);
      const uint32_t from = state_.gather_from[stage];
      const auto between =
          Exchange(job_, words_, state_.epoch).Gather(from, tile);
      if (L::kGatherers > 1 && from > 0) {
        // Another one has had the tile before.
        state_.prefixed[previous.stage()].Wait(previous.parity());
        sum = state_.tile_sum[previous.stage()];
      }
      previous.Advance(L::kGatherers);
      const auto prefix = Job::Join(sum, between);
      state_.totalled[stage].Wait(cursor.parity());
      sum = Job::Join(prefix, job_.Lift(state_.tile_total[stage], tile));
      if (LaneId() == 0) {
        state_.tile_prefix[stage] = prefix;
        state_.tile_sum[stage] = sum;
        if (tile + 1 == tiles_) job_.Finish(sum);
      }
      ArriveTogether(state_.prefixed[stage]);
    }
  }

  __device__ void RunComputeWarp() {
    const int team = WarpId() / L::kWarps;
    const int warp = WarpId() % L::kWarps;
    StageCursor<Job> reading(team);
    StageCursor<Job> writing(team);
    int lag = L::kLag;
    bool more = true;
    for (int waiting = 0; more || waiting > 0;) {
      if (more) {
        const uint32_t tile = AwaitTile(reading);
        more = tile < tiles_;
        if (more) {
          lag = Reduce(reading.stage(), warp, tile);
          reading.Advance(L::kTeams);
          ++waiting;
        }
      }
      // Where the lag is what it was, one tile at most.
      while (waiting > (more ? lag : 0)) {
        PipelineTurn<Job> turn(job_, state_, writing, warp);
        job_.Write(
            SegmentOf(writing.stage(), warp, state_.tile[writing.stage()]),
            turn);
        writing.Advance(L::kTeams);
        --waiting;
        if (!L::kLagVaries) break;
      }
    }
  }

 private:
  // Stages that say that there are no more tiles: one for each team, and one to
  // which the gatherer looks ahead or the next one looks.
  static constexpr int kEnds = L::kTeams > 2 ? L::kTeams : 2;
  static_assert(L::kGatherers <= 2);

  // The block draws no more. The next grid may use the same counter: it starts
  // when all blocks have come here, and the fence has the counter set up by
  // then.
  __device__ __forceinline__ static void LetNextGridDraw() {
    if (LaneId() != 0) return;
    __threadfence();
    cudaTriggerProgrammaticLaunchCompletion();
  }

  // The warp's writes to shared memory come before its lane 0's arrival.
  __device__ __forceinline__ static void ArriveTogether(Mbarrier& barrier) {
    __syncwarp();
    if (LaneId() == 0) barrier.Arrive();
  }

  __device__ __forceinline__ uint32_t AwaitTile(StageCursor<Job> cursor) const {
    state_.loaded[cursor.stage()].Wait(cursor.parity());
    return state_.tile[cursor.stage()];
  }

  // By the time the block's next tile is reduced, the tiles before this one
  // have nearly always been published, and one reading of them is enough:
  // polling would be in the way of those who publish.
  __device__ __forceinline__ void AwaitNextTotal(StageCursor<Job> cursor) {
    cursor.Advance(1);
    if (AwaitTile(cursor) < tiles_) {
      state_.totalled[cursor.stage()].Wait(cursor.parity());
    }
  }

  __device__ __forceinline__ Vector<T>* TileOf(int stage) const {
    return stages_ + stage * L::kStageVectors + L::kLeadRoom;
  }

  __device__ __forceinline__ Segment<T> SegmentOf(int stage, int warp,
                                                  uint32_t tile) const {
    return {TileOf(stage) + warp * L::kSegmentVectors,
            notes_ + (stage * L::kWarps + warp) * L::kNoteBytes,
            tile * L::kTileElements + warp * L::kSegmentElements};
  }

  // Starts to copy those vectors of the tile, and of its lead, that lie wholly
  // in the array, and announces them; there may be no such tile. One thread
  // calls it.
  __device__ __forceinline__ void LoadTile(int stage, uint32_t tile) {
    constexpr int kLanes = Vector<T>::kLanes;
    const int64_t from = tile * L::kTileElements;
    const int64_t first = max(from, RoundUpToVector<T>(job_.in.begin));
    const int64_t end =
        min(from + L::kTileElements, job_.in.end / kLanes * kLanes);
    const bool copies = tile < tiles_ && first < end;
    const uint32_t bytes =
        copies ? static_cast<uint32_t>((end - first) * sizeof(T)) : 0;
    // Where there is a tile, all that is before it is there.
    const bool has_lead = L::kLeadVectors > 0 && tile > 0 && tile < tiles_;
    Mbarrier& loaded = state_.loaded[stage];
    loaded.ArriveExpecting(bytes + (has_lead ? kVectorBytes : 0));
    if (has_lead) {
      BulkCopy(TileOf(stage) - 1, job_.in.base + from - kLanes, kVectorBytes,
               loaded);
    }
    if (copies) {
      BulkCopy(TileOf(stage) + (first - from) / kLanes, job_.in.base + first,
               bytes, loaded);
    }
  }

  // Returns how many tiles may wait now.
  __device__ __forceinline__ int Reduce(int stage, int warp, uint32_t tile) {
    const Segment<T> segment = SegmentOf(stage, warp, tile);
    if (!job_.in.HoldsVectors(segment.first, L::kSegmentElements)) {
      Complete(job_, segment);
    }
    const typename Job::Aggregate total = job_.Reduce(segment);
    if (LaneId() == 0) state_.segment_total[stage][warp] = total;
    ArriveTogether(state_.reduced[stage]);
    if constexpr (L::kLagVaries) {
      return L::LagAfter(total);
    } else {
      return L::kLag;
    }
  }

  // Brings what no bulk copy could: vectors that are not wholly in the array.
  __device__ __noinline__ static void Complete(const Job& job,
                                               Segment<T> segment) {
#pragma unroll 1
    for (int i = LaneId(); i < L::kSegmentVectors; i += kWarpSize) {
      const int64_t first = segment.first + i * Vector<T>::kLanes;
      if (first >= job.in.end) {
        segment.vectors[i] = Filled(job.Absent());
      } else if (!job.in.HoldsVectors(first, Vector<T>::kLanes)) {
        segment.vectors[i] = LoadElements(job.in, first, job.Absent());
      }
    }
    FenceBeforeBulkCopy();
    __syncwarp();
  }

  const Job& job_;
  PipelineState<Job>& state_;
  Vector<T>* const stages_;
  unsigned char* const notes_;
  const uint32_t tiles_;
  const Tiles drawn_;
  const typename Exchange::Words words_;
};

// What a kernel on the pipeline does. `tiles` are those of the whole array. The
// grid may start early: until the one before it has ended, it touches nothing
// but the counter. Empty in code for GPUs before Hopper.
template <typename Exchange, typename Job, typename Tiles>
__device__ __forceinline__ void RunPipelineBlock(
    const Job& job, uint32_t tiles, Tiles drawn, unsigned long long* counter,
    typename Exchange::Words words) {
#if __CUDA_ARCH__ >= 900
  extern __shared__ uint4 pipeline_memory[];
  __shared__ PipelineState<Job> state;
  using L = PipelineLayout<Job>;

  const int role = WarpId() - L::kComputeWarps;
  TileTicket ticket{};
  if (role == 0 && LaneId() == 0) {
    ticket =
        DrawTile(counter, gridDim.x + (L::kDynamicTiles ? drawn.count() : 0));
  }
  if (role == 1 && LaneId() == 0) state.Init();
  Job::Shape::PrepareBlock();
  __syncthreads();
  cudaGridDependencySynchronize();
  Pipeline<Job, Tiles, Exchange> pipeline(job, state, pipeline_memory, tiles,
                                          drawn, words);
  if (role < 0) {
    pipeline.RunComputeWarp();
  } else if (role == 0) {
    pipeline.RunLoader(counter, ticket);
  } else if (role == 1) {
    pipeline.RunPublisher();
  } else {
    pipeline.RunGatherer(role - 2);
  }
#endif
}

// Launched by PipelineLauncher.
template <typename Job>
__global__ void __launch_bounds__(PipelineLayout<Job>::kThreads, 1)
    RunPipeline(const __grid_constant__ Job job, uint32_t tiles,
                unsigned long long* counter,
                AggregateWord<typename Job::Aggregate>* words) {
  RunPipelineBlock<PipelineExchange<Job>>(job, tiles, AllTiles{tiles}, counter,
                                          words);
}

}  // namespace concord

#endif  // CONCORD_BACKENDS_CUDA_PIPELINE_CUH_
