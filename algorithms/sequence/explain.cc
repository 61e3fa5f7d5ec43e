// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include <cstdint>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "concord/algorithms/sequence/plan.h"
#include "concord/algorithms/sequence/program_cache.h"
#include "concord/algorithms/sequence/sequence.h"
#include "concord/algorithms/sequence/sizes.h"
#include "concord/core/errors.h"
#include "concord/core/explanation.h"
#include "concord/core/signature.h"

namespace concord::sequence {
namespace {

absl::StatusOr<ExplainedCall> Explain(const OptionMap& given,
                                      const Inputs& named) {
  const Signature<SequenceProgram>& signature = SequenceProgram::GetSignature();
  ASSIGN_OR_RETURN(const SequenceProgram::Options options,
                   signature.Parse(given));
  std::vector<ConstArrayView> inputs;
  RETURN_IF_ERROR(PutInOrder(signature.data(), named, inputs));
  ASSIGN_OR_RETURN(const std::vector<OutputSpec> outputs,
                   signature.Plan(options, inputs));
  ASSIGN_OR_RETURN(const std::shared_ptr<const Program> program,
                   ProgramOf(options.program, inputs));
  const std::vector<ConstArrayView> columns = ColumnsOf(inputs);
  std::vector<std::int64_t> column_sizes;
  for (const ConstArrayView& column : columns) {
    column_sizes.push_back(column.size());
  }
  ASSIGN_OR_RETURN(const std::shared_ptr<const Plan> plan, PlanOf(*program));

  ExplainedCall explanation;
  for (PassSummary& pass : Summarize(*plan, program->columns(), column_sizes)) {
    explanation.steps.push_back({std::move(pass.text), pass.elements,
                                 pass.at_most, pass.operations, pass.bytes_read,
                                 pass.bytes_written});
  }
  // Every column that is read once, and every column of the result.
  std::set<std::int64_t> read;
  for (const Stage& stage : program->stages()) {
    read.insert(stage.tables.begin(), stage.tables.end());
    if (stage.kind == Stage::Kind::kColumn) read.insert(stage.first);
  }
  for (const std::int64_t column : read) {
    explanation.least_read =
        SaturatedSum(explanation.least_read, columns[column].bytes());
  }
  for (const OutputSpec& output : outputs) {
    if (output.name == "count") continue;
    explanation.least_written = SaturatedSum(
        explanation.least_written, Capacity(output) * SizeOf(output.type));
  }
  return explanation;
}

const bool kRegistered = RegisterExplainer(SequenceProgram::kName, Explain);

}  // namespace
}  // namespace concord::sequence
