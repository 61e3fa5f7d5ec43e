// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The main program of every test.

#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <string>

#include "concord/testing/support/program.h"

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  concord::RunActionsBeforeTests();
  const int result = RUN_ALL_TESTS();
  if (testing::GTEST_FLAG(list_tests)) return result;

  const std::string summary = concord::Summary();
  if (!summary.empty()) std::cout << summary << std::endl;
  const bool partial = std::getenv("GTEST_TOTAL_SHARDS") != nullptr ||
                       testing::GTEST_FLAG(filter) != "*";
  const std::string failure = concord::WholeProgramFailure(partial);
  if (failure.empty()) return result;
  std::cout << "FAILED: " << failure << std::endl;
  return 1;
}
