// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/testing/support/program.h"

#include <gmock/gmock.h>
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "concord/core/backend.h"
#include "concord/testing/engine/required.h"
#include "concord/testing/support/named_backends.h"

namespace concord {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// A backend that no machine has.
const bool kRegistered = RegisterBackend(
    {"abacus", /*rank=*/-2,
     [] {
       BackendStatus status;
       status.name = "abacus";
       status.stage = BackendStage::kNoDevice;
       status.reason = "no beads";
       return status;
     },
     [](absl::string_view) -> absl::StatusOr<std::shared_ptr<Backend>> {
       return absl::UnavailableError("no beads");
     }});

// Makes this a program with a differential suite.
bool actions_were_run = false;
const bool kAction = BeforeTests([] { actions_were_run = true; });

class ProgramTest : public testing::Test {
 protected:
  void SetUp() override {
    const char* variable = std::getenv("CONCORD_REQUIRE");
    before_ = variable == nullptr ? "" : variable;
  }
  void TearDown() override { Require(before_); }

  void Require(const std::string& backends) {
    setenv("CONCORD_REQUIRE", backends.c_str(), /*overwrite=*/1);
  }

 private:
  std::string before_;
};

TEST_F(ProgramTest, ActionsRunBeforeTheTests) { EXPECT_TRUE(actions_were_run); }

TEST_F(ProgramTest, RequiredBackendsAreAList) {
  Require("cuda,abacus");
  EXPECT_TRUE(IsRequired("cuda"));
  EXPECT_TRUE(IsRequired("abacus"));
  EXPECT_FALSE(IsRequired("cud"));
  Require("");
  EXPECT_FALSE(IsRequired("cuda"));
  EXPECT_FALSE(IsRequired(""));
}

TEST_F(ProgramTest, SkippingARequiredBackendFails) {
  Require("abacus");
  EXPECT_FATAL_FAILURE(SkipOrFail("abacus", "no beads"),
                       "CONCORD_REQUIRE names abacus, so it must not be "
                       "skipped: no beads");
}

TEST_F(ProgramTest, ABackendIsOpenedOrTheTestEnds) {
  Require("");
  EXPECT_NE(OpenOrSkip("serial"), nullptr);
  testing::TestPartResultArray results;
  {
    testing::ScopedFakeTestPartResultReporter reporter(
        testing::ScopedFakeTestPartResultReporter::
            INTERCEPT_ONLY_CURRENT_THREAD,
        &results);
    EXPECT_EQ(OpenOrSkip("abacus:3"), nullptr);
  }
  ASSERT_EQ(results.size(), 1);
  EXPECT_TRUE(results.GetTestPartResult(0).skipped());
  // A mistake is no reason to skip.
  EXPECT_FATAL_FAILURE(OpenOrSkip("abakus"), "unknown backend 'abakus'");
  Require("abacus");
  EXPECT_FATAL_FAILURE(OpenOrSkip("abacus:3"),
                       "CONCORD_REQUIRE names abacus, so it must not be "
                       "skipped");
}

TEST_F(ProgramTest, TheProgramFailsWithoutARequiredBackend) {
  Require("abacus");
  EXPECT_EQ(WholeProgramFailure(/*partial=*/true),
            "CONCORD_REQUIRE names abacus, which is not available (no_device: "
            "no beads)");
  Require("gpu");
  EXPECT_THAT(WholeProgramFailure(/*partial=*/true),
              AllOf(HasSubstr("CONCORD_REQUIRE names gpu, but the backends of "
                              "this program are "),
                    HasSubstr("abacus")));
}

// In this order: the counts are those of the whole program.
TEST_F(ProgramTest, NothingExecutedIsAFailureAndEverythingIsCounted) {
  Require("");
  CountSkipped("abacus", 96, "no_device: no beads");
  EXPECT_THAT(WholeProgramFailure(/*partial=*/false),
              HasSubstr("none of it was executed"));
  EXPECT_EQ(WholeProgramFailure(/*partial=*/true), "");
  CountExecuted("serial", 800);
  CountExecuted("serial", 12);
  EXPECT_EQ(WholeProgramFailure(/*partial=*/false), "");
  EXPECT_EQ(Summary(),
            "differential: abacus 0 executed, 96 skipped (no_device: no "
            "beads); serial 812 executed, 0 skipped");
  CountPlantedFault(true);
  CountPlantedFault(false);
  EXPECT_THAT(Summary(), HasSubstr("; 1 of 2 planted faults caught"));
}

}  // namespace
}  // namespace concord
