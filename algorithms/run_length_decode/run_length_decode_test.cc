// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/algorithms/run_length_decode/run_length_decode.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "concord/algorithms/run_length_encode/run_length_cases.h"
#include "concord/algorithms/run_length_encode/run_length_encode.h"
#include "concord/core/backend.h"
#include "concord/core/registry.h"
#include "concord/testing/support/differential.h"
#include "concord/testing/support/named_backends.h"

namespace concord {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const bool kDifferential = AddDifferentialSuite("run_length_decode");

class RunLengthDecodeOn : public ::testing::TestWithParam<std::string> {
 protected:
  template <typename T>
  std::vector<T> Decode(const std::vector<T>& values,
                        const std::vector<std::int64_t>& lengths) {
    absl::StatusOr<std::vector<T>> out =
        ComputeRunLengthDecode<T>(Open(GetParam()), values, lengths);
    EXPECT_TRUE(out.ok()) << out.status();
    return *std::move(out);
  }
};

INSTANTIATE_TEST_SUITE_P(Backends, RunLengthDecodeOn,
                         ::testing::Values("serial", "tbb:1", "tbb:2", "tbb:3",
                                           "tbb:8"),
                         [](const auto& param) {
                           return TestName(param.param);
                         });

TEST_P(RunLengthDecodeOn, RunsOfAShortArray) {
  EXPECT_THAT(Decode<int>({7, 0, 7}, {3, 1, 2}), ElementsAre(7, 7, 7, 0, 7, 7));
  EXPECT_THAT(Decode<int>({7, 0, 7}, {0, 2, -1}), ElementsAre(0, 0));
  EXPECT_THAT(Decode<int>({}, {}), IsEmpty());
}

TEST_P(RunLengthDecodeOn, SaysHowMuchRoomItNeeds) {
  const std::unique_ptr<RunLengthDecode> decode =
      *Registry<RunLengthDecode>::Get().Create(Open(GetParam()));
  const std::vector<std::uint8_t> values = {1, 2, 3};
  const std::vector<std::int32_t> lengths = {2'000'000, 2'000'000, 2'000'000};
  std::vector<std::uint8_t> out(3'000'000, 0);
  std::int64_t size = 0;
  ASSERT_TRUE(
      decode
          ->Run({ConstArrayView(absl::Span<const std::uint8_t>(values)),
                 ConstArrayView(absl::Span<const std::int32_t>(lengths))},
                {ArrayView(absl::MakeSpan(out)).Slice(0, 2'500'000),
                 ArrayView(&size, 1, Memory::Host())})
          .ok());
  EXPECT_EQ(size, 6'000'000);
  EXPECT_EQ(out[1'999'999], 1);
  EXPECT_EQ(out[2'000'000], 2);
  EXPECT_EQ(out[2'499'999], 2);
  EXPECT_EQ(out[2'500'000], 0);
}

TEST_P(RunLengthDecodeOn, RestoresWhatWasEncoded) {
  const std::shared_ptr<Backend> backend = Open(GetParam());
  for (const std::string& distribution :
       RunDistributions(ElementType::kInt32)) {
    const HostArray in =
        *DrawRuns(distribution, ElementType::kInt32, 1'234'567, 1);
    const absl::Span<const std::int32_t> wanted = in.span<std::int32_t>();
    const EncodedRuns<std::int32_t> runs =
        *ComputeRunLengthEncode<std::int32_t>(backend, wanted);
    EXPECT_EQ(Decode(runs.values, runs.lengths),
              std::vector<std::int32_t>(wanted.begin(), wanted.end()))
        << distribution;
  }
}

TEST_P(RunLengthDecodeOn, RefusesWhatItsInterfaceSays) {
  const std::unique_ptr<RunLengthDecode> decode =
      *Registry<RunLengthDecode>::Get().Create(Open(GetParam()));
  std::vector<float> values = {1, 2};
  std::vector<std::int64_t> lengths = {1, 1};
  std::vector<float> room(2);
  std::int64_t count;
  const RunLengthDecode::Runs runs = {ArrayView(absl::MakeSpan(values)),
                                      ArrayView(absl::MakeSpan(lengths))};
  const RunLengthDecode::Outputs out = {ArrayView(absl::MakeSpan(room)),
                                        ArrayView(&count, 1, Memory::Host())};
  ASSERT_TRUE(decode->Run(runs, out).ok());

  RunLengthDecode::Runs bad = runs;
  bad.lengths = runs.values;
  EXPECT_THAT(decode->Run(bad, out).message(),
              HasSubstr("lengths of runs are int32 or int64, not float32"));
  bad = runs;
  bad.lengths = runs.lengths.Slice(0, 1);
  EXPECT_THAT(decode->Run(bad, out).message(),
              HasSubstr("'lengths' must have 2 elements, not 1"));
  RunLengthDecode::Outputs bad_out = out;
  bad_out.out = ArrayView(absl::MakeSpan(lengths));
  EXPECT_THAT(decode->Run(runs, bad_out).message(),
              HasSubstr("'out' must have elements of type float32, not int64"));
  bad = runs;
  bad.values = ConstArrayView(values.data(), 2, Memory("cuda", 0));
  EXPECT_THAT(decode->Run(bad, out).message(),
              HasSubstr("'values' lives in cuda:0 memory"));
}

}  // namespace
}  // namespace concord
