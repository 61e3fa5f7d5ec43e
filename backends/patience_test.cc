// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/backends/patience.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "concord/core/environment.h"

namespace concord {
namespace {

double PatienceOf(const char* text) {
  setenv("CONCORD_PATIENCE", text, 1);
  const double seconds = PatienceSeconds(/*usual=*/7);
  unsetenv("CONCORD_PATIENCE");
  return seconds;
}

TEST(Patience, IsTheUsualOneWhereNothingElseIsSaid) {
  unsetenv("CONCORD_PATIENCE");
  EXPECT_EQ(PatienceSeconds(/*usual=*/7), 7);
  for (const char* const text : {"", "soon", "0", "-1", "nan", "3 s"}) {
    EXPECT_EQ(PatienceOf(text), 7) << text;
  }
}

// By a program before it does anything, and by a backend that is opened.
TEST(Patience, IsRefusedWhereItIsNoNumberAboveZero) {
  for (const auto& check : {&CheckEnvironment, &CheckPatience}) {
    unsetenv("CONCORD_PATIENCE");
    EXPECT_EQ(check(), absl::OkStatus());
    for (const char* const text : {"", "0.25", "300", "inf"}) {
      setenv("CONCORD_PATIENCE", text, 1);
      EXPECT_EQ(check(), absl::OkStatus()) << text;
    }
    for (const char* const text : {"soon", "0", "-1", "nan", "3 s"}) {
      setenv("CONCORD_PATIENCE", text, 1);
      EXPECT_EQ(check(), absl::InvalidArgumentError(absl::StrCat(
                             "CONCORD_PATIENCE is a number of seconds above 0, "
                             "not '",
                             text, "'")));
    }
  }
  unsetenv("CONCORD_PATIENCE");
}

TEST(Patience, IsWhatTheVariableSays) {
  EXPECT_EQ(PatienceOf("0.25"), 0.25);
  EXPECT_EQ(PatienceOf("300"), 300);
}

TEST(Patience, HasAnEndThatClocksCountTo) {
  EXPECT_EQ(PatienceOf("1e300"), kMostSeconds);
  EXPECT_EQ(PatienceOf("inf"), kMostSeconds);
}

}  // namespace
}  // namespace concord
