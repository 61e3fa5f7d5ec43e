// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Sorts whose result can be checked in place: keys that come round and round,
// of which each has its known share, and the order of scrambled keys.

#include "concord/algorithms/radix_sort/radix_sort.h"
#include "concord/testing/large/device_arrays.cuh"

namespace concord {
namespace {

class LargeRadixSort : public LargeTest<RadixSort> {};

struct RoundAndRound {
  __host__ __device__ std::uint8_t operator()(std::int64_t i) const {
    return static_cast<std::uint8_t>(i);
  }
};

// The first n % 256 keys occur once more than the others.
struct SortedRounds {
  std::int64_t n;
  __host__ __device__ std::uint8_t operator()(std::int64_t i) const {
    const std::int64_t rounds = n / 256;
    const std::int64_t in_front = n % 256 * (rounds + 1);
    return static_cast<std::uint8_t>(
        i < in_front ? i / (rounds + 1) : n % 256 + (i - in_front) / rounds);
  }
};

TEST_P(LargeRadixSort, Past32Bits) {
  const std::int64_t n = kPast32Bits;
  if (!Takes(ElementType::kUInt8, n)) GTEST_SKIP() << "its contract ends here";
  const ArrayView in = Make<std::uint8_t>(n, RoundAndRound());
  const ArrayView out = Allocate<std::uint8_t>(n);
  RunIfThereIsRoom([&](RadixSort &sort) {
    return sort.Run(in, NoValues(), out, NoValues(), {});
  });
  ExpectFromIndexes<std::uint8_t>(out, SortedRounds{n});
}

struct ScrambledKey {
  __host__ __device__ std::uint32_t operator()(std::int64_t i) const {
    return Scrambled(i);
  }
};

// Each key is the one that stood where its index says, and the pairs of key and
// index rise: so no index occurs twice, and equal keys are in their old order.
struct IsSortedAndStable {
  const std::uint32_t *keys;
  const std::uint32_t *indices;
  __device__ bool operator()(std::int64_t i) const {
    if (keys[i] != Scrambled(indices[i])) return false;
    if (i == 0) return true;
    return keys[i - 1] < keys[i] ||
           (keys[i - 1] == keys[i] && indices[i - 1] < indices[i]);
  }
};

TEST_P(LargeRadixSort, Past31BitsAnd8GiBWithIndices) {
  const std::int64_t n = kPast31Bits;
  if (!Takes(ElementType::kUInt32, n)) GTEST_SKIP() << "its contract ends here";
  const ArrayView in = Make<std::uint32_t>(n, ScrambledKey());
  const ArrayView out = Allocate<std::uint32_t>(n);
  const ArrayView indices = Allocate<std::uint32_t>(n);
  RadixSort::Options options;
  options.argsort = true;
  RunIfThereIsRoom([&](RadixSort &sort) {
    return sort.Run(in, NoValues(), out, indices, options);
  });
  ExpectAll(n, IsSortedAndStable{out.data<std::uint32_t>(),
                                 indices.data<std::uint32_t>()});
}

INSTANTIATE_TEST_SUITE_P(Cuda, LargeRadixSort,
                         testing::ValuesIn(CudaVariants<RadixSort>()),
                         VariantName);

}  // namespace
}  // namespace concord
