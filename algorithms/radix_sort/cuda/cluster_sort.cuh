// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// A sort of so few elements that the shared memory of one cluster holds them:
// one launch sorts by all digits, from the lowest to the highest. In each pass,
//
//   1. a block sorts its tile by the digit, as one of `SortTilesByDigit` does,
//      and sends its counts of the digit to all blocks;
//   2. from everyone's counts it sums up where its elements of each value of
//      the digit go;
//   3. it sends each element to the block that has it in the next pass.
//
// Nobody waits for more than what it needs: a block knows how many bytes it
// will be sent, and its barriers count them. Counts tell more than they say.
// Who has those of all blocks knows that all of these have taken up what they
// were sent before, so that their memory may be written to again.

#ifndef CONCORD_ALGORITHMS_RADIX_SORT_CUDA_CLUSTER_SORT_CUH_
#define CONCORD_ALGORITHMS_RADIX_SORT_CUDA_CLUSTER_SORT_CUH_

#include <cstdint>

#include "concord/algorithms/radix_sort/cuda/arrays.cuh"
#include "concord/algorithms/radix_sort/cuda/cluster_tile.cuh"
#include "concord/algorithms/radix_sort/cuda/plan.cuh"
#include "concord/algorithms/radix_sort/cuda/rank.cuh"
#include "concord/backends/cuda/cluster.cuh"
#include "concord/backends/cuda/warp.cuh"

namespace concord::radix_sort {

// One thread calls it.
template <typename Memory>
__device__ __forceinline__ void ExpectCounts(Memory& memory, uint32_t side,
                                             uint32_t blocks) {
  memory.counts_arrived[side].ArriveExpecting(blocks * sizeof(uint32_t) *
                                              kDigits);
}
template <typename Memory>
__device__ __forceinline__ void ExpectElements(Memory& memory, uint32_t each) {
  memory.elements_arrived.ArriveExpecting(each * Memory::kSentBytes);
}

template <typename Memory>
__device__ __forceinline__ void PrepareCluster(const ClusterDeal& deal,
                                               Memory& memory) {
  if (threadIdx.x == 0) {
    memory.counts_arrived[0].Init(1);
    memory.counts_arrived[1].Init(1);
    memory.elements_arrived.Init(1);
    FenceMbarrierInit();
    ExpectCounts(memory, 0, deal.blocks);
    ExpectCounts(memory, 1, deal.blocks);
    ExpectElements(memory, deal.each);
  }
  ArriveAtCluster();
  // Blocks that are not there have none.
  if (threadIdx.x < kDigits) {
    for (uint32_t block = deal.blocks; block < kMostClusterBlocks; ++block) {
      memory.counts[0][block][threadIdx.x] = 0;
      memory.counts[1][block][threadIdx.x] = 0;
    }
  }
  ClearCounts(memory.rank);
}

template <typename Bits, typename Value, typename S>
__device__ __forceinline__ void LoadPart(const SortArrays<Bits, Value>& arrays,
                                         const ClusterDeal& deal,
                                         ClusterPart<Bits, Value, S>& part) {
#pragma unroll
  for (int i = 0; i < S::kItems; ++i) {
    if (i >= part.rows) break;
    const uint32_t place = deal.block * deal.each + part.first + i * kWarpSize;
    const bool present = place < deal.size;
    // What is absent comes last, after all that has the highest digits.
    part.keys[i] = present ? arrays.map.Map(arrays.keys_in[place])
                           : static_cast<Bits>(~Bits{0});
    if constexpr (kHasValues<Value>) {
      part.values[i] = static_cast<Value>(place);
      if (present && arrays.values_in != nullptr) {
        part.values[i] = arrays.values_in[place];
      }
    }
  }
}

// Sends what stands in `own_counts` to all blocks, a warp to one at a time.
template <typename S, typename Memory>
__device__ __forceinline__ void SendCounts(const ClusterDeal& deal,
                                           uint32_t side, Memory& memory) {
  constexpr int kVectors = kDigits * sizeof(uint32_t) / sizeof(uint4);
  const auto* const counts = reinterpret_cast<const uint4*>(memory.own_counts);
  const uint32_t to = SharedAddress(memory.counts[side][deal.block]);
  const uint32_t barrier = SharedAddress(&memory.counts_arrived[side]);
  for (uint32_t block = WarpId(); block < deal.blocks; block += S::kWarps) {
#pragma unroll
    for (int i = LaneId(); i < kVectors; i += kWarpSize) {
      Send(AddressInBlock(to + i * sizeof(uint4), block), counts[i],
           AddressInBlock(barrier, block));
    }
  }
}

// Puts the part into the order of the digit, where SumUpCounts has been called.
template <typename Bits, typename Value, typename S>
__device__ __forceinline__ void PlacePart(
    const ClusterPart<Bits, Value, S>& part, KeyDigit digit,
    ClusterMemory<Bits, Value, S>& memory) {
  uint32_t* const counts = memory.rank.counts[WarpId()];
#pragma unroll
  for (int i = 0; i < S::kItems; ++i) {
    if (i >= part.rows) break;
    const uint32_t place = TakePlace<false>(digit(part.keys[i]), counts);
    memory.keys[place] = part.keys[i];
    if constexpr (kHasValues<Value>) memory.values[place] = part.values[i];
  }
  __syncwarp();
  ClearCounts(memory.rank);
}

// Sums up the counts of all blocks to where this one's elements of each digit
// go, given where these start in its tile. Whether all elements have the same
// digit, so that none needs to move.
template <typename Memory>
__device__ __forceinline__ bool FindPlaces(const ClusterDeal& deal,
                                           uint32_t side, KeyDigit digit,
                                           uint32_t first_in_tile,
                                           Memory& memory) {
  uint32_t total = 0;
  uint32_t before = 0;
  if (threadIdx.x < kDigits) {
#pragma unroll
    for (uint32_t block = 0; block < kMostClusterBlocks; ++block) {
      const uint32_t count = memory.counts[side][block][threadIdx.x];
      total += count;
      if (block < deal.block) before += count;
    }
  }
  const uint32_t first = SumOfLowerDigits(total, memory.warp_totals);
  bool all = false;
  if (threadIdx.x < kDigits) {
    memory.to[threadIdx.x] = first + before - first_in_tile;
    all = total - (threadIdx.x == digit.mask ? deal.absent() : 0) == deal.size;
  }
  return __syncthreads_or(all);
}

template <typename S, typename Bits, typename Value>
__device__ __forceinline__ void SendTile(
    const ClusterDeal& deal, KeyDigit digit,
    ClusterMemory<Bits, Value, S>& memory) {
  using Key = typename ClusterMemory<Bits, Value, S>::Key;
  const uint32_t keys = SharedAddress(memory.arriving_keys);
  const uint32_t values = SharedAddress(memory.arriving_values);
  const uint32_t barrier = SharedAddress(&memory.elements_arrived);
#pragma unroll
  for (int i = 0; i < S::kItems; ++i) {
    if (i >= deal.rows) break;
    const uint32_t place = i * S::kThreads + threadIdx.x;
    const Key key = memory.keys[place];
    const uint32_t to = memory.to[digit(key)] + place;
    const uint32_t owner = deal.template OwnerOf<S::kThreads>(to);
    const uint32_t there = to - owner * deal.each;
    const uint32_t told = AddressInBlock(barrier, owner);
    Send(AddressInBlock(keys + there * sizeof(Key), owner), key, told);
    if constexpr (kHasValues<Value>) {
      Send(AddressInBlock(values + there * sizeof(Value), owner),
           memory.values[place], told);
    }
  }
}

template <typename Bits, typename Value, typename S>
__device__ __forceinline__ void TakeUpPart(
    const ClusterMemory<Bits, Value, S>& memory,
    ClusterPart<Bits, Value, S>& part) {
#pragma unroll
  for (int i = 0; i < S::kItems; ++i) {
    if (i >= part.rows) break;
    const uint32_t place = part.first + i * kWarpSize;
    part.keys[i] = static_cast<Bits>(memory.arriving_keys[place]);
    if constexpr (kHasValues<Value>) {
      part.values[i] = memory.arriving_values[place];
    }
  }
}

// The last pass leaves the elements in the output, whose values have the type
// Out.
template <typename Out, typename S, typename Bits, typename Value>
__device__ __forceinline__ void StoreSortedTile(
    const SortArrays<Bits, Value>& arrays, const ClusterDeal& deal,
    KeyDigit digit, const ClusterMemory<Bits, Value, S>& memory) {
#pragma unroll
  for (int i = 0; i < S::kItems; ++i) {
    if (i >= deal.rows) break;
    const uint32_t place = i * S::kThreads + threadIdx.x;
    const auto key = static_cast<Bits>(memory.keys[place]);
    const uint32_t to = memory.to[digit(key)] + place;
    if (to >= deal.size) continue;
    arrays.out.keys[to] = arrays.map.Unmap(key);
    if constexpr (kHasValues<Value>) {
      reinterpret_cast<Out*>(arrays.out.values)[to] = memory.values[place];
    }
  }
}

// One cluster, whose blocks have `rows` elements for each of their threads.
template <typename Bits, typename Value, typename Out, typename S>
__global__ void __launch_bounds__(S::kThreads)
    SortInCluster(SortArrays<Bits, Value> arrays, KeyDigits digits, int rows) {
#if __CUDA_ARCH__ >= 900
  extern __shared__ uint4 dynamic_memory[];
  auto& memory =
      *reinterpret_cast<ClusterMemory<Bits, Value, S>*>(dynamic_memory);
  const ClusterDeal deal = {BlockOfCluster(), BlocksOfCluster(), rows,
                            static_cast<uint32_t>(rows * S::kThreads),
                            static_cast<uint32_t>(arrays.size)};
  PrepareCluster(deal, memory);
  ClusterPart<Bits, Value, S> part;
  part.rows = rows;
  part.first = WarpId() * rows * kWarpSize + LaneId();
  LoadPart(arrays, deal, part);
  // Everyone has started, and has barriers.
  WaitForArrivals();

  const int passes = digits.count();
  uint32_t moves = 0;
#pragma unroll 1
  for (int pass = 0; pass < passes; ++pass) {
    const KeyDigit digit = digits[pass];
    const uint32_t side = pass % 2;
    uint32_t* const counts = memory.rank.counts[WarpId()];
    __syncwarp();
#pragma unroll
    for (int i = 0; i < S::kItems; ++i) {
      if (i < rows) atomicAdd(&counts[digit(part.keys[i])], 1u);
    }
    __syncthreads();
    const DigitOfTile of_tile = SumUpCounts<S::kThreads>(
        memory.rank,
        [&](uint32_t count) { memory.own_counts[threadIdx.x] = count; });
    SendCounts<S>(deal, side, memory);
    PlacePart(part, digit, memory);
    memory.counts_arrived[side].WaitForCluster(pass / 2 % 2);
    if (threadIdx.x == 0) ExpectCounts(memory, side, deal.blocks);
    const bool agree = FindPlaces(deal, side, digit, of_tile.first, memory);
    if (pass == passes - 1) {
      StoreSortedTile<Out>(arrays, deal, digit, memory);
    } else if (!agree) {
      SendTile<S>(deal, digit, memory);
      memory.elements_arrived.WaitForCluster(moves++ % 2);
      if (threadIdx.x == 0) ExpectElements(memory, deal.each);
      TakeUpPart(memory, part);
    }
  }
#endif
}

}  // namespace concord::radix_sort

#endif  // CONCORD_ALGORITHMS_RADIX_SORT_CUDA_CLUSTER_SORT_CUH_
