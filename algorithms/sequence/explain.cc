// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include <cstdint>
#include <memory>
#include <set>
#include <vector>

#include "concord/algorithms/sequence/program_cache.h"
#include "concord/algorithms/sequence/program_text.h"
#include "concord/algorithms/sequence/sequence.h"
#include "concord/algorithms/sequence/sizes.h"
#include "concord/core/errors.h"
#include "concord/core/explanation.h"
#include "concord/core/signature.h"

namespace concord::sequence {
namespace {

// No more than can be counted: programs may say any number of elements.
std::int64_t Product(std::int64_t a, std::int64_t b) {
  std::int64_t product;
  return __builtin_mul_overflow(a, b, &product) ? INT64_MAX : product;
}
std::int64_t Sum(std::int64_t a, std::int64_t b) {
  std::int64_t sum;
  return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

// Of one element of a sequence.
std::int64_t BytesOf(const Stage& stage) {
  std::int64_t bytes = 0;
  for (const expression::Type type : stage.types) {
    bytes += SizeOf(StoredAs(type));
  }
  return bytes;
}

std::int64_t OperationsOf(const Stage& stage) {
  if (stage.function.has_value()) return stage.function->CountOperations();
  return stage.op.has_value() ? stage.op->function().CountOperations() : 0;
}

absl::StatusOr<ExplainedCall> Explain(const OptionMap& given,
                                      const Inputs& named) {
  const Signature<SequenceProgram>& signature = SequenceProgram::GetSignature();
  ASSIGN_OR_RETURN(const SequenceProgram::Options options,
                   signature.Parse(given));
  std::vector<ConstArrayView> inputs;
  RETURN_IF_ERROR(PutInOrder(signature.data(), named, inputs));
  RETURN_IF_ERROR(signature.Plan(options, inputs).status());
  ASSIGN_OR_RETURN(const std::shared_ptr<const Program> program,
                   ProgramOf(options.program, inputs));
  const std::vector<ConstArrayView> columns = ColumnsOf(inputs);
  std::vector<std::int64_t> column_sizes;
  for (const ConstArrayView& column : columns) {
    column_sizes.push_back(column.size());
  }
  ASSIGN_OR_RETURN(const std::vector<KnownSize> sizes,
                   KnownSizes(*program, column_sizes));

  ExplainedCall explanation;
  const std::vector<Stage>& stages = program->stages();
  std::set<std::int64_t> read;
  for (std::size_t k = 0; k < stages.size(); ++k) {
    const Stage& stage = stages[k];
    read.insert(stage.tables.begin(), stage.tables.end());
    if (stage.kind == Stage::Kind::kColumn) {
      read.insert(stage.first);
      continue;
    }
    ExplainedCall::Step step;
    step.what = StepText(stage);
    step.elements = sizes[k].most;
    step.at_most = !sizes[k].exact;
    step.operations = OperationsOf(stage);
    step.bytes_written = Product(sizes[k].most, BytesOf(stage));
    for (const int input : stage.inputs) {
      step.bytes_read = Sum(step.bytes_read,
                            Product(sizes[input].most, BytesOf(stages[input])));
    }
    for (const int table : stage.tables) {
      step.bytes_read = Sum(step.bytes_read, columns[table].bytes());
    }
    explanation.steps.push_back(std::move(step));
  }
  for (const std::int64_t column : read) {
    explanation.least_read =
        Sum(explanation.least_read, columns[column].bytes());
  }
  explanation.least_written =
      Product(sizes.back().most, BytesOf(stages.back()));
  return explanation;
}

const bool kRegistered = RegisterExplainer(SequenceProgram::kName, Explain);

}  // namespace
}  // namespace concord::sequence
