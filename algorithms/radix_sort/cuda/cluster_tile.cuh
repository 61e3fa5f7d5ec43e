// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// How a cluster of blocks shares the elements of a small sort, and what each
// block keeps of them in shared memory.

#ifndef CONCORD_ALGORITHMS_RADIX_SORT_CUDA_CLUSTER_TILE_CUH_
#define CONCORD_ALGORITHMS_RADIX_SORT_CUDA_CLUSTER_TILE_CUH_

#include <cstdint>
#include <type_traits>

#include "concord/algorithms/radix_sort/cuda/arrays.cuh"
#include "concord/algorithms/radix_sort/cuda/rank.cuh"
#include "concord/backends/cuda/cluster.cuh"
#include "concord/backends/cuda/warp.cuh"

namespace concord::radix_sort {

// A block has up to kThreads * kItems elements.
template <int kThreadsOfBlock, int kItemsOfThread>
struct ClusterShape {
  static constexpr int kThreads = kThreadsOfBlock;
  static constexpr int kItems = kItemsOfThread;
  static constexpr int kWarps = kThreads / kWarpSize;
  static constexpr int kTile = kThreads * kItems;
  static constexpr int kElements = kMostClusterBlocks * kTile;
};

// Few threads sum up counts faster; many hide more of what ranks wait for. The
// fastest found on an H200 up to 2^15 elements, and above. With more than that
// takes, passes of a launch each are as fast.
using SmallCluster = ClusterShape<256, 8>;
template <typename Bits, typename Value>
using LargeCluster =
    ClusterShape<512, kBytesOfElement<Bits, Value> <= 4    ? 12
                      : kBytesOfElement<Bits, Value> <= 12 ? 8
                                                           : 6>;

// One block alone is faster for so many.
inline constexpr int kMostWithoutCluster = 3072;
// Up to so many keep the portable number of blocks busy, and no more.
inline constexpr int kMostInPortableCluster = 4096;

template <typename Bits, typename Value, typename S>
struct ClusterMemory {
  // Elements travel in words of 4 bytes or more.
  using Key = std::conditional_t<sizeof(Bits) == 1, uint32_t, Bits>;
  static constexpr uint32_t kSentBytes = kBytesOfElement<Key, Value>;

  RankMemory<S::kWarps> rank;
  // How many elements with each digit each block has, by every second pass.
  alignas(16) uint32_t counts[2][kMostClusterBlocks][kDigits];
  alignas(16) uint32_t own_counts[kDigits];
  uint32_t warp_totals[kDigits / kWarpSize];
  // Of each digit: where the element at place 0 of the tile would go if it had
  // that digit.
  uint32_t to[kDigits];
  ClusterMbarrier counts_arrived[2];
  ClusterMbarrier elements_arrived;
  // The tile in the order of its digits, and the next one as it arrives.
  Key keys[S::kTile];
  Value values[kHasValues<Value> ? S::kTile : 1];
  Key arriving_keys[S::kTile];
  Value arriving_values[kHasValues<Value> ? S::kTile : 1];
};

// What a thread has of its block's tile: `rows` of kItems rows of the warp's
// width, one after the other.
template <typename Bits, typename Value, typename S>
struct ClusterPart {
  Bits keys[S::kItems];
  Value values[kHasValues<Value> ? S::kItems : 1];
  int rows;
  uint32_t first;  // where in the tile it starts
};

// How the elements are dealt out: `each` to a block, of which the last blocks
// may have fewer, or none.
struct ClusterDeal {
  uint32_t block;
  uint32_t blocks;
  int rows;
  uint32_t each;
  uint32_t size;

  __device__ __forceinline__ uint32_t absent() const {
    return blocks * each - size;
  }
  // Whose tile has a place of the whole. There are up to 2^8 rows, so that
  // multiplying divides.
  template <int kThreads>
  __device__ __forceinline__ uint32_t OwnerOf(uint32_t place) const {
    return place / kThreads * ((1u << 16) / static_cast<uint32_t>(rows) + 1) >>
           16;
  }
};

}  // namespace concord::radix_sort

#endif  // CONCORD_ALGORITHMS_RADIX_SORT_CUDA_CLUSTER_TILE_CUH_
