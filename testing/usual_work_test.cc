// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// For which calls a table of choices holds, which was measured with the default
// options.

#include <gmock/gmock.h>

#include "concord/core/algorithm.h"

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

}  // namespace
}  // namespace concord
