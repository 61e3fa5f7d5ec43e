// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The pipeline of backends/cuda over several GPUs: which tiles a member draws,
// and how it tells all others what a tile amounts to. Nothing else knows of the
// group. A tile is loaded from, and its results are stored to, wherever the
// array has it.

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
  // Words for every tile, in the memory of each listener: all members,
  // or one by itself.
  uint64_t* of[kMostMembers];
  int listeners;
  // Those in this member's memory.
  const uint64_t* here;
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

  __device__ static int Listeners(Words launch) {
    return launch.words.listeners;
  }

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

  // Each lane tells one member.
  __device__ __forceinline__ void Publish(uint32_t tile,
                                          Aggregate value) const {
    TellValue(words_.of[LaneId()] + int64_t{tile} * kParts, words_.flag, value);
  }

  // What the tiles [first, end) amount to, as soon as all have been published,
  // by whichever member. A whole warp calls it; every lane gets the result.
  __device__ Prefix Gather(uint32_t first, uint32_t end) const {
    Prefix sum = Job::Empty();
    for (int64_t last = int64_t{end} - 1; last >= first;
         last -= kWarpSize * kLooks) {
      sum = Job::Join(sum, GatherRound(first, last));
    }
    return Job::JoinLanes(sum);
  }

 private:
  static constexpr int kParts = kWordsOf<Aggregate>;
  // Between a block's tiles lie those of all members' blocks. Ten words of 8
  // bytes under way in each lane; with 18, four H200s once took 48 ms instead
  // of 2.2 at 2^32 elements.
  static constexpr int kLooks = 10 / kParts;

  __device__ __forceinline__ Prefix GatherRound(int64_t first,
                                                int64_t last) const {
    const int64_t mine = last - LaneId();
    const uint64_t* const words = words_.here + mine * kParts;
    ToldValue<Aggregate> told[kLooks];
#pragma unroll
    for (int k = 0; k < kLooks; ++k) {
      told[k].is_there = mine - k * kWarpSize < first;
    }
    PatientWait wait(words_.patience, words_.own);
    for (;;) {
      // All loads are under way before the first is looked at.
      bool all_there = true;
      int64_t missing = first;
#pragma unroll
      for (int k = 0; k < kLooks; ++k) {
        if (!told[k].is_there) {
          told[k] = LookForValue<Aggregate>(words - k * kWarpSize * kParts,
                                            words_.flag);
        }
      }
#pragma unroll
      for (int k = 0; k < kLooks; ++k) {
        all_there = all_there && told[k].is_there;
        if (!told[k].is_there) missing = mine - k * kWarpSize;
      }
      if (__all_sync(kWholeWarp, all_there)) break;
      if (wait.IsOver(!all_there, AuthorOf(missing))) break;
    }
    Prefix sum = Job::Empty();
#pragma unroll
    for (int k = 0; k < kLooks; ++k) {
      const int64_t tile = mine - k * kWarpSize;
      if (tile >= first) {
        sum = Job::Join(sum,
                        job_.Lift(told[k].value, static_cast<uint32_t>(tile)));
      }
    }
    return sum;
  }

  // Who publishes the tile.
  __device__ uint32_t AuthorOf(int64_t tile) const {
    return words_.listeners == 1 ? words_.own
                                 : share_.MemberOf(static_cast<uint32_t>(tile));
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
