// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Scans and reductions of differences g(i + 1) - g(i): their sums telescope, so
// each result is known from its index.

#include "concord/algorithms/reduce/reduce.h"
#include "concord/algorithms/scan/scan.h"
#include "concord/testing/large/device_arrays.cuh"

namespace concord {
namespace {

struct Difference {
  __host__ __device__ std::uint32_t operator()(std::int64_t i) const {
    return Scrambled(i + 1) - Scrambled(i);
  }
};

struct SumUpTo {
  std::int64_t elements_after_index;
  __host__ __device__ std::uint32_t operator()(std::int64_t i) const {
    return Scrambled(i + elements_after_index) - Scrambled(0);
  }
};

class LargeScan : public LargeTest<Scan> {
 protected:
  template <typename T>
  void Check(std::int64_t n, Scan::Kind kind) {
    if (!Takes(ElementTypeOf<T>(), n)) GTEST_SKIP() << "its contract ends here";
    const ArrayView in = Make<T>(n, Difference());
    const ArrayView out = Allocate<T>(n);
    Scan::Options options;
    options.kind = kind;
    RunIfThereIsRoom([&](Scan &scan) { return scan.Run(in, out, options); });
    ExpectFromIndexes<T>(out, SumUpTo{kind == Scan::Kind::kInclusive ? 1 : 0});
  }
};

TEST_P(LargeScan, Past31BitsAnd8GiB) {
  Check<std::uint32_t>(kPast31Bits, Scan::Kind::kInclusive);
}

TEST_P(LargeScan, Past32Bits) {
  Check<std::uint8_t>(kPast32Bits, Scan::Kind::kExclusive);
}

INSTANTIATE_TEST_SUITE_P(Cuda, LargeScan,
                         testing::ValuesIn(CudaVariants<Scan>()), VariantName);

class LargeReduce : public LargeTest<Reduce> {
 protected:
  template <typename T>
  void Check(std::int64_t n) {
    if (!Takes(ElementTypeOf<T>(), n)) GTEST_SKIP() << "its contract ends here";
    const ArrayView in = Make<T>(n, Difference());
    const ArrayView out = Allocate<T>(1);
    RunIfThereIsRoom([&](Reduce &reduce) { return reduce.Run(in, out, {}); });
    ExpectValue<T>(out, static_cast<T>(SumUpTo{0}(n)));
  }
};

TEST_P(LargeReduce, Past31BitsAnd8GiB) { Check<std::uint32_t>(kPast31Bits); }

TEST_P(LargeReduce, Past32Bits) { Check<std::uint8_t>(kPast32Bits); }

INSTANTIATE_TEST_SUITE_P(Cuda, LargeReduce,
                         testing::ValuesIn(CudaVariants<Reduce>()),
                         VariantName);

}  // namespace
}  // namespace concord
