// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The main program of every test.

#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <string>

#include "concord/testing/support/program.h"

namespace {

// Why the filter cannot be what was meant: this program has no test that it
// selects. "" when it has one. The first test selected is always in shard 0, so
// that other shards may be empty. Bazel's --test_filter is for many programs,
// most of which have no such test; tools/test looks at all of them.
std::string SelectionFailure() {
  const testing::UnitTest& tests = *testing::UnitTest::GetInstance();
  const char* const shard = std::getenv("GTEST_SHARD_INDEX");
  const char* const of_all_programs = std::getenv("TESTBRIDGE_TEST_ONLY");
  const std::string filter = testing::GTEST_FLAG(filter);
  if (tests.test_to_run_count() > 0 || tests.total_test_count() == 0) return "";
  if (shard != nullptr && std::string(shard) != "0") return "";
  if (of_all_programs != nullptr && filter == of_all_programs) return "";
  return "none of the " + std::to_string(tests.total_test_count()) +
         " tests matches the filter '" + filter + "'";
}

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  concord::RunActionsBeforeTests();
  const int result = RUN_ALL_TESTS();
  if (testing::GTEST_FLAG(list_tests)) return result;

  const std::string summary = concord::Summary();
  if (!summary.empty()) std::cout << summary << std::endl;
  const bool partial = std::getenv("GTEST_TOTAL_SHARDS") != nullptr ||
                       testing::GTEST_FLAG(filter) != "*";
  std::string failure = SelectionFailure();
  if (failure.empty()) failure = concord::WholeProgramFailure(partial);
  if (failure.empty()) return result;
  std::cout << "FAILED: " << failure << std::endl;
  return 1;
}
