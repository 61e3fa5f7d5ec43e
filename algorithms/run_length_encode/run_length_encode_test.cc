// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/algorithms/run_length_encode/run_length_encode.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "concord/core/backend.h"
#include "concord/core/registry.h"
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
    absl::StatusOr<EncodedRuns<T>> runs =
        ComputeRunLengthEncode<T>(Open(GetParam()), in);
    EXPECT_TRUE(runs.ok()) << runs.status();
    return *std::move(runs);
  }
};

INSTANTIATE_TEST_SUITE_P(Backends, RunLengthEncodeOn,
                         ::testing::Values("serial", "tbb:1", "tbb:2", "tbb:3",
                                           "tbb:8"),
                         [](const auto& param) {
                           return TestName(param.param);
                         });

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

TEST_P(RunLengthEncodeOn, RefusesWhatItsInterfaceSays) {
  const std::unique_ptr<RunLengthEncode> encode =
      *Registry<RunLengthEncode>::Get().Create(Open(GetParam()));
  std::vector<float> in = {1, 2};
  std::vector<float> values(2);
  std::vector<std::int64_t> lengths(2);
  std::int64_t count;
  const ConstArrayView view{absl::Span<const float>(in)};
  const RunLengthEncode::Outputs good = {ArrayView(absl::MakeSpan(values)),
                                         ArrayView(absl::MakeSpan(lengths)),
                                         ArrayView(&count, 1, Memory::Host())};
  ASSERT_TRUE(encode->Run(view, good).ok());

  RunLengthEncode::Outputs bad = good;
  bad.lengths = ArrayView(absl::MakeSpan(values));
  EXPECT_THAT(encode->Run(view, bad).message(),
              HasSubstr("of type int64 or int32, not float32"));
  bad = good;
  bad.values = good.values.Slice(0, 1);
  EXPECT_THAT(encode->Run(view, bad).message(),
              HasSubstr("'values' must have 2 elements, not 1"));
  bad = good;
  bad.runs = good.lengths;
  EXPECT_THAT(encode->Run(view, bad).message(),
              HasSubstr("'runs' must have 1 elements, not 2"));
  EXPECT_THAT(encode->Run(ConstArrayView(in.data(), 2, Memory("cuda", 0)), good)
                  .message(),
              HasSubstr("'in' lives in cuda:0 memory"));
}

TEST(RunLengthEncode, LengthsOfInt32CountToLessThan31Bits) {
  EXPECT_TRUE(CheckLengthType(ElementType::kInt32, 0x7fffffff).ok());
  EXPECT_TRUE(CheckLengthType(ElementType::kInt64, 0x80000000).ok());
  EXPECT_THAT(CheckLengthType(ElementType::kInt32, 0x80000000).message(),
              HasSubstr("need lengths of type int64"));
}

}  // namespace
}  // namespace concord
