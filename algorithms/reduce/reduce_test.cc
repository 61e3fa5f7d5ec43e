// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/algorithms/reduce/reduce.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "concord/core/backend.h"
#include "concord/core/distributions.h"
#include "concord/core/signature.h"
#include "concord/testing/support/differential.h"
#include "concord/testing/support/named_backends.h"

namespace concord {
namespace {

using ::testing::HasSubstr;
using Op = Reduce::Op;

DifferentialOptions SuiteOptions() {
  DifferentialOptions options;
  // The tree is its own mirror image for up to two rows, of 128 elements.
  options.smallest_sizes["swaps_operands"] = 2 * 128 + 1;
  for (const char* fault :
       {"cuda/cub/swaps_operands", "cuda/thrust/swaps_operands"}) {
    options.meaningless_faults[fault] =
        "all operators are commutative, and it promises no order of float sums";
  }
  return options;
}

const bool kDifferential = AddDifferentialSuite("reduce", SuiteOptions());

// The bits of a result, so that zeros and NaNs can be told apart.
template <typename T>
std::uint64_t Bits(T value) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof(value));
  return bits;
}

class ReduceOn : public ::testing::TestWithParam<std::string> {
 protected:
  template <typename T>
  T Result(const std::vector<T>& in, Op op) {
    return ValueOf(ComputeReduce<T>(Open(GetParam()), in, {op}));
  }
};

INSTANTIATE_TEST_SUITE_P(Backends, ReduceOn, CpuBackends(), NameOfParameter);

TEST_P(ReduceOn, EachOperatorOfAShortArray) {
  const std::vector<std::int32_t> in = {12, -3, 10, 6};
  EXPECT_EQ(Result(in, Op::kAdd), 25);
  EXPECT_EQ(Result(in, Op::kMul), -2160);
  EXPECT_EQ(Result(in, Op::kMin), -3);
  EXPECT_EQ(Result(in, Op::kMax), 12);
  EXPECT_EQ(Result(in, Op::kAnd), 12 & -3 & 10 & 6);
  EXPECT_EQ(Result(in, Op::kOr), 12 | -3 | 10 | 6);
  EXPECT_EQ(Result(in, Op::kXor), 12 ^ -3 ^ 10 ^ 6);
}

TEST_P(ReduceOn, SumOfOneToAMillion) {
  std::vector<std::int64_t> in(1'000'000);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = i + 1;
  EXPECT_EQ(Result(in, Op::kAdd), 500'000'500'000);
}

TEST_P(ReduceOn, EmptyInputGivesTheIdentity) {
  EXPECT_EQ(Result<std::uint8_t>({}, Op::kAdd), 0);
  EXPECT_EQ(Result<std::uint8_t>({}, Op::kMul), 1);
  EXPECT_EQ(Result<std::int8_t>({}, Op::kMin), 127);
  EXPECT_EQ(Result<std::int8_t>({}, Op::kMax), -128);
  EXPECT_EQ(Result<std::uint32_t>({}, Op::kAnd), 0xffffffffu);
  EXPECT_EQ(Result<std::uint32_t>({}, Op::kOr), 0u);
  EXPECT_EQ(Result<std::uint32_t>({}, Op::kXor), 0u);
  EXPECT_EQ(Bits(Result<float>({}, Op::kAdd)), Bits(0.0f));
  EXPECT_EQ(Result<double>({}, Op::kMul), 1.0);
  EXPECT_EQ(Result<double>({}, Op::kMin), HUGE_VAL);
  EXPECT_EQ(Result<double>({}, Op::kMax), -HUGE_VAL);
}

TEST_P(ReduceOn, IntegersWrapAround) {
  EXPECT_EQ(Result<std::int8_t>({127, 1}, Op::kAdd), -128);
  EXPECT_EQ(Result<std::uint8_t>({16, 17}, Op::kMul), 16);
  EXPECT_EQ(Result<std::int32_t>({std::numeric_limits<std::int32_t>::min(), -1},
                                 Op::kMul),
            std::numeric_limits<std::int32_t>::min());
  EXPECT_EQ(Result<std::uint64_t>({~std::uint64_t{0}, 2}, Op::kAdd), 1u);
}

TEST_P(ReduceOn, MinimumAndMaximumTellZerosApart) {
  // Long enough that both zeros meet in vectors as well as in the last steps.
  for (const std::size_t n : {2, 3, 64, 1000, 5000}) {
    std::vector<float> in(n, 0.0f);
    EXPECT_EQ(Bits(Result(in, Op::kMin)), Bits(0.0f));
    EXPECT_EQ(Bits(Result(in, Op::kMax)), Bits(0.0f));
    for (const std::size_t at : {std::size_t{0}, n / 2, n - 1}) {
      in.assign(n, 0.0f);
      in[at] = -0.0f;
      EXPECT_EQ(Bits(Result(in, Op::kMin)), Bits(-0.0f)) << n << " " << at;
      in.assign(n, -0.0f);
      EXPECT_EQ(Bits(Result(in, Op::kMax)), Bits(-0.0f));
      in[at] = 0.0f;
      EXPECT_EQ(Bits(Result(in, Op::kMax)), Bits(0.0f)) << n << " " << at;
    }
  }
}

TEST_P(ReduceOn, ANanAnywhereGivesTheQuietNan) {
  const std::uint64_t quiet = Bits(std::numeric_limits<double>::quiet_NaN());
  for (const Op op : {Op::kAdd, Op::kMul, Op::kMin, Op::kMax}) {
    for (const std::size_t at : {0, 1, 499, 999}) {
      std::vector<double> in(1000, 1.0);
      in[at] = -std::nan("12345");
      EXPECT_EQ(Bits(Result(in, op)), quiet) << at;
    }
  }
  EXPECT_EQ(Bits(Result<double>({HUGE_VAL, -HUGE_VAL}, Op::kAdd)), quiet);
  EXPECT_EQ(Bits(Result<double>({HUGE_VAL, 0}, Op::kMul)), quiet);
}

TEST_P(ReduceOn, SumOfNegativeZerosIsNegative) {
  for (const std::size_t n : {1, 2, 129, 70'000}) {
    const std::vector<float> in(n, -0.0f);
    EXPECT_EQ(Bits(Result(in, Op::kAdd)), Bits(-0.0f)) << n;
  }
}

TEST_P(ReduceOn, FloatSumsFollowTheTree) {
  // Lane by lane 2^24 + 1 would round back to 2^24. In the tree the two ones
  // meet first: they are 64 lanes apart, the large value is in another lane.
  std::vector<float> in(128, 0.0f);
  in[0] = 0x1p24f;
  in[1] = 1;
  in[65] = 1;
  EXPECT_EQ(Result(in, Op::kAdd), 0x1p24f + 2);
  // In one lane they do not meet.
  in.assign(384, 0.0f);
  in[0] = 0x1p24f;
  in[128] = 1;
  in[256] = 1;
  EXPECT_EQ(Result(in, Op::kAdd), 0x1p24f);
}

// Sizes around rows, segments and chunks, and several levels of chunks.
TEST_P(ReduceOn, FloatBitsAreThoseOfTheReference) {
  const std::shared_ptr<Backend> serial = Open("serial");
  const std::shared_ptr<Backend> backend = Open(GetParam());
  for (const std::int64_t n : {1, 63, 64, 65, 127, 128, 129, 4095, 4096, 4097,
                               65'535, 65'536, 65'537, 300'001, 1'234'567}) {
    for (const ElementType type :
         {ElementType::kFloat32, ElementType::kFloat64}) {
      const HostArray in = *Draw("uniform", type, n, n);
      const HostArray near_one = *Draw("near_one", type, n, n);
      HostArray wanted(type, {1});
      HostArray got(type, {1});
      ASSERT_TRUE(
          ComputeReduce(serial, in.view(), wanted.view(), {Op::kAdd}).ok());
      ASSERT_TRUE(
          ComputeReduce(backend, in.view(), got.view(), {Op::kAdd}).ok());
      EXPECT_EQ(got, wanted) << n << ": " << got.ToString(0) << " instead of "
                             << wanted.ToString(0);
      ASSERT_TRUE(
          ComputeReduce(serial, near_one.view(), wanted.view(), {Op::kMul})
              .ok());
      ASSERT_TRUE(
          ComputeReduce(backend, near_one.view(), got.view(), {Op::kMul}).ok());
      EXPECT_EQ(got, wanted) << n << ": " << got.ToString(0) << " instead of "
                             << wanted.ToString(0);
    }
  }
}

TEST_P(ReduceOn, RefusesBitwiseOperatorsOfFloats) {
  const absl::Status status =
      ComputeReduce<float>(Open(GetParam()), std::vector<float>{1, 2},
                           {Op::kXor})
          .status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(status.message(),
              HasSubstr("reduce with and, or and xor is for integers, not "
                        "for float32"));
}

TEST(Reduce, OptionsHaveTheirNames) {
  EXPECT_EQ(Reduce::GetSignature().Parse({{"op", "xor"}})->op, Op::kXor);
}

}  // namespace
}  // namespace concord
