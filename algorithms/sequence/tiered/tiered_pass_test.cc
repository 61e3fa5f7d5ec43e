// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The rule of tiers, with tiers that only write down what is asked of them.

#include "concord/algorithms/sequence/tiered/tiered_pass.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "concord/core/expression/parser.h"

namespace concord::sequence {
namespace {

using expression::Type;
using ::testing::HasSubstr;
using ::testing::StartsWith;

Pass MapOf(const std::string& text) {
  Pass pass;
  pass.prologue = *expression::ParseFunction(text, {Type::kInt32});
  return pass;
}

// Writes its letter down with each run.
class WrittenPass : public MadePass {
 public:
  WrittenPass(std::string& runs, char letter) : runs_(runs), letter_(letter) {}
  absl::StatusOr<PassOutcome> Run(std::int64_t,
                                  absl::Span<const ConstArrayView>,
                                  absl::Span<const ConstArrayView>,
                                  absl::Span<const ArrayView>,
                                  std::int64_t) override {
    runs_ += letter_;
    return PassOutcome();
  }

 private:
  std::string& runs_;
  const char letter_;
};

class WritingTiers : public Tiers {
 public:
  // Sums are kept by device: each test has its own.
  explicit WritingTiers(std::string device) : device_(std::move(device)) {}

  absl::StatusOr<std::unique_ptr<MadePass>> Interpreted(const Pass&) override {
    return std::make_unique<WrittenPass>(runs, 'i');
  }
  absl::StatusOr<std::unique_ptr<MadePass>> Found(const Pass&) override {
    ++looked;
    if (!found.ok()) return found;
    return std::make_unique<WrittenPass>(runs, 'f');
  }
  absl::StatusOr<std::unique_ptr<MadePass>> Compiled(const Pass&) override {
    ++compiled;
    if (!compiling.ok()) return compiling;
    return std::make_unique<WrittenPass>(runs, 'c');
  }
  int multiprocessors() const override { return 100; }
  std::string device() const override { return device_; }

  std::string runs;
  int looked = 0;
  int compiled = 0;
  absl::Status found = absl::NotFoundError("not there");
  absl::Status compiling;

 private:
  const std::string device_;
};

// As many elements as make compiling pay after `runs` runs.
std::int64_t ElementsFor(const Tiers& tiers, const Pass& pass, double runs) {
  return static_cast<std::int64_t>(
      CompileSeconds(pass) /
      (runs * ExtraSecondsOfElement(pass, tiers.multiprocessors())));
}

absl::Status RunTimes(TieredPass& pass, std::int64_t n, int times = 1) {
  absl::Status status;
  for (int k = 0; k < times && status.ok(); ++k) {
    status = pass.Run(n, {}, {}, {}, 0).status();
  }
  return status;
}

TEST(TieredPass, CompilesBeforeTheRunThatExceedsTheEstimate) {
  WritingTiers tiers("exceeds");
  const Pass map = MapOf("x + 1");
  const std::int64_t n = ElementsFor(tiers, map, 4.5);
  TieredPass pass(tiers, map, JitMode::kAuto);
  ASSERT_EQ(RunTimes(pass, n, 7), absl::OkStatus());
  EXPECT_EQ(tiers.runs, "iiiiccc");
  EXPECT_EQ(tiers.compiled, 1);
  EXPECT_EQ(tiers.looked, 1);
}

TEST(TieredPass, ALargeEnoughRunIsCompiledAtOnce) {
  WritingTiers tiers("large");
  const Pass map = MapOf("x + 1");
  TieredPass pass(tiers, map, JitMode::kAuto);
  ASSERT_EQ(RunTimes(pass, ElementsFor(tiers, map, 0.5)), absl::OkStatus());
  EXPECT_EQ(tiers.runs, "c");
}

// Implementations come and go with calls.
TEST(TieredPass, TheSumIsThatOfAllPassesThatComputeTheSame) {
  WritingTiers tiers("shared");
  const Pass map = MapOf("x + 1");
  const std::int64_t n = ElementsFor(tiers, map, 2.5);
  for (int k = 0; k < 4; ++k) {
    TieredPass pass(tiers, map, JitMode::kAuto);
    ASSERT_EQ(RunTimes(pass, n), absl::OkStatus());
  }
  TieredPass other(tiers, MapOf("x + 2"), JitMode::kAuto);
  ASSERT_EQ(RunTimes(other, n), absl::OkStatus());
  EXPECT_EQ(tiers.runs, "iicci");
}

TEST(TieredPass, WhatLiesInACacheRunsAtOnce) {
  WritingTiers tiers("cached");
  tiers.found = absl::OkStatus();
  TieredPass pass(tiers, MapOf("x + 1"), JitMode::kAuto);
  const TierCounts before = TierLedger::Get().counts();
  ASSERT_EQ(RunTimes(pass, 1, 2), absl::OkStatus());
  EXPECT_EQ(tiers.runs, "ff");
  EXPECT_EQ(tiers.looked, 1);
  EXPECT_EQ(TierLedger::Get().counts().found, before.found + 1);
  EXPECT_EQ(TierLedger::Get().counts().interpreted, before.interpreted);
}

TEST(TieredPass, WhereTheDriverCannotCompileItIsInterpreted) {
  WritingTiers tiers("cannot");
  tiers.compiling = absl::UnavailableError("no compiler");
  const Pass map = MapOf("x + 1");
  TieredPass pass(tiers, map, JitMode::kAuto);
  ASSERT_EQ(RunTimes(pass, ElementsFor(tiers, map, 0.5), 3), absl::OkStatus());
  EXPECT_EQ(tiers.runs, "iii");
  EXPECT_EQ(tiers.compiled, 1);
  TieredPass always(tiers, MapOf("x + 2"), JitMode::kAlways);
  ASSERT_EQ(RunTimes(always, 1), absl::OkStatus());
  EXPECT_EQ(tiers.runs, "iiii");
}

TEST(TieredPass, OtherErrorsOfTheCompilerAreErrors) {
  WritingTiers tiers("wrong");
  tiers.compiling = absl::InternalError("not PTX");
  TieredPass pass(tiers, MapOf("x + 1"), JitMode::kAlways);
  EXPECT_EQ(RunTimes(pass, 1), tiers.compiling);
}

TEST(TieredPass, TheModeDecidesWithoutTheRule) {
  WritingTiers tiers("mode");
  tiers.found = absl::OkStatus();
  const Pass map = MapOf("x + 1");
  TieredPass never(tiers, map, JitMode::kNever);
  ASSERT_EQ(RunTimes(never, ElementsFor(tiers, map, 0.1), 2), absl::OkStatus());
  TieredPass always(tiers, map, JitMode::kAlways);
  ASSERT_EQ(RunTimes(always, 1), absl::OkStatus());
  EXPECT_EQ(tiers.runs, "iic");
  EXPECT_EQ(tiers.looked, 0);
}

TEST(TieredPass, IsExplainedAsItRuns) {
  WritingTiers tiers("explained");
  const Pass map = MapOf("x + 1");
  const std::int64_t n = ElementsFor(tiers, map, 4.5);
  const auto explain = [&](std::int64_t elements, JitMode mode) {
    return ExplainTier(tiers, map, elements, mode);
  };
  EXPECT_THAT(explain(n, JitMode::kAuto),
              StartsWith("interpreted for 4 runs, then spliced: "));
  EXPECT_THAT(explain(9 * n, JitMode::kAuto),
              StartsWith("spliced from the first run on: "));
  EXPECT_THAT(explain(n, JitMode::kAlways), StartsWith("spliced: CONCORD_JIT"));
  EXPECT_THAT(explain(n, JitMode::kNever), StartsWith("interpreted: CONCORD"));
  tiers.found = absl::OkStatus();
  EXPECT_THAT(explain(n, JitMode::kAuto), HasSubstr("in a cache"));
  tiers.found = absl::UnavailableError("no compiler");
  EXPECT_EQ(explain(n, JitMode::kAuto), "interpreted: no compiler");
  EXPECT_EQ(tiers.runs, "");
}

TEST(TierRule, CountsOperationsOfPrologueAndOperator) {
  Pass pass = MapOf("x * x + 1");
  EXPECT_EQ(InterpretedOperations(pass), 2);
  pass.kind = Pass::Kind::kReduce;
  pass.op = *expression::Operator::Parse("a + b", {Type::kInt32});
  EXPECT_EQ(InterpretedOperations(pass), 3);
}

TEST(TierRule, MoreOperationsAndFewerMultiprocessorsTakeLonger) {
  const Pass map = MapOf("x * x + 1");
  const Pass longer = MapOf("x * x * x * x + 1");
  EXPECT_GT(ExtraSecondsOfElement(longer, 10), ExtraSecondsOfElement(map, 10));
  EXPECT_GT(ExtraSecondsOfElement(map, 10), ExtraSecondsOfElement(map, 20));
}

TEST(TierRule, TheModeComesFromTheEnvironment) {
  unsetenv("CONCORD_JIT");
  EXPECT_EQ(*JitModeFromEnvironment(), JitMode::kAuto);
  setenv("CONCORD_JIT", "always", 1);
  EXPECT_EQ(*JitModeFromEnvironment(), JitMode::kAlways);
  setenv("CONCORD_JIT", "never", 1);
  EXPECT_EQ(*JitModeFromEnvironment(), JitMode::kNever);
  setenv("CONCORD_JIT", "sometimes", 1);
  EXPECT_EQ(JitModeFromEnvironment().status().message(),
            "CONCORD_JIT is 'sometimes'; it can be auto, always or never");
  unsetenv("CONCORD_JIT");
}

}  // namespace
}  // namespace concord::sequence
