// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// For which calls a table of choices holds, which was measured with the default
// options.

#include <gmock/gmock.h>

#include "concord/core/algorithm.h"
#include "concord/core/functions.h"

namespace concord {
namespace {

TEST(UsualWork, IsThatOfTheDefaultNumbersAndProgram) {
  const auto usual = [](const char* algorithm, const OptionMap& options) {
    return (*FindAlgorithm(algorithm))->IsUsualWork(options);
  };
  EXPECT_TRUE(usual("reduce", {{"op", "max"}}));
  EXPECT_TRUE(usual("sequence", {}));
  EXPECT_FALSE(usual("sequence", {{"program", "map x * x"}}));
  EXPECT_TRUE(usual("tensor_sketch", {{"t", "4"}}));
  EXPECT_FALSE(usual("tensor_sketch", {{"t", "5"}}));
}

// A table for sums says nothing of an operator of the caller's.
TEST(UsualWork, IsNoFunctionOfTheCallers) {
  const OptionMap options = {{"op", "a > b ? a : b"}};
  const auto reduce = TakingFunctions(**FindAlgorithm("reduce"), options);
  ASSERT_TRUE(reduce.ok()) << reduce.status();
  EXPECT_FALSE((*reduce)->IsUsualWork(options));
}

}  // namespace
}  // namespace concord
