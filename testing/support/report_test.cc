// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/testing/support/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "absl/strings/str_cat.h"

namespace concord {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

Counterexample SavedIn(const std::string& folder) {
  Counterexample found;
  found.record.implementation = "scan/tbb/one_pass";
  found.path = absl::StrCat(folder, "/scan.json");
  found.repeat = "concord verify --replay=$FILE";
  return found;
}

TEST(ReportOfTest, SaysHowToUnpackWhatBazelPacks) {
  const std::string folder =
      "/cache/sandbox/7/execroot/mine/bazel-out/k8-opt/testlogs/scan/scan_test/"
      "test.outputs";
  EXPECT_THAT(
      ReportOfTest(SavedIn(folder), folder),
      EndsWith("  unpack: unzip -o -d /tmp bazel-out/k8-opt/testlogs/scan/"
               "scan_test/test.outputs/outputs.zip scan.json\n"
               "  repeat: concord verify --replay=/tmp/scan.json\n"));
}

TEST(ReportOfTest, IsTheUsualOneElsewhere) {
  const Counterexample found = SavedIn("/tmp");
  EXPECT_EQ(ReportOfTest(found, ""), found.Report());
  EXPECT_EQ(ReportOfTest(found, "/tmp"), found.Report());
  EXPECT_EQ(ReportOfTest(found, "/a/bazel-out/test.outputs"), found.Report());
  Counterexample unsaved = found;
  unsaved.path.clear();
  EXPECT_EQ(ReportOfTest(unsaved, "/a/bazel-out/test.outputs"),
            unsaved.Report());
}

TEST(ReportOfTest, KnowsTheFolderOfThisTest) {
  const char* const outputs = std::getenv("TEST_UNDECLARED_OUTPUTS_DIR");
  if (outputs == nullptr) GTEST_SKIP() << "Bazel does not run this test";
  const std::string report = ReportOfTest(SavedIn(outputs));
  EXPECT_THAT(report, HasSubstr("/report_test/test.outputs/outputs.zip scan"));
  EXPECT_THAT(report, Not(HasSubstr(outputs)));
}

}  // namespace
}  // namespace concord
