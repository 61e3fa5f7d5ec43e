// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/testing/engine/verify.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "concord/core/environment.h"
#include "concord/testing/support/fake_algorithm.h"
#include "concord/testing/support/one_of_two.h"

namespace concord {
namespace {

VerifyOptions Only(const std::string& algorithm) {
  VerifyOptions options;
  options.selects = [algorithm](const std::string& name) {
    return name.find(algorithm) == 0;
  };
  options.folder = testing::TempDir();
  return options;
}

TEST(Verify, RightImplementationsPassOnEveryBackend) {
  VerifyOptions options = Only("fake_difference/");
  options.cases = 60;
  std::int64_t calls = 0;
  options.progress = [&](const VerifyProgress& progress) {
    EXPECT_EQ(progress.planned, 120);
    EXPECT_EQ(progress.executed, calls++);
    return true;
  };
  const auto report = Verify(options);
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_TRUE(report->failures.empty());
  ASSERT_EQ(report->rows.size(), 2);
  EXPECT_EQ(report->rows[0].executed, 60);
  EXPECT_EQ(report->rows[1].executed, 60);
  EXPECT_EQ(report->executed(), 120);
}

bool environment_means_nothing = false;
const bool kChecked = RegisterEnvironmentCheck([] {
  return environment_means_nothing ? absl::InvalidArgumentError("a variable")
                                   : absl::OkStatus();
});

// Which would be taken for failures of what cannot be opened.
TEST(Verify, RefusesAnEnvironmentThatMeansNothing) {
  environment_means_nothing = true;
  const auto report = Verify(Only("fake_difference/"));
  environment_means_nothing = false;
  EXPECT_EQ(report.status(), absl::InvalidArgumentError("a variable"));
}

TEST(Verify, FindsShrinksSavesAndReplaysAMistake) {
  const auto report = Verify(Only("fake_broken/"));
  ASSERT_TRUE(report.ok()) << report.status();
  ASSERT_EQ(report->failures.size(), 1);
  const Counterexample& found = report->failures[0];
  EXPECT_EQ(found.size, FakeBroken::kFirstBrokenSize);
  EXPECT_EQ(found.note, "");
  EXPECT_EQ(
      found.Report(),
      "fake_broken/serial/plain: wrong_result: 'out': 1 of 6 elements "
      "differs, first [0]: 77 instead of 0; worst error 77 (77 ULP)\n"
      "  case: " +
          Describe(found.record.trial) +
          "\n  in: int32 [0, 0, 0, 0, 0, 0]\n  found as: " + found.found_as +
          "; shrunk to size 6 in " + std::to_string(found.attempts) +
          " attempts\n  repeat: concord verify --replay=" + found.path + "\n");

  const auto record = LoadFailure(found.path);
  ASSERT_TRUE(record.ok()) << record.status();
  const auto again = Replay(*record);
  ASSERT_TRUE(again.ok()) << again.status();
  ASSERT_TRUE(again->has_value());
  EXPECT_EQ((*again)->message, record->message);
}

TEST(Verify, WhatWasMendedNoLongerFails) {
  FailureRecord record;
  record.implementation = "fake_difference/serial/plain";
  record.trial.backend = "serial";
  record.trial.test_case = FakeCase(std::vector<std::int32_t>{1, 2});
  const auto again = Replay(record);
  ASSERT_TRUE(again.ok());
  EXPECT_FALSE(again->has_value());
}

TEST(Verify, ReplayNeedsItsImplementationAndBackend) {
  FailureRecord record;
  record.trial.backend = "serial";
  record.implementation = "fake_difference/serial/fancy";
  EXPECT_EQ(Replay(record).status().code(), absl::StatusCode::kNotFound);
  record.implementation = "alchemy/serial/plain";
  EXPECT_EQ(Replay(record).status().code(), absl::StatusCode::kNotFound);
  record.implementation = "fake_difference/serial/plain";
  record.trial.backend = "abacus";
  EXPECT_EQ(Replay(record).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(Verify, StopsWhenToldTo) {
  VerifyOptions options = Only("fake_difference/");
  options.progress = [](const VerifyProgress& progress) {
    return progress.executed < 5;
  };
  const auto report = Verify(options);
  ASSERT_TRUE(report.ok());
  EXPECT_TRUE(report->stopped);
  EXPECT_EQ(report->executed(), 5);
}

// Whether it is called once more before the next case.
class IsShrinking {
 public:
  bool operator()(const VerifyProgress& progress) {
    return std::exchange(last_, progress.executed) == progress.executed;
  }

 private:
  std::int64_t last_ = -1;
};

TEST(Verify, StopsWhileItShrinks) {
  VerifyOptions options = Only("fake_broken/");
  options.progress =
      [shrinks = IsShrinking()](const VerifyProgress& progress) mutable {
        return !shrinks(progress);
      };
  const auto report = Verify(options);
  ASSERT_TRUE(report.ok());
  EXPECT_TRUE(report->stopped);
  ASSERT_EQ(report->failures.size(), 1);
  EXPECT_TRUE(report->failures[0].limited);
}

TEST(Verify, KeepsToItsTimeWhileItShrinks) {
  VerifyOptions options = Only("fake_broken/");
  options.seconds = 1;
  options.progress =
      [shrinks = IsShrinking()](const VerifyProgress& progress) mutable {
        if (shrinks(progress)) {
          std::this_thread::sleep_for(std::chrono::milliseconds(1100));
        }
        return true;
      };
  const auto report = Verify(options);
  ASSERT_TRUE(report.ok());
  EXPECT_FALSE(report->stopped);
  ASSERT_EQ(report->failures.size(), 1);
  EXPECT_TRUE(report->failures[0].limited);
}

// The other replica says the same, but for what the first alone decides.
class SecondOfTwo : public OneOfTwo {
 public:
  absl::StatusOr<std::vector<std::string>> FromAll(
      const std::string& mine) override {
    return std::vector<std::string>{mine, mine};
  }
};

TEST(Verify, StopsAndShrinksAsTheFirstReplicaDoes) {
  SecondOfTwo second;
  // It has time, and is not told to stop.
  second.first_says = std::string(sizeof(double), '\0');
  VerifyOptions options = Only("fake_broken/");
  options.seconds = 1e-9;
  options.progress = [](const VerifyProgress&) { return false; };
  const auto report = Verify(options);
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_FALSE(report->stopped);
  ASSERT_EQ(report->failures.size(), 1);
  EXPECT_FALSE(report->failures[0].limited);
  EXPECT_EQ(report->failures[0].size, FakeBroken::kFirstBrokenSize);
}

TEST(Verify, GoesOnWithRandomCasesUntilTheTimeIsOver) {
  VerifyOptions options = Only("fake_difference/serial");
  options.seconds = 3;
  options.largest_size = 100;
  const auto report = Verify(options);
  ASSERT_TRUE(report.ok());
  // Three times as long as the standard suite takes where nothing else runs.
  EXPECT_GE(report->seconds, 3);
}

TEST(Verify, RandomCasesHaveTimeOfTheirOwnAfterAllOthers) {
  VerifyOptions options = Only("fake_difference/serial");
  options.largest_size = 100;
  const auto suite = Verify(options);
  ASSERT_TRUE(suite.ok());
  options.random_seconds = 1e-9;
  const auto hurried = Verify(options);
  ASSERT_TRUE(hurried.ok());
  EXPECT_GE(hurried->executed(), suite->executed());
  options.cases = 3;
  options.random_seconds = 0.5;
  const auto few = Verify(options);
  ASSERT_TRUE(few.ok());
  EXPECT_GT(few->executed(), 3);
  EXPECT_GE(few->seconds, 0.5);
}

TEST(Verify, TakesTurnsAndSaysWhoHadNone) {
  VerifyOptions options = Only("fake_difference/");
  std::int64_t turns = 0;
  options.progress = [&](const VerifyProgress&) { return ++turns <= 3; };
  const auto shared = Verify(options);
  ASSERT_TRUE(shared.ok());
  EXPECT_EQ(shared->rows[0].executed, 2);
  EXPECT_EQ(shared->rows[1].executed, 1);
  EXPECT_TRUE(shared->without_a_case().empty());
  turns = 2;
  const auto first_alone = Verify(options);
  ASSERT_TRUE(first_alone.ok());
  EXPECT_EQ(first_alone->without_a_case(),
            std::vector<std::string>{first_alone->rows[1].implementation});
}

// There is none to be executed where a case cannot even be made.
TEST(Verify, WhatFailedHadItsTurn) {
  VerifyReport report;
  report.rows = {{"a/serial/plain", 0, ""},
                 {"b/serial/plain", 0, ""},
                 {"c/serial/plain", 0, "there is no such device"}};
  report.failures.resize(1);
  report.failures[0].record.implementation = "a/serial/plain";
  EXPECT_THAT(report.without_a_case(), testing::ElementsAre("b/serial/plain"));
}

// A list of nothing else would be no list, which means all backends.
TEST(Verify, RefusesAnEmptyNameOfABackend) {
  VerifyOptions options = Only("fake_difference/");
  options.cases = 1;
  for (const std::string names :
       {",", "serial,", ",serial", "serial,,serial"}) {
    options.backends = names;
    const absl::Status status = Verify(options).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << names;
    EXPECT_EQ(status.message(), "'" + names + "' has an empty name in it");
  }
}

TEST(Verify, KeepsToTheBackendsThatAreNamed) {
  VerifyOptions options = Only("fake_difference/");
  options.backends = "inverted";
  options.cases = 1;
  const auto report = Verify(options);
  ASSERT_TRUE(report.ok());
  ASSERT_EQ(report->rows.size(), 1);
  EXPECT_EQ(report->rows[0].implementation, "fake_difference/inverted/plain");
  options.backends = "abacus";
  EXPECT_EQ(Verify(options).status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST(Verify, NothingSelectedIsAnError) {
  EXPECT_EQ(Verify(Only("alchemy")).status().code(),
            absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace concord
