// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/algorithms/run_length_encode/run_length_encode.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "concord/core/backend.h"
#include "concord/testing/support/differential.h"
#include "concord/testing/support/named_backends.h"

namespace concord {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const bool kDifferential = AddDifferentialSuite("run_length_encode");

class RunLengthEncodeOn : public ::testing::TestWithParam<std::string> {
 protected:
  template <typename T>
  EncodedRuns<T> Encode(const std::vector<T>& in) {
    return ValueOf(ComputeRunLengthEncode<T>(Open(GetParam()), in));
  }
};

INSTANTIATE_TEST_SUITE_P(Backends, RunLengthEncodeOn, CpuBackends(),
                         NameOfParameter);

TEST_P(RunLengthEncodeOn, RunsOfAShortArray) {
  const EncodedRuns<int> runs = Encode<int>({7, 7, 7, 0, 7, 7});
  EXPECT_THAT(runs.values, ElementsAre(7, 0, 7));
  EXPECT_THAT(runs.lengths, ElementsAre(3, 1, 2));
}

TEST_P(RunLengthEncodeOn, NoElementsHaveNoRuns) {
  EXPECT_THAT(Encode<std::uint8_t>({}).lengths, IsEmpty());
}

TEST_P(RunLengthEncodeOn, FloatsAreEqualWhenTheirBitsAre) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(Encode<double>({nan, nan, -nan, 0.0, 0.0, -0.0}).lengths,
              ElementsAre(2, 1, 2, 1));
}

TEST_P(RunLengthEncodeOn, OneRunOverEverything) {
  const EncodedRuns<std::int8_t> runs =
      Encode(std::vector<std::int8_t>(5'000'000, -3));
  EXPECT_THAT(runs.values, ElementsAre(-3));
  EXPECT_THAT(runs.lengths, ElementsAre(5'000'000));
}

TEST(RunLengthEncode, LengthsOfInt32CountToLessThan31Bits) {
  EXPECT_TRUE(
      run_length_encode::CheckLengthType(ElementType::kInt32, 0x7fffffff).ok());
  EXPECT_TRUE(
      run_length_encode::CheckLengthType(ElementType::kInt64, 0x80000000).ok());
  EXPECT_THAT(
      run_length_encode::CheckLengthType(ElementType::kInt32, 0x80000000)
          .message(),
      HasSubstr("need lengths of type int64"));
}

}  // namespace
}  // namespace concord
