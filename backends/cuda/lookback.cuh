// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Decoupled look-back (Merrill and Garland, "Single-pass Parallel Prefix Scan
// with Decoupled Look-back", NVIDIA technical report NVR-2016-002): the tiles
// of an array hand their running prefix on within one launch. Each tile
//
//   1. publishes the aggregate of its own elements,
//   2. looks back over the tiles before it, combining their aggregates until it
//      meets one that has published its inclusive prefix already,
//   3. publishes its own inclusive prefix.
//
// Statuses are those of tile_status.cuh, in the memory of TileWords.
//
// Forward progress: tiles are drawn in order from a counter, so every tile that
// is waited for belongs to a block that runs already.

#ifndef CONCORD_BACKENDS_CUDA_LOOKBACK_CUH_
#define CONCORD_BACKENDS_CUDA_LOOKBACK_CUH_

#include <cstdint>

#include "concord/backends/cuda/tile_status.cuh"
#include "concord/backends/cuda/warp.cuh"

namespace concord {

// Each has a cache line to itself: a tile that waits for one does not hold up
// the publication of its neighbours. (The int32 scan of 2^28 elements took 662,
// 607 and 580 us with statuses 8, 16 and 32 bytes apart; from 32 to 128 bytes
// it gained another 3 %.) And one memory serves all element types: every flag
// is in the upper half of the first 16 bytes, where no value can be mistaken
// for it.
struct alignas(128) StatusWord {
  uint64_t low;
  uint64_t high;

  template <typename T>
  __device__ __forceinline__ void Store(TileStatus<T> status) {
    StoreStatus(sizeof(T) > 4 ? &low : &high, status);
  }

  template <typename T>
  __device__ __forceinline__ TileStatus<T> Load() const {
    return LoadStatus<T>(sizeof(T) > 4 ? &low : &high);
  }
};

// The statuses of one launch.
template <typename T>
class Lookback {
 public:
  __device__ Lookback(StatusWord* words, uint32_t epoch)
      : words_(words),
        aggregate_flag_(StatusFlag<T>{epoch} << 2 | 1),
        prefix_flag_(StatusFlag<T>{epoch} << 2 | 2) {}

  // One thread of a tile's block publishes; the first tile's aggregate is its
  // prefix and must be published as that.
  __device__ void PublishAggregate(uint32_t tile, T value) {
    words_[tile].Store(TileStatus<T>{aggregate_flag_, value});
  }
  __device__ void PublishPrefix(uint32_t tile, T value) {
    words_[tile].Store(TileStatus<T>{prefix_flag_, value});
  }

  // The exclusive prefix of `tile`, which is not the first. A whole warp calls
  // it, and each lane watches one of the 32 tiles before; every lane gets the
  // result.
  template <typename Op>
  __device__ T ExclusivePrefix(uint32_t tile) const {
    T prefix = Op::Identity();
    int64_t watched = int64_t{tile} - 1 - LaneId();
    for (;;) {
      TileStatus<T> status{prefix_flag_, Op::Identity()};
      unsigned needed;  // the lanes up to the nearest prefix
      unsigned with_prefix;
      do {
        if (watched >= 0) status = words_[watched].template Load<T>();
        with_prefix = __ballot_sync(kWholeWarp, status.flag == prefix_flag_);
        needed = with_prefix ^ (with_prefix - 1);
      } while (__any_sync(
          kWholeWarp, !Ready(status.flag) && (needed >> LaneId() & 1) != 0));
      const T value =
          (needed >> LaneId() & 1) != 0 ? status.value : Op::Identity();
      prefix = Op()(WarpReduce<Op>(value), prefix);
      if (with_prefix != 0) return prefix;
      watched -= kWarpSize;
    }
  }

 private:
  __device__ bool Ready(StatusFlag<T> flag) const {
    return flag == aggregate_flag_ || flag == prefix_flag_;
  }

  StatusWord* words_;
  StatusFlag<T> aggregate_flag_;
  StatusFlag<T> prefix_flag_;
};

}  // namespace concord

#endif  // CONCORD_BACKENDS_CUDA_LOOKBACK_CUH_
