// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/algorithms/sequence/spliced/pass.h"

#include <algorithm>
#include <cstddef>

#include "absl/strings/str_cat.h"
#include "concord/algorithms/sequence/order.h"
#include "concord/algorithms/sequence/pass_arrays.h"
#include "concord/algorithms/sequence/spliced/pass_template.h"
#include "concord/core/errors.h"
#include "concord/core/expression/compose.h"
#include "concord/core/memory.h"

namespace concord::sequence {
namespace {

using expression::Function;
using expression::Operator;
using expression::Word;
using spliced::Arguments;
using spliced::PassFunctions;
using spliced::PassTemplate;

// Where element 0 would be, if the view began with element `index`.
template <typename View>
auto* Origin(const View& view, std::int64_t index) {
  return view.Slice(-index, 0).data();
}

absl::Status CheckCombining(const Operator& op,
                            const std::optional<Function>& epilogue) {
  constexpr std::size_t kMostValues = 8;
  if (op.types().size() > kMostValues) {
    return InvalidArgumentError("an operator on tuples of ", op.types().size(),
                                " values; there can be ", kMostValues);
  }
  if (epilogue.has_value() && !epilogue->tables().empty()) {
    return InvalidArgumentError(
        "the function of an operator's results reads a table");
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<SplicedPass> SplicedPass::Map(
    std::shared_ptr<CudaBackend> backend, Function function,
    const Compilation& how) {
  PassTemplate from = TemplateOfMap(function);
  return Create(std::move(backend), Frame::kMap, {std::move(function)},
                std::move(from), how);
}

absl::StatusOr<SplicedPass> SplicedPass::Filter(
    std::shared_ptr<CudaBackend> backend, Function function,
    const Compilation& how) {
  const Frame frame = FilterRunsOnPipeline(*backend, function)
                          ? Frame::kPipelinedFilter
                          : Frame::kFilter;
  PassTemplate from = TemplateOfFilter(*backend, function);
  return Create(std::move(backend), frame, {std::move(function)},
                std::move(from), how);
}

absl::StatusOr<SplicedPass> SplicedPass::Reduce(
    std::shared_ptr<CudaBackend> backend, Function prologue, const Operator& op,
    std::optional<Function> epilogue, const Compilation& how) {
  RETURN_IF_ERROR(CheckCombining(op, epilogue));
  PassFunctions functions{std::move(prologue), op.function(),
                          std::move(epilogue)};
  const bool is_tree = IsTree(op);
  if (is_tree) functions.identity = *op.identity();
  const Frame frame = is_tree ? Frame::kReduce : Frame::kFold;
  ASSIGN_OR_RETURN(SplicedPass pass,
                   Create(std::move(backend), frame, std::move(functions),
                          TemplateOfReduce(op), how));
  pass.order_matters_ = OrderMatters(op);
  return pass;
}

absl::StatusOr<SplicedPass> SplicedPass::Scan(
    std::shared_ptr<CudaBackend> backend, Function prologue, const Operator& op,
    const std::optional<std::vector<Word>>& start, bool before,
    std::optional<Function> epilogue, const Compilation& how) {
  RETURN_IF_ERROR(CheckCombining(op, epilogue));
  PassTemplate from = TemplateOfScan(*backend, prologue, op, epilogue);
  if (ScanRunsOnPipeline(*backend, prologue, op, epilogue)) {
    ASSIGN_OR_RETURN(epilogue, EpilogueFromStart(op, start, epilogue));
    ASSIGN_OR_RETURN(SplicedPass pass,
                     Create(std::move(backend), Frame::kPipelinedScan,
                            {std::move(prologue), op.function(),
                             std::move(epilogue), *op.identity()},
                            std::move(from), how));
    pass.before_ = before;
    return pass;
  }
  PassFunctions functions{std::move(prologue), op.function(),
                          std::move(epilogue)};
  const bool begins = start.has_value() || op.built_in().has_value();
  // Without a beginning, an exclusive scan's first result is the identity.
  if (start.has_value()) {
    functions.identity = *start;
  } else if (begins || before) {
    const std::optional<Tuple> of_nothing = OfNothing(op);
    if (!of_nothing.has_value()) {
      return InvalidArgumentError(
          "an exclusive scan by an operator whose identity is not known");
    }
    functions.identity = *of_nothing;
  }
  ASSIGN_OR_RETURN(SplicedPass pass,
                   Create(std::move(backend), Frame::kScan,
                          std::move(functions), std::move(from), how));
  pass.begins_ = begins;
  pass.before_ = before;
  return pass;
}

absl::StatusOr<SplicedPass> SplicedPass::Of(
    std::shared_ptr<CudaBackend> backend, const Pass& pass,
    const Compilation& how) {
  switch (pass.kind) {
    case Pass::Kind::kMap:
      return Map(std::move(backend), *pass.prologue, how);
    case Pass::Kind::kFilter:
      return Filter(std::move(backend), *pass.prologue, how);
    case Pass::Kind::kScan:
      return Scan(std::move(backend), *pass.prologue, *pass.op, pass.start,
                  pass.before, pass.epilogue, how);
    case Pass::Kind::kReduce: {
      ASSIGN_OR_RETURN(std::optional<Function> epilogue,
                       EpilogueFromStart(*pass.op, pass.start, pass.epilogue));
      return Reduce(std::move(backend), *pass.prologue, *pass.op,
                    std::move(epilogue), how);
    }
    case Pass::Kind::kCount:
    case Pass::Kind::kSort:
      break;
  }
  return InternalError("a pass without functions");
}

std::vector<const char*> SplicedPass::KernelsOf(Frame frame) {
  switch (frame) {
    case Frame::kMap:
      return {"concord_map"};
    case Frame::kReduce:
      return {"concord_reduce"};
    case Frame::kFold:
      return {"concord_fold", "concord_fold_combine"};
    case Frame::kScan:
    case Frame::kPipelinedScan:
      return {"concord_scan"};
    case Frame::kFilter:
    case Frame::kPipelinedFilter:
      return {"concord_filter"};
  }
  return {};
}

absl::StatusOr<SplicedPass> SplicedPass::Create(
    std::shared_ptr<CudaBackend> backend, Frame frame, PassFunctions functions,
    PassTemplate from, const Compilation& how) {
  RETURN_IF_ERROR(backend->Activate());
  ASSIGN_OR_RETURN(spliced::SplicedModule module,
                   spliced::SplicedModule::Get(from, functions, *backend, how));
  SplicedPass pass(std::move(backend), frame, std::move(functions),
                   std::move(from), std::move(module));
  for (const char* name : KernelsOf(frame)) {
    ASSIGN_OR_RETURN(const CUfunction kernel, pass.module_.Kernel(name));
    pass.kernels_.push_back(kernel);
  }
  return pass;
}

absl::StatusOr<PassOutcome> SplicedPass::Run(
    std::int64_t n, absl::Span<const ConstArrayView> columns,
    absl::Span<const ConstArrayView> tables, absl::Span<const ArrayView> out,
    std::int64_t index) {
  PassOutcome outcome;
  outcome.outside.resize(tables.size());
  if (n == 0) return outcome;
  RETURN_IF_ERROR(backend_->Activate());
  Arguments arguments{};
  for (std::size_t k = 0; k < columns.size(); ++k) {
    arguments.in[k] = Origin(columns[k], index);
  }
  for (std::size_t k = 0; k < out.size(); ++k) {
    arguments.out[k] = Origin(out[k], index);
  }
  for (std::size_t k = 0; k < tables.size(); ++k) {
    arguments.tables[k] = {tables[k].data(), tables[k].size()};
  }
  arguments.begin = index;
  arguments.end = index + n;
  const bool writes_vectors = frame_ == Frame::kMap || frame_ == Frame::kScan;
  const bool whole_vectors =
      index == 0 && AreAligned(columns) && (!writes_vectors || AreAligned(out));
  arguments.aligned = whole_vectors ? 1 : 0;

  ASSIGN_OR_RETURN(arguments.outside, outside_.Begin(*backend_, tables.size()));
  if (absl::Status launched = Launch(arguments); !launched.ok()) {
    counters_ = Array();  // which may not be zero
    return launched;
  }
  ASSIGN_OR_RETURN(outcome.outside, outside_.Read(*backend_, index));
  if (frame_ == Frame::kFilter || frame_ == Frame::kPipelinedFilter) {
    outcome.kept.there = Kept();
  }
  return outcome;
}

}  // namespace concord::sequence
