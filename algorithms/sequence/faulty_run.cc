// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/algorithms/sequence/faulty_run.h"

#include <cstddef>
#include <cstdint>
#include <vector>

#include "concord/algorithms/sequence/column_names.h"
#include "concord/algorithms/sequence/key_sorter.h"
#include "concord/algorithms/sequence/program_cache.h"
#include "concord/algorithms/sequence/tbb/passes.h"
#include "concord/backends/tbb/tbb_backend.h"
#include "concord/core/errors.h"

namespace concord::sequence {
namespace {

class FaultyPasses : public PassRunner {
 public:
  FaultyPasses(PassRunner& right, const Passing& passing)
      : right_(right), passing_(passing) {}

  absl::StatusOr<PassOutcome> Run(const PassCall& call) override {
    return passing_(right_, call);
  }

 private:
  PassRunner& right_;
  const Passing& passing_;
};

absl::Status RunWith(const FaultyRun& run, const Planning& planning,
                     const Passing& passing) {
  auto& backend = dynamic_cast<TbbBackend&>(run.backend);
  std::vector<ConstArrayView> inputs;
  for (const char* name : kColumnNames) {
    const auto input = run.inputs.find(name);
    inputs.push_back(input == run.inputs.end() ? ConstArrayView()
                                               : input->second);
  }
  ASSIGN_OR_RETURN(const std::shared_ptr<const Program> program,
                   ProgramOf(run.test_case.options.at("program"), inputs));
  ASSIGN_OR_RETURN(const std::shared_ptr<const Plan> plan, planning(*program));
  std::vector<ArrayView> results;
  for (std::size_t k = 0; k < program->types().size(); ++k) {
    results.push_back(run.outputs.at(kOutputNames[k]));
  }
  KeySorter sorter;
  const std::unique_ptr<PassRunner> right = MakeTbbPasses(backend, sorter);
  FaultyPasses passes(*right, passing);
  ASSIGN_OR_RETURN(
      const std::int64_t size,
      RunPlan(*program, *plan, ColumnsOf(inputs), results, backend, passes));
  const auto count = run.outputs.find("count");
  if (count != run.outputs.end()) {
    *count->second.data<std::int64_t>() = size;
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status RunPlanned(const FaultyRun& run, const Planning& planning) {
  return RunWith(run, planning, [](PassRunner& right, const PassCall& call) {
    return right.Run(call);
  });
}

absl::Status RunPassing(const FaultyRun& run, const Passing& passing) {
  return RunWith(run, PlanOf, passing);
}

}  // namespace concord::sequence
