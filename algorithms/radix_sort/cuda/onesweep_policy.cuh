// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Which shapes of blocks and tiles suit how many elements.

#ifndef CONCORD_ALGORITHMS_RADIX_SORT_CUDA_ONESWEEP_POLICY_CUH_
#define CONCORD_ALGORITHMS_RADIX_SORT_CUDA_ONESWEEP_POLICY_CUH_

#include <cstdint>
#include <vector>

#include "concord/algorithms/radix_sort/cuda/arrays.cuh"
#include "concord/algorithms/radix_sort/cuda/cluster_tile.cuh"
#include "concord/algorithms/radix_sort/cuda/pass.cuh"
#include "concord/algorithms/radix_sort/cuda/tile.cuh"

namespace concord::radix_sort {

// The fastest found. Large tiles pay: a digit's elements leave together, and
// there are fewer sums to hand on. What the compiler has to spill makes the
// shared memory's unit, the busiest, still busier.
//
// `type` has two blocks to a multiprocessor, as found on an H200. `large` has
// one, as found on an H100, whose memory is slower; it is for so many elements
// that each multiprocessor has several tiles. `turn` is for blocks that draw
// tile after tile.
template <typename Bits, typename Value>
struct PassPolicyFor {
  using type = PassPolicy<512, 20, 2, 4, true>;
  using large = type;
  using turn = type;
};
template <>
struct PassPolicyFor<uint64_t, NoValue> {
  using type = PassPolicy<384, 18, 2, 8, false>;
  using large = PassPolicy<512, 32, 1, 8, false>;
  using turn = PassPolicy<448, 16, 2, 8, true>;
};
template <typename Bits>
struct PassPolicyFor<Bits, uint32_t> {
  using type = PassPolicy<512, 18, 2, 4, true>;
  using large = PassPolicy<512, 32, 1, 8, false, true>;
};
template <>
struct PassPolicyFor<uint64_t, uint32_t> {
  using type = PassPolicy<512, 12, 2, 8, true>;
  using large = PassPolicy<512, 24, 1, 8, false, true>;
};
template <typename Bits>
struct PassPolicyFor<Bits, uint64_t> {
  using type = PassPolicy<448, 18, 2, 8, true>;
  using large = PassPolicy<512, 20, 1, 8, false, true>;
};
template <>
struct PassPolicyFor<uint64_t, uint64_t> {
  using type = PassPolicy<384, 16, 2, 8, true>;
  using large = PassPolicy<512, 16, 1, 8, false, true>;
};
inline constexpr int64_t kLeastForLargeTiles = int64_t{1} << 22;
// An H100 has 3.4 TB/s, an H200 4.9.
inline constexpr int64_t kFastMemory = int64_t{4'000'000'000'000};

// Large tiles of few elements would leave multiprocessors idle. Small ones have
// more others to look back at, so they ask for more of them at a time. The
// limits are what was found on an H200; the second goes further where elements
// are wide.
using FewPassPolicy = PassPolicy<384, 8, 2, 16, false>;
using SomePassPolicy = PassPolicy<384, 12, 2, 8, false>;
inline constexpr int64_t kMostFew = int64_t{1} << 18;
template <typename Bits, typename Value>
inline constexpr int64_t kMostSome =
    int64_t{1} << (kBytesOfElement<Bits, Value> < 16 ? 20 : 21);

// For devices that give a block no more than 64 KiB of shared memory.
using SmallPassPolicy = PassPolicy<256, 8, 2, 4, false>;

// Tiles are numbered with 32 bits.
inline constexpr int64_t kMostOnesweepElements = int64_t{1} << 40;

// For contracts: where another way or shape begins.
inline std::vector<int64_t> OnesweepBoundaries() {
  return {TinyTile::kElements,
          kMostWithoutCluster,
          kMostInPortableCluster,
          SmallCluster::kElements,
          LargeCluster<uint64_t, uint64_t>::kElements,
          LargeCluster<uint64_t, NoValue>::kElements,
          LargeCluster<uint32_t, NoValue>::kElements,
          kMostFew,
          kMostSome<uint32_t, NoValue>,
          SmallTile::kElements,
          LargeTile::kElements,
          PassPolicyFor<uint32_t, NoValue>::type::kTile,
          PassPolicyFor<uint64_t, NoValue>::type::kTile,
          PassPolicyFor<uint32_t, uint32_t>::type::kTile,
          PassPolicyFor<uint64_t, uint32_t>::type::kTile,
          PassPolicyFor<uint32_t, uint64_t>::type::kTile};
}
inline constexpr char kKeepsOfOnesweep[] =
    "memory of the size of the input, and words for the digits of each tile, "
    "which say in which pass they were written: the first call clears them, "
    "and one after every 2^22 passes";

}  // namespace concord::radix_sort

#endif  // CONCORD_ALGORITHMS_RADIX_SORT_CUDA_ONESWEEP_POLICY_CUH_
