// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/backends/mpi/time_left.h"

#include <gtest/gtest.h>

namespace concord {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr TimeLeft::Clock::time_point kStart;

TEST(TimeLeft, IsOverWhenTheClockSaysSo) {
  TimeLeft left(1, kStart);
  EXPECT_EQ(left.Look(kStart + milliseconds(400)), milliseconds(600));
  EXPECT_EQ(left.Look(kStart + milliseconds(900)), milliseconds(100));
  EXPECT_EQ(left.Look(kStart + milliseconds(1000)), milliseconds(0));
  TimeLeft none(0);
  EXPECT_TRUE(none.IsOver());
}

TEST(TimeLeft, TimeInWhichTheProcessStoodStillCountsLittle) {
  TimeLeft left(4, kStart);
  EXPECT_EQ(left.Look(kStart + seconds(60)), milliseconds(3500));
  EXPECT_EQ(left.Look(kStart + seconds(60) + milliseconds(500)), seconds(3));
}

TEST(TimeLeft, ThereIsNoTooLongTime) {
  TimeLeft left(1e300);
  EXPECT_FALSE(left.IsOver());
}

}  // namespace
}  // namespace concord
