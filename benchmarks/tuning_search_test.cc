// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/benchmarks/tuning_search.h"

#include <gmock/gmock.h>

#include <cstdint>

#include "concord/benchmarks/made_up_machine.h"

namespace concord {
namespace {

using ::testing::ElementsAre;

TEST_F(Search, FindsTheStepsOfAllPlacesWithFewMeasurements) {
  JobSearch search = NewSearch();
  Grow(search);
  EXPECT_EQ(measurements_, 12);  // 1, 4, ... 2^22
  Refine(search);
  EXPECT_LT(WorstRatio(search, DataPlace::kCpu), 1.06);
  EXPECT_LT(WorstRatio(search, DataPlace::kHost), 1.06);
  EXPECT_LT(measurements_, 40);
}

// The GPU is so much faster that it says nothing of data which stays.
TEST_F(Search, WhatIsHopelessBesideADeviceMayBeTheBestWithoutIt) {
  models_[1] = {2e-6, 4e-10};
  models_[2] = {5e-4, 2e-10};  // the best of these from 2.5 million on
  models_[3] = {6e-5, 1e-12};
  JobSearch search = NewSearch();
  Grow(search);
  Refine(search);
  EXPECT_LT(WorstRatio(search, DataPlace::kCpu), 1.06);
  EXPECT_LT(WorstRatio(search, DataPlace::kHost), 1.06);
}

TEST_F(Search, WhatIsHopelessIsNotMeasuredOnLargerSizes) {
  models_[0].per_element = 2e-9;
  models_[2] = {1e-6, 1e-7};
  JobSearch search = NewSearch();
  Grow(search);
  Refine(search);
  EXPECT_THAT(largest_, ElementsAre(1 << 18, 1 << 22, 1 << 14, 1 << 22));
  EXPECT_LT(WorstRatio(search, DataPlace::kCpu), 1.06);
}

// Also where it was right: nobody wants to depend on that.
TEST_F(Search, WhatIsWrongSomewhereIsNeverChosen) {
  JobSearch search(job_, [this](std::int64_t size, const Entrants& entrants) {
    TuningPoint point = PointOf(size, entrants);
    if (size == 1 << 20) point.wrong.emplace(1, "out: wrong");
    return point;
  });
  Grow(search);
  Refine(search);
  EXPECT_EQ(largest_[1], 1 << 20);
  EXPECT_EQ(search.wrong().at(1), "out: wrong");
  Choices choices;
  search.AddTo(choices);
  EXPECT_EQ(choices.steps.size(), 2u);
  for (const auto& [key, steps] : choices.steps) {
    for (const ChoiceStep& step : steps) EXPECT_NE(step.variant, "best");
  }
}

TEST_F(Search, ACaseThatIsTooLargeIsTheEnd) {
  JobSearch search(
      job_,
      [this](std::int64_t size,
             const Entrants& entrants) -> absl::StatusOr<TuningPoint> {
        if (size > 100) return absl::OutOfRangeError("too large");
        return PointOf(size, entrants);
      });
  Grow(search);
  Choices choices;
  search.AddTo(choices);
  EXPECT_EQ(choices.steps.size(), 2u);
  for (const auto& [key, steps] : choices.steps) {
    EXPECT_EQ(steps.size(), 1u);  // as at the largest that there is
  }
}

// What it takes to make contestants ready must not be taken for what grows:
// small sizes would be the last for which there is time.
TEST(SecondsOfNext, OnlyWhatGrowsIsExpectedToGrow) {
  EXPECT_DOUBLE_EQ(SecondsOfNext(0.06, 0.06, 4), 0.06);
  EXPECT_DOUBLE_EQ(SecondsOfNext(0.07, 0.06, 4), 0.06);
  // 1 that stays, and 0.5, 2, 8 that grow.
  EXPECT_DOUBLE_EQ(SecondsOfNext(1.5, 3, 4), 9);
}

}  // namespace
}  // namespace concord
