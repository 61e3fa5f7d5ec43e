// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Every third element is kept, every element is squared: so each result is
// known from its index.

#include "concord/algorithms/compact/compact.h"
#include "concord/algorithms/transform/transform.h"
#include "concord/testing/large/device_arrays.cuh"

namespace concord {
namespace {

struct EveryThird {
  __host__ __device__ std::uint32_t operator()(std::int64_t i) const {
    return i % 3 == 1 ? Scrambled(i) | 1 : 0;
  }
};

struct KeptIndex {
  __host__ __device__ std::int64_t operator()(std::int64_t i) const {
    return 3 * i + 1;
  }
};

struct KeptElement {
  __host__ __device__ std::uint32_t operator()(std::int64_t i) const {
    return Scrambled(3 * i + 1) | 1;
  }
};

class LargeCompact : public LargeTest<Compact> {
 protected:
  template <typename T>
  void Check(std::int64_t n, bool with_indices) {
    if (!Takes(ElementTypeOf<T>(), n)) GTEST_SKIP() << "its contract ends here";
    const std::int64_t kept = (n + 1) / 3;
    const ArrayView in = Make<T>(n, EveryThird());
    Compact::Outputs outputs = {
        Allocate<T>(n), Allocate<std::int64_t>(1), {}, {}, {}};
    if (with_indices) outputs.indices = Allocate<std::int64_t>(n);
    RunIfThereIsRoom(
        [&](Compact &compact) { return compact.Run(in, outputs, {}); });
    ExpectValue<std::int64_t>(outputs.count, kept);
    if (skipped()) return;
    ExpectFromIndexes<T>(outputs.kept.Slice(0, kept), KeptElement());
    if (with_indices) {
      ExpectFromIndexes<std::int64_t>(outputs.indices->Slice(0, kept),
                                      KeptIndex());
    }
  }
};

TEST_P(LargeCompact, Past31BitsAnd8GiBWithIndices) {
  Check<std::uint32_t>(kPast31Bits, true);
}

TEST_P(LargeCompact, Past32Bits) { Check<std::uint8_t>(kPast32Bits, false); }

INSTANTIATE_TEST_SUITE_P(Cuda, LargeCompact,
                         testing::ValuesIn(CudaVariants<Compact>()),
                         VariantName);

class LargeTransform : public LargeTest<Transform> {};

struct Index {
  __host__ __device__ std::uint32_t operator()(std::int64_t i) const {
    return static_cast<std::uint32_t>(i);
  }
};

struct IndexSquared {
  __host__ __device__ std::uint32_t operator()(std::int64_t i) const {
    return static_cast<std::uint32_t>(i) * static_cast<std::uint32_t>(i);
  }
};

TEST_P(LargeTransform, Past31BitsAnd8GiB) {
  const std::int64_t n = kPast31Bits;
  const ArrayView in = Make<std::uint32_t>(n, Index());
  const ArrayView out = Allocate<std::uint32_t>(n);
  Transform::Options options;
  options.op = Transform::Op::kSquare;
  RunIfThereIsRoom(
      [&](Transform &transform) { return transform.Run(in, out, options); });
  ExpectFromIndexes<std::uint32_t>(out, IndexSquared());
}

TEST_P(LargeTransform, Past32Bits) {
  const std::int64_t n = kPast32Bits;
  const ArrayView in = Make<std::uint8_t>(n, Index());
  const ArrayView out = Allocate<std::uint8_t>(n);
  Transform::Options options;
  options.op = Transform::Op::kSquare;
  RunIfThereIsRoom(
      [&](Transform &transform) { return transform.Run(in, out, options); });
  ExpectFromIndexes<std::uint8_t>(out, IndexSquared());
}

INSTANTIATE_TEST_SUITE_P(Cuda, LargeTransform,
                         testing::ValuesIn(CudaVariants<Transform>()),
                         VariantName);

}  // namespace
}  // namespace concord
