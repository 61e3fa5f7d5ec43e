// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// What the blocks of a pipeline tell each other: each tile's aggregate, written
// once. Nobody publishes prefixes, so there is no chain of them to wait for. A
// block knows what the tiles up to its last one amount to and adds those in
// between, which takes one round trip to memory.

#ifndef CONCORD_BACKENDS_CUDA_PIPELINE_EXCHANGE_CUH_
#define CONCORD_BACKENDS_CUDA_PIPELINE_EXCHANGE_CUH_

#include <cstdint>

#include "concord/backends/cuda/tile_status.cuh"
#include "concord/backends/cuda/warp.cuh"

namespace concord {

// Side by side, so that a warp reads those of 32 tiles at once.
template <typename Aggregate>
struct alignas(sizeof(Aggregate) > 4 ? 16 : 8) AggregateWord {
  unsigned char bytes[sizeof(Aggregate) > 4 ? 16 : 8];
};

template <typename Job>
class PipelineExchange {
 public:
  using Aggregate = typename Job::Aggregate;
  using Prefix = typename Job::Prefix;
  using Word = AggregateWord<Aggregate>;
  using Words = Word*;

  // How many lanes publish a tile: one for each memory that has the words.
  __device__ static int Listeners(Words) { return 1; }
  // What precedes the array.
  __device__ static Prefix Before(Words) { return Job::Empty(); }

  // The lowest bit tells the flag from that of memory just zeroed.
  __device__ PipelineExchange(const Job& job, Words words, uint32_t epoch)
      : job_(job),
        words_(words),
        flag_(StatusFlag<Aggregate>{epoch} << 1 | 1) {}

  // One thread of the tile's block calls it.
  __device__ void Publish(uint32_t tile, Aggregate value) const {
    StoreStatus(&words_[tile], TileStatus<Aggregate>{flag_, value});
  }

  // What the tiles [first, end) amount to, as soon as all have been published.
  // A whole warp calls it; every lane gets the result. Which lane takes which
  // tile depends on their distance from `end` alone.
  __device__ Prefix Gather(uint32_t first, uint32_t end) const {
    Prefix sum = Job::Empty();
    for (int64_t last = int64_t{end} - 1; last >= first;
         last -= kWarpSize * kWords) {
      sum = Job::Join(sum, GatherRound(first, last));
    }
    return Job::JoinLanes(sum);
  }

 private:
  // A block's tiles are as far apart as there are blocks, 131 others on an
  // H200. When they are drawn, one lies up to twice as far from the next.
  static constexpr int kWords = Job::Shape::kDynamicTiles ? 8 : 5;

  // This lane's share of the tiles up to `last`.
  __device__ __forceinline__ Prefix GatherRound(int64_t first,
                                                int64_t last) const {
    const int64_t mine = last - LaneId();
    TileStatus<Aggregate> status[kWords];
    bool ready[kWords];
#pragma unroll
    for (int k = 0; k < kWords; ++k) ready[k] = mine - k * kWarpSize < first;
    bool all_ready;
    do {
      // All loads are under way before the first is looked at.
#pragma unroll
      for (int k = 0; k < kWords; ++k) {
        if (!ready[k]) {
          status[k] = LoadStatus<Aggregate>(&words_[mine - k * kWarpSize]);
        }
      }
      all_ready = true;
#pragma unroll
      for (int k = 0; k < kWords; ++k) {
        ready[k] = mine - k * kWarpSize < first || status[k].flag == flag_;
        all_ready = all_ready && ready[k];
      }
    } while (!__all_sync(kWholeWarp, all_ready));
    Prefix sum = Job::Empty();
#pragma unroll
    for (int k = 0; k < kWords; ++k) {
      const int64_t tile = mine - k * kWarpSize;
      if (tile >= first) {
        sum = Job::Join(
            sum, job_.Lift(status[k].value, static_cast<uint32_t>(tile)));
      }
    }
    return sum;
  }

  const Job& job_;
  const Words words_;
  const StatusFlag<Aggregate> flag_;
};

}  // namespace concord

#endif  // CONCORD_BACKENDS_CUDA_PIPELINE_EXCHANGE_CUH_
