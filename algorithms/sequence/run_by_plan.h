// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// What tests of plans run programs by.

#ifndef CONCORD_ALGORITHMS_SEQUENCE_RUN_BY_PLAN_H_
#define CONCORD_ALGORITHMS_SEQUENCE_RUN_BY_PLAN_H_

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "concord/algorithms/sequence/plain_passes.h"
#include "concord/algorithms/sequence/plan.h"
#include "concord/algorithms/sequence/program.h"
#include "concord/algorithms/sequence/random_program.h"
#include "concord/algorithms/sequence/run_plan.h"
#include "concord/core/backend.h"
#include "concord/core/expression/evaluate.h"
#include "concord/testing/support/spoiling_backend.h"

namespace concord::sequence {

inline constexpr Fusion kFusions[] = {Fusion::kAll, Fusion::kNone};

// Results have room for 10,000 elements.
inline absl::StatusOr<std::vector<Tuple>> RunByPlan(
    const Program& program, const std::vector<ConstArrayView>& columns,
    Fusion fusion) {
  absl::StatusOr<Plan> plan = MakePlan(program, fusion);
  if (!plan.ok()) return plan.status();
  const std::shared_ptr<Backend> serial = *OpenBackend("serial");
  std::vector<Array> arrays;
  std::vector<ArrayView> results;
  for (expression::Type type : program.types()) {
    arrays.push_back(*serial->Allocate(StoredAs(type), 10'000));
    results.push_back(arrays.back().view());
  }
  SpoilingBackend backend;
  PassesThatLeaveCounts passes;
  absl::StatusOr<std::int64_t> size =
      RunPlan(program, *plan, columns, results, backend, passes);
  if (!size.ok()) return size.status();
  std::vector<Tuple> tuples(static_cast<std::size_t>(*size));
  for (std::size_t i = 0; i < tuples.size(); ++i) {
    for (std::size_t k = 0; k < results.size(); ++k) {
      tuples[i].push_back(expression::LoadValue(
          program.types()[k], results[k].data(), static_cast<int>(i)));
    }
  }
  return tuples;
}

// Of a program on the columns of random programs.
inline Plan PlanOf(absl::string_view text, Fusion fusion = Fusion::kAll) {
  absl::StatusOr<Program> program =
      Program::Parse(text, RandomProgramColumns());
  EXPECT_TRUE(program.ok()) << program.status();
  absl::StatusOr<Plan> plan = MakePlan(*program, fusion);
  EXPECT_TRUE(plan.ok()) << plan.status();
  return *plan;
}

}  // namespace concord::sequence

#endif  // CONCORD_ALGORITHMS_SEQUENCE_RUN_BY_PLAN_H_
