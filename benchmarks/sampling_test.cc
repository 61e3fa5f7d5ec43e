// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/benchmarks/sampling.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace concord {
namespace {

using ::testing::Each;

// Of something that says itself how long it takes: the first run that long, and
// all others a fifth of a millisecond.
absl::StatusOr<Timing> TimeWithFirst(double first) {
  bool is_first = true;
  return TakeSamples(SamplingPlan(), /*flush=*/nullptr,
                     [&](std::int64_t runs) -> absl::StatusOr<double> {
                       double seconds = 2e-4 * static_cast<double>(runs);
                       if (is_first) seconds += first - 2e-4;
                       is_first = false;
                       return seconds;
                     });
}

// What an implementation gets in its second call, the first one that is timed,
// is no part of a sample, and does not say how many runs make one.
TEST(SamplerTest, AFirstRunThatTakesLongerSaysNothingOfTheOthers) {
  for (const double first : {2e-4, 6e-4, 1.3e-3, 9e-3}) {
    const absl::StatusOr<Timing> timing = TimeWithFirst(first);
    ASSERT_TRUE(timing.ok());
    EXPECT_EQ(timing->runs_per_sample, 5) << first;
    EXPECT_THAT(timing->samples, Each(testing::DoubleNear(2e-4, 1e-9)))
        << first;
  }
}

TEST(SamplerTest, ASlowRunIsNotRepeated) {
  SamplingPlan plan;
  plan.repetitions = 1;
  int runs = 0;
  const absl::StatusOr<Timing> timing =
      TakeSamples(plan, /*flush=*/nullptr, [&](std::int64_t) {
        ++runs;
        return absl::StatusOr<double>(0.5);
      });
  ASSERT_TRUE(timing.ok());
  EXPECT_EQ(runs, 1);
  EXPECT_EQ(timing->median, 0.5);
}

TEST(SamplerTest, AFailureEndsIt) {
  int runs = 0;
  EXPECT_EQ(TakeSamples(SamplingPlan(), /*flush=*/nullptr,
                        [&](std::int64_t) -> absl::StatusOr<double> {
                          if (++runs == 2) return absl::InternalError("lost");
                          return 1e-3;
                        })
                .status(),
            absl::InternalError("lost"));
}

}  // namespace
}  // namespace concord
