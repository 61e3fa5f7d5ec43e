// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Whatever a program in C hands over, it gets a status that says what is wrong.

#include "concord/tools/bindings/tests/random_calls.h"

#include <gtest/gtest.h>

namespace {

class RandomCalls : public testing::TestWithParam<int> {};

TEST_P(RandomCalls, AreAcceptedOrExplained) {
  constexpr std::int64_t kCalls = 10'000;
  const outcome seen =
      make_random_calls(static_cast<std::uint64_t>(GetParam()), kCalls);
  EXPECT_GE(seen.calls, kCalls);
  EXPECT_EQ(seen.unexplained, 0);
  EXPECT_EQ(seen.leftovers, 0);
  EXPECT_EQ(seen.gpu_refused, 0);
  // They reach both sides.
  EXPECT_GT(seen.accepted, kCalls / 20);
  EXPECT_GT(seen.refused, kCalls / 4);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomCalls, testing::Range(1, 9));

}  // namespace
