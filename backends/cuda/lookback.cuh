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
// Nothing is cleared between launches: a status carries the number of the
// launch (its epoch) that wrote it, and that of an older one counts as not
// written. The memory is zeroed once, when it is allocated.
//
// Forward progress: tiles are drawn in order from a counter, so every tile that
// is waited for belongs to a block that runs already.

#ifndef CONCORD_BACKENDS_CUDA_LOOKBACK_CUH_
#define CONCORD_BACKENDS_CUDA_LOOKBACK_CUH_

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "backends/cuda/warp.cuh"

namespace concord {

// What a tile says about itself: a value, and a flag with the state in two bits
// below the epoch. They must arrive together, so they are one memory access
// that the memory model of PTX calls indivisible:
//
//   - with a value of up to 4 bytes, one of 64 bits;
//   - with one of 8 bytes, one of 128 bits: the type .b128, a scalar for the
//     memory model from sm_70 on. (A vector access such as .v2.u64 would be two
//     accesses, between which a reader could see a new flag with an old value.)
//
// All bits of the access must be put to use: ptxas 13.0 splits a .b128 load
// into two narrow ones where parts of it are never looked at. So the flag fills
// what the value leaves.
//
// The value travels with the flag and nothing else is handed over, so relaxed
// order is enough.
template <typename T>
using StatusFlag = std::conditional_t<(sizeof(T) > 4), uint64_t, uint32_t>;

template <typename T>
struct TileStatus {
  StatusFlag<T> flag;
  T value;
};

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
    uint64_t value = 0;
    memcpy(&value, &status.value, sizeof(T));
    if constexpr (sizeof(T) > 4) {
      asm volatile(
          "{\n\t"
          ".reg .b128 word;\n\t"
          "mov.b128 word, {%1, %2};\n\t"
          "st.relaxed.gpu.global.b128 [%0], word;\n\t"
          "}" ::"l"(this),
          "l"(value), "l"(status.flag)
          : "memory");
    } else {
      asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(&high),
                   "l"(uint64_t{status.flag} << 32 | value)
                   : "memory");
    }
  }

  template <typename T>
  __device__ __forceinline__ TileStatus<T> Load() const {
    TileStatus<T> status;
    uint64_t value;
    if constexpr (sizeof(T) > 4) {
      asm volatile(
          "{\n\t"
          ".reg .b128 word;\n\t"
          "ld.relaxed.gpu.global.b128 word, [%2];\n\t"
          "mov.b128 {%0, %1}, word;\n\t"
          "}"
          : "=l"(value), "=l"(status.flag)
          : "l"(this)
          : "memory");
    } else {
      asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];"
                   : "=l"(value)
                   : "l"(&high)
                   : "memory");
      status.flag = static_cast<uint32_t>(value >> 32);
    }
    memcpy(&status.value, &value, sizeof(T));
    return status;
  }
};

// The tile that a block is to work on.
struct TileTicket {
  uint32_t tile;
  uint32_t epoch;
};

// Draws the next tile of this launch; one thread of each block calls it. The
// counter holds the epoch above the number of the next tile, so that one atomic
// operation yields both, and no block of this launch can see the next epoch:
// whoever draws the last tile knows that all others have drawn theirs, and sets
// the counter up for the next launch.
__device__ inline TileTicket DrawTile(unsigned long long* counter,
                                      uint32_t tiles) {
  const unsigned long long drawn = atomicAdd(counter, 1ull);
  const TileTicket ticket{static_cast<uint32_t>(drawn),
                          static_cast<uint32_t>(drawn >> 32)};
  if (ticket.tile == tiles - 1) {
    *counter = (static_cast<unsigned long long>(ticket.epoch) + 1) << 32;
  }
  return ticket;
}

// Launches before the flags of 32 bits repeat. The owner of the memory zeroes
// it at least that often.
inline constexpr int64_t kEpochs = int64_t{1} << 30;

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
