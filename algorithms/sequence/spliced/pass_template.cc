// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/algorithms/sequence/spliced/pass_template.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "concord/algorithms/sequence/spliced/shapes.h"
#include "concord/algorithms/sequence/spliced/templates.h"
#include "concord/backends/cuda/spliced/ptx_operations.h"

namespace concord::sequence {
namespace {

using expression::Function;
using expression::Op;
using expression::Operator;
using expression::Type;
using spliced::PassTemplate;

bool AreWide(const std::vector<Type>& types) {
  return std::any_of(types.begin(), types.end(),
                     [](Type type) { return BytesOf(type) == 8; });
}

// The template of a frame for tuples of these types.
PassTemplate TemplateFor(absl::string_view frame,
                         const std::vector<Type>& types) {
  std::size_t words = 1;
  while (words < types.size()) words *= 2;
  const bool wide = AreWide(types);
  const std::string name = absl::StrCat(frame, "_", words, "x", wide ? 64 : 32);
  return {name, TemplateText(name), wide};
}

// Whether the pipeline can read what the function does: one column of 4 bytes,
// and nothing beside it.
bool FitsPipeline(const CudaBackend& backend, const Function& function) {
  const std::vector<Type> columns = function.ParameterTypes();
  return backend.architecture() >= 90 &&
         backend.max_shared_memory_per_block() >= kPipelinedSharedBytes &&
         columns.size() == 1 && BytesOf(columns[0]) == 4 &&
         function.tables().empty();
}

PassTemplate PipelinedTemplate(absl::string_view name) {
  return {std::string(name), TemplateText90(name), false};
}

}  // namespace

bool OrderMatters(const Operator& op) {
  return expression::IsFloat(op.types()[0]) &&
         (op.built_in() == Op::kAdd || op.built_in() == Op::kMultiply);
}

bool IsTree(const Operator& op) {
  return op.built_in().has_value() && op.identity().has_value();
}

bool FilterRunsOnPipeline(const CudaBackend& backend,
                          const Function& function) {
  const std::vector<Type> results = function.ResultTypes();
  return FitsPipeline(backend, function) && results.size() == 2 &&
         BytesOf(results[1]) == 4;
}

bool ScanRunsOnPipeline(const CudaBackend& backend, const Function& prologue,
                        const Operator& op,
                        const std::optional<Function>& epilogue) {
  const std::vector<Type> results =
      epilogue.has_value() ? epilogue->ResultTypes() : op.types();
  return FitsPipeline(backend, prologue) && op.built_in().has_value() &&
         op.identity().has_value() && !OrderMatters(op) &&
         BytesOf(op.types()[0]) == 4 && results.size() == 1 &&
         BytesOf(results[0]) == 4;
}

int MapGroups(const Function& function) {
  std::vector<Type> types = function.ParameterTypes();
  const std::vector<Type> results = function.ResultTypes();
  types.insert(types.end(), results.begin(), results.end());
  const bool all_wide = std::all_of(
      types.begin(), types.end(), [](Type type) { return BytesOf(type) >= 4; });
  return all_wide ? kMapGroups : kMapGroupsOfBytes;
}

PassTemplate TemplateOfMap(const Function& function) {
  const std::string name = absl::StrCat("map_", MapGroups(function));
  return {name, TemplateText(name), false};
}

PassTemplate TemplateOfReduce(const Operator& op) {
  return TemplateFor(IsTree(op) ? "reduce" : "fold", op.types());
}

PassTemplate TemplateOfFilter(const CudaBackend& backend,
                              const Function& function) {
  if (FilterRunsOnPipeline(backend, function)) {
    return PipelinedTemplate("pipelined_filter");
  }
  return {"filter", TemplateText("filter"), false};
}

PassTemplate TemplateOfScan(const CudaBackend& backend,
                            const Function& prologue, const Operator& op,
                            const std::optional<Function>& epilogue) {
  if (ScanRunsOnPipeline(backend, prologue, op, epilogue)) {
    return PipelinedTemplate("pipelined_scan");
  }
  return TemplateFor("scan", op.types());
}

std::string TemplateNameOf(const CudaBackend& backend, const Pass& pass) {
  switch (pass.kind) {
    case Pass::Kind::kMap:
      return TemplateOfMap(*pass.prologue).name;
    case Pass::Kind::kFilter:
      return TemplateOfFilter(backend, *pass.prologue).name;
    case Pass::Kind::kReduce:
      return TemplateOfReduce(*pass.op).name;
    case Pass::Kind::kScan:
      return TemplateOfScan(backend, *pass.prologue, *pass.op, pass.epilogue)
          .name;
    case Pass::Kind::kCount:
    case Pass::Kind::kSort:
      break;
  }
  return "";
}

}  // namespace concord::sequence
