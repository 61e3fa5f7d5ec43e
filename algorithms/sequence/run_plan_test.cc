// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/algorithms/sequence/run_plan.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "concord/algorithms/sequence/plain_passes.h"
#include "concord/algorithms/sequence/plan.h"
#include "concord/algorithms/sequence/program.h"
#include "concord/algorithms/sequence/random_program.h"
#include "concord/core/expression/value_type.h"
#include "concord/testing/support/spoiling_backend.h"

namespace concord::sequence {
namespace {

// The most memory that a run of the program takes beside its results, in arrays
// of x's 1000 elements.
double ArraysInUse(const std::string& text, Fusion fusion) {
  const RandomColumns columns(3, 1000);
  const Program program = *Program::Parse(text, RandomProgramColumns());
  const Plan plan = *MakePlan(program, fusion);
  std::vector<std::int64_t> room(1000 * program.types().size());
  std::vector<ArrayView> results;
  for (std::size_t k = 0; k < program.types().size(); ++k) {
    results.emplace_back(&room[1000 * k], StoredAs(program.types()[k]), 1000,
                         Memory::Host());
  }
  SpoilingBackend backend;
  PlainPasses passes;
  EXPECT_TRUE(
      RunPlan(program, plan, columns.views(), results, backend, passes).ok());
  return static_cast<double>(backend.memory_pool().most()) /
         static_cast<double>(1000 * sizeof(columns.x[0]));
}

TEST(RunPlan, GivesArraysBackAfterTheirLastReader) {
  const std::string scans =
      "scan a + b |> scan a + b |> scan a + b |> scan a + b |> scan a + b |> "
      "scan a + b";
  // What a scan reads and what it writes, but for the last one's result.
  for (const Fusion fusion : {Fusion::kAll, Fusion::kNone}) {
    EXPECT_EQ(ArraysInUse(scans, fusion), 2);
    EXPECT_EQ(ArraysInUse(scans + " |> reduce max(a, b)", fusion), 2);
  }
  // s waits for its second reader,
  EXPECT_EQ(ArraysInUse("s = scan a + b; t = s |> scan a + b |> scan a + b |> "
                        "scan a + b |> scan a + b; zip s t |> map x - y",
                        Fusion::kAll),
            3);
  // and one that is read as a table for that reader.
  EXPECT_EQ(ArraysInUse("zip x w |> sort_by x |> map x, w -> x |> scan a + b "
                        "|> scan a + b |> scan a + b",
                        Fusion::kAll),
            3);
  // Two values of a filter, the second of which nobody asks for.
  EXPECT_EQ(ArraysInUse("zip x x |> filter x, y -> x % 2 == 0 |> map x, y -> "
                        "x |> scan a + b |> scan a + b",
                        Fusion::kNone),
            2);
}

// A value that nobody reads has the pass that writes it for its last user.
TEST(RunPlan, KnowsWhoUsesAnArrayLast) {
  const Program program = *Program::Parse(
      "s = scan a + b; t = s |> scan a + b; zip s t |> scan (a, b), (c, d) -> "
      "(a + c, b + d)",
      RandomProgramColumns());
  Plan plan = *MakePlan(program);
  ASSERT_EQ(plan.passes.size(), 3);
  plan.passes[1].outputs.push_back(static_cast<int>(plan.buffers.size()));
  plan.buffers.push_back({expression::Type::kInt32, plan.passes[1].extent});
  const std::vector<int> users = LastUsers(plan);
  ASSERT_EQ(users.size(), plan.buffers.size());
  EXPECT_EQ(users[plan.passes[0].outputs[0]], 2);
  EXPECT_EQ(users[plan.passes[1].outputs[0]], 2);
  EXPECT_EQ(users.back(), 1);
}

// Whether the host does not learn how many results there are.
bool LeavesCount(const std::string& text, std::int64_t room) {
  SCOPED_TRACE(text);
  const RandomColumns columns(3, 1000);
  const Program program = *Program::Parse(text, RandomProgramColumns());
  const Plan plan = *MakePlan(program);
  std::vector<std::int64_t> values(static_cast<std::size_t>(room));
  const std::vector<ArrayView> results = {
      {values.data(), StoredAs(program.types()[0]), room, Memory::Host()}};
  SpoilingBackend backend;
  PassesThatLeaveCounts passes;
  const absl::StatusOr<Count> count =
      QueuePlan(program, plan, columns.views(), results, backend, passes);
  PlainPasses plain;
  const absl::StatusOr<std::int64_t> wanted =
      RunPlan(program, plan, columns.views(), results, backend, plain);
  EXPECT_TRUE(count.ok() && wanted.ok());
  EXPECT_EQ(*count->Get(backend), *wanted);
  return count->there.has_value();
}

TEST(QueuePlan, DoesNotWaitForAFilterThatComesLast) {
  EXPECT_TRUE(LeavesCount("filter x % 2 == 0", 1000));
  EXPECT_TRUE(LeavesCount("scan a + b |> filter x % 2 == 0", 1000));
  EXPECT_TRUE(
      LeavesCount("filter x % 2 == 0 |> scan a + b |> filter x > 0", 1000));
  // Others ask how many there are,
  EXPECT_FALSE(LeavesCount("filter x % 2 == 0 |> scan a + b", 1000));
  EXPECT_FALSE(LeavesCount("filter x % 2 == 0 |> take 3", 1000));
  EXPECT_FALSE(LeavesCount("filter x % 2 == 0 |> reduce a + b", 1000));
  // or they must be copied to where there is no room for all.
  EXPECT_FALSE(LeavesCount("filter x % 2 == 0", 900));
}

}  // namespace
}  // namespace concord::sequence
