// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Which way of the sort from the highest digit suits how many keys.

#ifndef CONCORD_ALGORITHMS_RADIX_SORT_CUDA_MSD_POLICY_CUH_
#define CONCORD_ALGORITHMS_RADIX_SORT_CUDA_MSD_POLICY_CUH_

#include <algorithm>
#include <cstdint>

#include "concord/algorithms/radix_sort/cuda/msd_buckets.cuh"
#include "concord/algorithms/radix_sort/cuda/msd_partition.cuh"
#include "concord/algorithms/radix_sort/cuda/msd_plan.cuh"
#include "concord/core/element_type.h"

namespace concord::radix_sort {

// Buckets of about so many keys are sorted in shared memory, and keys are
// partitioned into as many as that takes.
inline constexpr int kBucketSizeBits = 12;

// The ways of partitioning and of sorting buckets; the first partition of many
// keys has one for each type. What is left of a key of 4 bytes after a prefix
// of 16 bits has room in two, so that the last steps move fewer bytes.
template <typename Bits>
struct MsdPolicy {
  using Partition = PartitionPolicy<512, 24, 2>;
  using SmallPartition = PartitionPolicy<512, 8, 4, false>;
  using Buckets = BucketPolicy<uint32_t, 9, 4, 1>;
};
template <>
struct MsdPolicy<uint64_t> {
  using Partition = PartitionPolicy<512, 16, 2>;
  using SmallPartition = Partition;
  using Buckets = BucketPolicy<uint64_t, 9, 3, 1>;
};
using HalfPartition = PartitionPolicy<384, 40, 2>;
using HalfBuckets = BucketPolicy<uint16_t, 9, 8, 4>;
using SmallHalfBuckets = BucketPolicy<uint16_t, 8, 16, 4>;

// The sizes at which it is faster were measured on GPUs whose blocks can have
// so much shared memory. It takes up to kMostBuckets counters of two bytes.
inline constexpr int64_t kLeastSharedBytes = int64_t{192} << 10;

// This sort takes at least so many keys, and up to so many it has columns
// enough: buckets of 4,608 keys in the mean have room for up to 5,112.
// Of keys of 4 bytes it takes more: positions have 32 bits.
inline constexpr int64_t kLeastMsdKeys = int64_t{1} << 20;
inline constexpr int64_t kMostColumnKeys = int64_t{9} << 25;
inline constexpr int64_t kMostMsdKeys = int64_t{1} << 31;
// With fewer keys, onesweep is as fast as counting what follows the prefix.
inline constexpr int64_t kLeastCountedKeys = int64_t{1} << 30;

// The rule by which keys are sorted one way or the other, by what the host
// knows. From so many keys on, of a type whose values are spread if its bits
// are, to find out that they crowd costs little beside sorting them by
// onesweep then. Floats crowd in few exponents.
inline int64_t LeastMsdKeysOf(ElementType type) {
  if (IsFloat(type)) return kMostMsdKeys + 1;
  return int64_t{1} << (SizeOf(type) == 4 ? 27 : 23);
}

// The same for keys with values.
inline int64_t LeastMsdPairsOf(ElementType type) {
  if (IsFloat(type)) return kMostMsdKeys + 1;
  return int64_t{1} << (SizeOf(type) == 4 ? 25 : 23);
}

// Of so few keys, half of the sample tells most crowds of which a bucket would
// be too large (msd_large.cuh).
inline constexpr int64_t kMostQuicklySampledKeys = int64_t{3} << 22;
// Up to so many, there are too few large tiles for all multiprocessors.
inline constexpr int64_t kMostSmallTileKeys = int64_t{1} << 23;
// From so many keys of 4 bytes on, prefixes have 16 bits.
inline constexpr int64_t kLeastHalfKeys = int64_t{1} << 26;
// Up to so many, half as many columns do: of 2,176 keys in the mean, with room
// for up to 2,552.
inline constexpr int64_t kMostSmallHalfKeys = int64_t{17} << 23;

inline PrefixDigits PrefixFor(int64_t n) {
  int bits = 8;
  while (bits < kMostPrefixBits && n > int64_t{1} << (bits + kBucketSizeBits)) {
    ++bits;
  }
  // Counting wants 64 prefixes to an upper digit.
  const int lower = bits == 8 ? 8 : std::max(6, bits / 2);
  return {bits - lower, lower};
}

}  // namespace concord::radix_sort

#endif  // CONCORD_ALGORITHMS_RADIX_SORT_CUDA_MSD_POLICY_CUH_
