// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Programs whose results are known from their indices: a pass of each kind.

#include <string>

#include "concord/algorithms/sequence/sequence_program.h"
#include "concord/testing/large/device_arrays.cuh"

namespace concord {
namespace {

// 0, but for every third element.
struct EveryThird {
  __host__ __device__ std::uint8_t operator()(std::int64_t i) const {
    return i % 3 == 1 ? static_cast<std::uint8_t>(Scrambled(i) | 1) : 0;
  }
};

struct KeptElement {
  __host__ __device__ std::uint8_t operator()(std::int64_t i) const {
    return static_cast<std::uint8_t>(Scrambled(3 * i + 1) | 1);
  }
};

struct Flipped {
  __host__ __device__ std::uint8_t operator()(std::int64_t i) const {
    return static_cast<std::uint8_t>(i ^ 5);
  }
};

struct Index {
  __host__ __device__ std::uint8_t operator()(std::int64_t i) const {
    return static_cast<std::uint8_t>(i);
  }
};

// 0 ^ 1 ^ ... ^ i.
struct XorUpTo {
  __host__ __device__ std::uint8_t operator()(std::int64_t i) const {
    const std::int64_t xors[] = {i, 1, i + 1, 0};
    return static_cast<std::uint8_t>(xors[i % 4]);
  }
};

class LargeSequence : public LargeTest<SequenceProgram> {
 protected:
  void RunProgram(const std::string& program, const ArrayView& x,
                  const ArrayView& out, const ArrayView& count = {}) {
    SequenceProgram::Options options;
    options.program = program;
    RunIfThereIsRoom([&](SequenceProgram& sequence) {
      return sequence.Run({x}, {{out}, count}, options);
    });
  }
};

TEST_P(LargeSequence, MapPast32Bits) {
  const ArrayView x = Make<std::uint8_t>(kPast32Bits, Index());
  const ArrayView out = Allocate<std::uint8_t>(kPast32Bits);
  RunProgram("map x ^ 5", x, out);
  ExpectFromIndexes<std::uint8_t>(out, Flipped());
}

TEST_P(LargeSequence, FilterPast32Bits) {
  const std::int64_t kept = (kPast32Bits + 1) / 3;
  const ArrayView x = Make<std::uint8_t>(kPast32Bits, EveryThird());
  const ArrayView out = Allocate<std::uint8_t>(kPast32Bits);
  const ArrayView count = Allocate<std::int64_t>(1);
  RunProgram("filter x > 0", x, out, count);
  ExpectValue<std::int64_t>(count, kept);
  if (skipped()) return;
  ExpectFromIndexes<std::uint8_t>(out.Slice(0, kept), KeptElement());
}

TEST_P(LargeSequence, FilterPast31BitsAnd8GiB) {
  const std::int64_t kept = (kPast31Bits + 1) / 3;
  const ArrayView x = Make<std::uint32_t>(kPast31Bits, EveryThird());
  const ArrayView out = Allocate<std::uint32_t>(kPast31Bits);
  const ArrayView count = Allocate<std::int64_t>(1);
  RunProgram("filter x > 0", x, out, count);
  ExpectValue<std::int64_t>(count, kept);
  if (skipped()) return;
  ExpectFromIndexes<std::uint32_t>(out.Slice(0, kept), KeptElement());
}

TEST_P(LargeSequence, ScanPast32Bits) {
  const ArrayView x = Make<std::uint8_t>(kPast32Bits, Index());
  const ArrayView out = Allocate<std::uint8_t>(kPast32Bits);
  RunProgram("scan a ^ b", x, out);
  ExpectFromIndexes<std::uint8_t>(out, XorUpTo());
}

// By the tree of reduce, and by an operator that it does not know.
TEST_P(LargeSequence, ReducePast32Bits) {
  const ArrayView x = Make<std::uint8_t>(kPast32Bits, EveryThird());
  const ArrayView out = Allocate<std::int64_t>(1);
  const std::int64_t kept = (kPast32Bits + 1) / 3;
  RunProgram("map int64(x > 0) |> reduce a + b", x, out);
  ExpectValue<std::int64_t>(out, kept);
  RunProgram("map int64(x > 0) |> reduce (a ^ b) + 2 * (a & b)", x, out);
  ExpectValue<std::int64_t>(out, kept);
}

INSTANTIATE_TEST_SUITE_P(Cuda, LargeSequence,
                         testing::ValuesIn(CudaVariants<SequenceProgram>()),
                         VariantName);

}  // namespace
}  // namespace concord
