// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// How the tiles of one launch tell each other what they amount to, and how they
// are handed out.
//
// Nothing is cleared between launches: a status carries the number of the
// launch (its epoch) that wrote it, and that of an older one counts as not
// written. The memory is zeroed once, when it is allocated.

#ifndef CONCORD_BACKENDS_CUDA_TILE_STATUS_CUH_
#define CONCORD_BACKENDS_CUDA_TILE_STATUS_CUH_

#include <cstdint>
#include <cstring>
#include <type_traits>

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

// The status takes the 8 bytes at `at` with a value of up to 4 bytes, and 16
// otherwise.
template <typename T>
__device__ __forceinline__ void StoreStatus(void* at, TileStatus<T> status) {
  uint64_t value = 0;
  memcpy(&value, &status.value, sizeof(T));
  if constexpr (sizeof(T) > 4) {
    asm volatile(
        "{\n\t"
        ".reg .b128 word;\n\t"
        "mov.b128 word, {%1, %2};\n\t"
        "st.relaxed.gpu.global.b128 [%0], word;\n\t"
        "}" ::"l"(at),
        "l"(value), "l"(status.flag)
        : "memory");
  } else {
    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(at),
                 "l"(uint64_t{status.flag} << 32 | value)
                 : "memory");
  }
}

template <typename T>
__device__ __forceinline__ TileStatus<T> LoadStatus(const void* at) {
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
        : "l"(at)
        : "memory");
  } else {
    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];"
                 : "=l"(value)
                 : "l"(at)
                 : "memory");
    status.flag = static_cast<uint32_t>(value >> 32);
  }
  memcpy(&status.value, &value, sizeof(T));
  return status;
}

// The tile that a block is to work on.
struct TileTicket {
  uint32_t tile;
  uint32_t epoch;
};

// Draws the next tile of this launch, which makes `draws` draws in all. The
// counter holds the epoch above the number of the next tile, so that one atomic
// operation yields both, and no block of this launch can see the next epoch:
// whoever makes the last draw knows that all others have made theirs, and sets
// the counter up for the next launch.
__device__ inline TileTicket DrawTile(unsigned long long* counter,
                                      uint32_t draws) {
  const unsigned long long drawn = atomicAdd(counter, 1ull);
  const TileTicket ticket{static_cast<uint32_t>(drawn),
                          static_cast<uint32_t>(drawn >> 32)};
  if (ticket.tile == draws - 1) {
    *counter = (static_cast<unsigned long long>(ticket.epoch) + 1) << 32;
  }
  return ticket;
}

// Launches before the flags of 32 bits repeat. The owner of the memory zeroes
// it at least that often.
inline constexpr int64_t kEpochs = int64_t{1} << 30;

}  // namespace concord

#endif  // CONCORD_BACKENDS_CUDA_TILE_STATUS_CUH_
