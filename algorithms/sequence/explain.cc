// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "concord/algorithms/sequence/pass_compiler.h"
#include "concord/algorithms/sequence/plan.h"
#include "concord/algorithms/sequence/program_cache.h"
#include "concord/algorithms/sequence/sequence.h"
#include "concord/algorithms/sequence/sizes.h"
#include "concord/core/errors.h"
#include "concord/core/explanation.h"
#include "concord/core/signature.h"

namespace concord::sequence {
namespace {

// Adds to each pass's text what backends that compile passes say of it.
void AddHowTheyRun(const Plan& plan, std::vector<PassSummary>& passes) {
  std::vector<std::int64_t> elements;
  for (const PassSummary& pass : passes) elements.push_back(pass.elements);
  for (const PassCompiler& compiler : PassCompilers()) {
    const std::vector<std::string> words = compiler.explain(plan, elements);
    for (std::size_t k = 0; k < words.size(); ++k) {
      absl::StrAppend(&passes[k].text, "  [", compiler.backend, ": ", words[k],
                      "]");
    }
  }
}

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
  std::vector<PassSummary> passes =
      Summarize(*plan, program->columns(), column_sizes);
  AddHowTheyRun(*plan, passes);
  const std::int64_t read = BytesRead(passes);
  for (PassSummary& pass : passes) {
    explanation.steps.push_back({std::move(pass.text), pass.elements,
                                 pass.at_most, pass.operations, pass.bytes_read,
                                 pass.bytes_written});
  }
  // Every column that is read once, and every column of the result.
  for (const std::int64_t column : ColumnsRead(*program)) {
    explanation.least_read =
        SaturatedSum(explanation.least_read, columns[column].bytes());
  }
  explanation.least_read = std::min(explanation.least_read, read);
  for (const OutputSpec& output : outputs) {
    if (output.name == "count") continue;
    explanation.least_written =
        SaturatedSum(explanation.least_written, CapacityBytes(output));
  }
  return explanation;
}

const bool kRegistered = RegisterExplainer(SequenceProgram::kName, Explain);

}  // namespace
}  // namespace concord::sequence
