// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Cases of programs that fail are made smaller as programs.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "concord/algorithms/sequence/program.h"
#include "concord/algorithms/sequence/program_text.h"
#include "concord/algorithms/sequence/spec/case_program.h"
#include "concord/core/spec.h"
#include "concord/testing/engine/shrink.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace concord::sequence {
namespace {

using ::testing::HasSubstr;

int CountOperations(const Program& program) {
  int operations = 0;
  for (const Stage& stage : program.stages()) {
    if (stage.function.has_value()) {
      operations += stage.function->CountOperations();
    }
    if (stage.op.has_value()) {
      operations += stage.op->function().CountOperations();
    }
  }
  return operations;
}

// The axis of this name.
Axis AxisOf(const Case& test_case, const std::string& name) {
  const std::vector<Axis> axes = (*FindSpec("sequence"))->Axes(test_case);
  const auto axis = std::find_if(axes.begin(), axes.end(),
                                 [&](const Axis& a) { return a.name == name; });
  EXPECT_NE(axis, axes.end());
  return *axis;
}

TEST(SequenceAxes, PutZeroForLiterals) {
  const AlgorithmSpec& spec = **FindSpec("sequence");
  const auto literals = [](const Case& test_case) {
    return AxisOf(test_case, "literals");
  };
  Case test_case = *spec.Generate({3, ElementType::kInt32, "uniform", {}, 1});
  test_case.options["program"] =
      "filter x < 37 |> reduce a, b -> a + b * 5 unchecked";
  ASSERT_EQ(literals(test_case).length, 2);
  const Case first = literals(test_case).without(0, 1);
  EXPECT_EQ(literals(first).length, 1);
  EXPECT_THAT(first.options.at("program"), HasSubstr("x < 0"));
  const Case both = literals(test_case).without(0, 2);
  EXPECT_EQ(literals(both).length, 0);
}

TEST(SequenceAxes, LeaveOutWhatIsTabulated) {
  const AlgorithmSpec& spec = **FindSpec("sequence");
  const auto tabulated = [](const Case& test_case) {
    return AxisOf(test_case, "tabulated elements");
  };
  Case test_case = *spec.Generate({3, ElementType::kInt32, "uniform", {}, 1});
  test_case.options["program"] =
      "a = tabulate i, 20; b = tabulate 2 * i, 5; concat a b";
  ASSERT_EQ(tabulated(test_case).length, 25);
  // Five of the first, and three of the second.
  const Case fewer = tabulated(test_case).without(15, 23);
  EXPECT_EQ(tabulated(fewer).length, 17);
  EXPECT_THAT(fewer.options.at("program"), HasSubstr(", 15"));
  EXPECT_THAT(fewer.options.at("program"), HasSubstr(", 2"));
  EXPECT_EQ(tabulated(tabulated(test_case).without(0, 25)).length, 0);
}

// As if every program with a shift were computed wrongly.
std::optional<Failure> FailsOnShifts(const Trial& trial) {
  const absl::StatusOr<const AlgorithmSpec*> spec = FindSpec("sequence");
  if (!(*spec)->Expected(trial.test_case).ok()) {
    return Failure{FailureKind::kSpec, "no case"};
  }
  // Of what is computed: the text may have shifts that nobody reads.
  const auto program = ProgramOfCase(trial.test_case);
  if (!absl::StrContains(ToText(**program), ">>")) {
    return std::nullopt;
  }
  return Failure{FailureKind::kValue, "a shift"};
}

TEST(SequenceAxes, LeaveOfAProgramWhatFails) {
  const AlgorithmSpec& spec = **FindSpec("sequence");
  Trial trial;
  trial.backend = "serial";
  for (std::uint64_t seed = 0;
       !FailsOnShifts(trial).has_value() ||
       FailsOnShifts(trial)->kind != FailureKind::kValue;
       ++seed) {
    trial.test_case =
        *spec.Generate({40, ElementType::kInt32, "random_pipeline", {}, seed});
  }
  const Shrunk shrunk =
      Shrink(spec, trial, *FailsOnShifts(trial), FailsOnShifts);
  const std::string text = shrunk.trial.test_case.options.at("program");
  SCOPED_TRACE(
      absl::StrCat(trial.test_case.options.at("program"), "\n->\n", text));
  const auto program = ProgramOfCase(shrunk.trial.test_case);
  ASSERT_TRUE(program.ok()) << program.status();
  EXPECT_EQ(spec.SizeOfCase(shrunk.trial.test_case), 0);
  // A shift, and what makes a key of it: a comparison, a choice and casts.
  EXPECT_LE(CountOperations(**program), 5);
  // Columns, perhaps their zip, and a map or what has a key.
  const auto columns =
      static_cast<std::ptrdiff_t>(shrunk.trial.test_case.inputs.size());
  EXPECT_LE((*program)->stages().size(), columns + 2);
}

}  // namespace
}  // namespace concord::sequence
