// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The pipeline of backends/cuda over several GPUs: which tiles a member draws,
// and how its blocks tell each other, and all others, what tiles amount to.
// Nothing else knows of the group. A tile is loaded from, and its results are
// stored to, wherever the array has it.
//
// Members together go through an array in runs, the tiles of one stripe. Blocks
// of one member tell each other of tiles; another member, which has none of the
// run's tiles, is told of the run, by the block that has the last of them. So a
// block adds up as many words whatever the number of members, a link carries
// one word for 64 tiles, and those who wait look at few words. With words of
// all tiles for everybody, three and four H100s slowed each other down two
// hundredfold: polling many words keeps those awaited from arriving.

#ifndef CONCORD_BACKENDS_GPUS_GROUP_EXCHANGE_CUH_
#define CONCORD_BACKENDS_GPUS_GROUP_EXCHANGE_CUH_

#include <cstdint>

#include "concord/backends/cuda/pipeline.cuh"
#include "concord/backends/gpus/group_spec.h"
#include "concord/backends/gpus/group_words.cuh"
#include "concord/backends/gpus/share.h"

namespace concord {

// A member's tiles, in the place of all of them.
struct SharedTiles {
  const Share& share;

  __device__ uint32_t count() const { return share.count; }
  __device__ uint32_t operator()(uint32_t number) const {
    return number < share.count ? share(number) : ~uint32_t{0};
  }
};

// Where the members of a launch tell each other of tiles, and what precedes the
// array when each scans a stretch of its own.
struct GroupWords {
  // Words for every tile, in this member's memory.
  uint64_t* tiles;
  // Words for every run, in this member's memory and in that of each listener,
  // itself among them. A member that works alone has no listeners.
  const uint64_t* runs;
  uint64_t* runs_of[kMostMembers];
  int listeners;
  // The totals of the stretches of the members [first, own): prefixes, because
  // they stand for many tiles.
  const uint64_t* totals;
  uint32_t first;
  uint32_t own;
  uint32_t flag;
  Patience patience;
};

// The memory of the members that a stretch's total is told to.
struct Audience {
  uint64_t* of[kMostMembers];
  int listeners;
  uint32_t flag;

  template <typename T>
  __device__ void Tell(T value) const {
    for (int i = 0; i < listeners; ++i) TellValue(of[i], flag, value);
  }
};

template <typename Job>
class GroupExchange {
 public:
  using Aggregate = typename Job::Aggregate;
  using Prefix = typename Job::Prefix;

  // What a launch passes along.
  struct Launch {
    GroupWords words;
    Share share;
  };
  using Words = const Launch&;

  // All lanes publish together.
  __device__ static int Listeners(Words) { return kWarpSize; }

  __device__ static Prefix Before(Words launch) {
    const GroupWords& words = launch.words;
    Prefix sum = Job::Empty();
    for (uint32_t member = words.first; member < words.own; ++member) {
      sum = Job::Join(sum, AwaitValue<Prefix>(
                               words.totals + member * kWordsOf<Prefix>,
                               words.flag, words.patience, words.own, member));
    }
    return sum;
  }

  __device__ GroupExchange(const Job& job, Words launch, uint32_t)
      : job_(job), words_(launch.words), share_(launch.share) {}

  // The last tile of a run waits for the others, which are drawn before it; so
  // does its prefix, in any case.
  __device__ __forceinline__ void Publish(uint32_t tile,
                                          Aggregate value) const {
    if (LaneId() == 0) {
      TellValue(words_.tiles + int64_t{tile} * kParts, words_.flag, value);
    }
    if (words_.listeners == 0) return;
    const uint32_t run = share_.RunOf(tile);
    if (share_.StartOf(run + 1) == tile + 1) TellRun(run, tile, value);
  }

  // What the tiles [first, end) amount to, as soon as all have been published,
  // by whichever member. `first` follows a tile of this member or is 0, and
  // `end` is one of its tiles. A whole warp calls it; every lane gets the
  // result.
  __device__ Prefix Gather(uint32_t first, uint32_t end) const {
    OwnTiles tiles = {first, end, end, end};
    uint32_t run = 0;
    uint32_t last_run = 0;
    if (words_.listeners > 0) {
      run = share_.RunOf(first);
      last_run = share_.RunOf(end);
    }
    if (run != last_run) {
      tiles.first_end = first;
      if (first != share_.StartOf(run)) tiles.first_end = share_.StartOf(++run);
      tiles.rest = share_.StartOf(last_run);
    }
    return Job::JoinLanes(
        Job::Join(GatherTiles(tiles), GatherRuns(run, last_run)));
  }

 private:
  static constexpr int kParts = kWordsOf<Aggregate>;
  static constexpr int kRunParts = kWordsOf<Prefix>;
  // Words of 8 bytes under way in each lane. Between the tiles of a block of a
  // member that works alone lie up to twice as many tiles as it has blocks.
  static constexpr int kLooks = 10 / kParts;

  // The tiles [first, first_end) and [rest, end) of this member: the end of one
  // run and the beginning of another.
  struct OwnTiles {
    uint32_t first;
    uint32_t first_end;
    uint32_t rest;
    uint32_t end;

    __device__ int count() const {
      return static_cast<int>(first_end - first + (end - rest));
    }
    __device__ uint32_t operator()(int i) const {
      const uint32_t tile = first + static_cast<uint32_t>(i);
      return tile < first_end ? tile : tile - first_end + rest;
    }
  };

  // This lane's part of what they amount to.
  __device__ __forceinline__ Prefix GatherTiles(const OwnTiles& tiles) const {
    Prefix sum = Job::Empty();
    for (int last = tiles.count() - 1; last >= 0; last -= kWarpSize * kLooks) {
      sum = Job::Join(sum, GatherRound(tiles, last));
    }
    return sum;
  }

  __device__ __forceinline__ Prefix GatherRound(const OwnTiles& tiles,
                                                int last) const {
    const int mine = last - LaneId();
    ToldValue<Aggregate> told[kLooks];
#pragma unroll
    for (int k = 0; k < kLooks; ++k) {
      told[k].is_there = mine - k * kWarpSize < 0;
    }
    PatientWait wait(words_.patience, words_.own);
    for (;;) {
      // All loads are under way before the first is looked at.
      bool all_there = true;
#pragma unroll
      for (int k = 0; k < kLooks; ++k) {
        if (!told[k].is_there) {
          const uint32_t tile = tiles(mine - k * kWarpSize);
          told[k] = LookForValue<Aggregate>(
              words_.tiles + int64_t{tile} * kParts, words_.flag);
        }
      }
#pragma unroll
      for (int k = 0; k < kLooks; ++k) {
        all_there = all_there && told[k].is_there;
      }
      if (__all_sync(kWholeWarp, all_there)) break;
      if (wait.IsOver(!all_there, words_.own)) break;
    }
    Prefix sum = Job::Empty();
#pragma unroll
    for (int k = 0; k < kLooks; ++k) {
      const int item = mine - k * kWarpSize;
      if (item >= 0) {
        sum = Job::Join(sum, job_.Lift(told[k].value, tiles(item)));
      }
    }
    return sum;
  }

  // This lane's part of what the runs [first, end) amount to.
  __device__ __forceinline__ Prefix GatherRuns(uint32_t first,
                                               uint32_t end) const {
    Prefix sum = Job::Empty();
    for (; first < end; first += kWarpSize) {
      const uint32_t mine = first + LaneId();
      ToldValue<Prefix> told = {Job::Empty(), mine >= end};
      PatientWait wait(words_.patience, words_.own);
      for (;;) {
        if (!told.is_there) {
          told = LookForValue<Prefix>(words_.runs + int64_t{mine} * kRunParts,
                                      words_.flag);
        }
        if (__all_sync(kWholeWarp, told.is_there)) break;
        if (wait.IsOver(!told.is_there,
                        share_.MemberOf(share_.StartOf(mine)))) {
          break;
        }
      }
      sum = Job::Join(sum, told.value);
    }
    return sum;
  }

  // Tells every listener, each by a lane of its own.
  __device__ __forceinline__ void TellRun(uint32_t run, uint32_t last,
                                          Aggregate value) const {
    Prefix mine = GatherTiles({share_.StartOf(run), last, last, last});
    if (LaneId() == 0) mine = Job::Join(mine, job_.Lift(value, last));
    const Prefix total = Job::JoinLanes(mine);
    if (LaneId() < words_.listeners) {
      TellValue(words_.runs_of[LaneId()] + int64_t{run} * kRunParts,
                words_.flag, total);
    }
  }

  const Job& job_;
  const GroupWords& words_;
  const Share& share_;
};

// One launch on each member that has tiles, with the same job. All of them run
// at the same time: blocks of one wait for words of the others.
template <typename Job>
__global__ void __launch_bounds__(PipelineLayout<Job>::kThreads, 1)
    RunGroupPipeline(const __grid_constant__ Job job, uint32_t tiles,
                     unsigned long long* counter,
                     const __grid_constant__
                     typename GroupExchange<Job>::Launch launch) {
  RunPipelineBlock<GroupExchange<Job>>(job, tiles, SharedTiles{launch.share},
                                       counter, launch);
}

}  // namespace concord

#endif  // CONCORD_BACKENDS_GPUS_GROUP_EXCHANGE_CUH_
