// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/backends/mpi/watchdog.h"

#include <gtest/gtest.h>

#include <chrono>
#include <iostream>
#include <thread>

namespace concord {
namespace {

Watchdog& Watching() {
  static Watchdog* const watchdog = *Watchdog::Start();
  return *watchdog;
}

void Sleep(double seconds) {
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
}

TEST(Watchdog, LetsWaitsEndThatAreInTime) {
  int waits = 0;
  for (const double limit : {60.0, 30.0, 1e300}) {
    Watching().Limit(limit, {"too late", 7}, [&] { ++waits; });
  }
  // What is over has no limit any more.
  Watching().Limit(0.3, {"too late", 7}, [&] { ++waits; });
  Sleep(0.6);
  EXPECT_EQ(waits, 4);
}

TEST(WatchdogDeathTest, EndsWhatWaitsForTooLong) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(Watching().Limit(0.1, {"rank 1 waits", 7}, [] { Sleep(60); }),
              ::testing::ExitedWithCode(7), ": rank 1 waits\n");
}

TEST(WatchdogDeathTest, WatchesTheNextWaitAfterALongerOne) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto wait_twice = [] {
    Watching().Limit(60, {"the first", 6}, [] { Sleep(0.1); });
    Watching().Limit(0.1, {"the second", 7}, [] { Sleep(60); });
  };
  EXPECT_EXIT(wait_twice(), ::testing::ExitedWithCode(7), ": the second\n");
}

}  // namespace
}  // namespace concord
