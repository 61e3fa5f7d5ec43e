// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// What the steps of the sort from the highest digit tell each other.

#ifndef CONCORD_ALGORITHMS_RADIX_SORT_CUDA_MSD_STATE_CUH_
#define CONCORD_ALGORITHMS_RADIX_SORT_CUDA_MSD_STATE_CUH_

#include <cstdint>

#include "concord/algorithms/radix_sort/cuda/rank.cuh"

namespace concord::radix_sort {

inline constexpr int kSampleSlotBits = 15;
inline constexpr int kMostPrefixBits = 16;
inline constexpr int kMostBuckets = 1 << kMostPrefixBits;
// Keys that differ from the sampled ones in bits above the prefix, and are set
// aside.
inline constexpr uint32_t kMostOutliers = 8192;

// A prefix is two digits, by each of which the keys are partitioned once.
struct PrefixDigits {
  int upper;  // bits, 0 where one partition does
  int lower;

  __host__ __device__ int bits() const { return upper + lower; }
};

// Of sampled keys, those that are equal to one before them, that agree with one
// in all bits from a shift on, that agree with their neighbour in the digit by
// which they are partitioned first, and that are too many of a prefix.
struct SampleCounts {
  uint32_t equal;
  uint32_t repeats;
  uint32_t neighbours;
  uint32_t crowded;
};

// Device memory that is kept from call to call.
struct MsdState {
  // Set where the keys are left to another sort.
  uint32_t crowded;
  // Set where the keys are not counted, but partitioned into buckets that have
  // room enough by all that a sample tells (msd_rooms.cuh).
  uint32_t in_rooms;
  // Set where the counts are right, and prefixes the upper halves of 4 bytes.
  uint32_t halves_counted;
  // Bits that follow the prefix.
  int rest;
  // Some key, mapped, with which those of the sample were compared.
  unsigned long long key;
  // Of the first sample, and zero between calls.
  SampleCounts sample;
  // Buckets that are left to the second way of sorting them.
  uint32_t listed;

  // Blocks that have arrived where the last one decides.
  uint32_t arrivals;
  // Of the sample for rooms: pairs of keys with the same prefix, beyond those
  // that come by chance; and whether more have one than there is room for.
  unsigned long long excess;
  uint32_t uneven;
  // Of the same sample: keys that are equal to one before them.
  uint32_t twins;
  // Set where a room was too small after all, or outliers are too many.
  uint32_t overflows;
  // Of how many keys the bits above the prefix differ, which they are, and how
  // many are smaller than all others (msd_outliers.cuh).
  uint32_t outliers;
  uint32_t outliers_below;
  unsigned long long outlier[kMostOutliers];

  // Of the upper digit: keys, where they start, where the next one goes, and
  // the tiles of the values before.
  uint32_t upper_counts[kDigits];
  uint32_t upper_first[kDigits + 1];
  uint32_t upper_next[kDigits];
  uint32_t upper_tiles[kDigits + 1];
  // Of the prefix. Counts are all zero between calls.
  alignas(16) uint32_t counts[kMostBuckets];
  uint32_t next[kMostBuckets];
  uint32_t first[kMostBuckets + 1];
  uint32_t list[kMostBuckets];
  // Of the first sample, and zero between calls: what is noted of keys, each
  // where a hash puts it, and how many have a prefix.
  uint32_t sampled[1 << kSampleSlotBits];
  uint32_t sampled_prefixes[kMostBuckets];
};

}  // namespace concord::radix_sort

#endif  // CONCORD_ALGORITHMS_RADIX_SORT_CUDA_MSD_STATE_CUH_
