// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/algorithms/sequence/program_text.h"

#include <algorithm>
#include <cstddef>

#include "absl/strings/str_cat.h"
#include "concord/core/expression/printer.h"

namespace concord::sequence {
namespace {

using expression::Parameter;
using Kind = Stage::Kind;

std::string WithOperator(absl::string_view word, const Stage& stage) {
  return absl::StrCat(word, " ", OperatorText(*stage.op, stage.start));
}

class Printer {
 public:
  Printer(const std::vector<Parameter>& columns,
          const std::vector<Stage>& stages)
      : columns_(columns), stages_(stages), uses_(stages.size(), 0) {
    for (const Stage& stage : stages) {
      const bool needs_names =
          stage.kind == Kind::kZip || stage.kind == Kind::kConcat;
      // As if there were two, so that they have names.
      for (const int input : stage.inputs) uses_[input] += needs_names ? 2 : 1;
    }
  }

  std::string Run() {
    std::string text;
    // What the stage before gives, if only the next one reads it.
    std::string chain;
    for (std::size_t k = 0; k < stages_.size(); ++k) {
      const Stage& stage = stages_[k];
      const bool is_result = k + 1 == stages_.size();
      if (stage.kind == Kind::kColumn) {
        if (is_result) return text + NameOf(k);
        continue;
      }
      chain = chain.empty() ? Begin(stage)
                            : absl::StrCat(chain, " |> ", StepText(stage));
      if (is_result) break;
      const Stage& next = stages_[k + 1];
      if (uses_[k] == 1 && next.inputs == std::vector<int>{Number(k)}) continue;
      absl::StrAppend(&text, NameOf(k), " = ", chain, "; ");
      chain.clear();
    }
    return text + chain;
  }

 private:
  static int Number(std::size_t k) { return static_cast<int>(k); }

  bool IsColumn(const std::string& name) const {
    return std::any_of(columns_.begin(), columns_.end(),
                       [&](const Parameter& c) { return c.name == name; });
  }

  std::string NameOf(std::size_t k) const {
    if (stages_[k].kind == Kind::kColumn) {
      return columns_[stages_[k].first].name;
    }
    std::string name = absl::StrCat("s", k);
    while (IsColumn(name)) name += "_";
    return name;
  }

  std::string Begin(const Stage& stage) const {
    switch (stage.kind) {
      case Kind::kTabulate:
        return StepText(stage);
      case Kind::kZip:
      case Kind::kConcat: {
        std::string text = StepText(stage);
        for (const int input : stage.inputs) {
          absl::StrAppend(&text, " ", NameOf(input));
        }
        return text;
      }
      default:
        return absl::StrCat(NameOf(stage.inputs[0]), " |> ", StepText(stage));
    }
  }

  const std::vector<Parameter>& columns_;
  const std::vector<Stage>& stages_;
  std::vector<int> uses_;
};

}  // namespace

std::string StepText(const Stage& stage) {
  switch (stage.kind) {
    case Kind::kColumn:
      return "column";
    case Kind::kTabulate:
      return absl::StrCat("tabulate ", expression::ToText(*stage.function),
                          ", ", stage.count);
    case Kind::kZip:
      return "zip";
    case Kind::kConcat:
      return "concat";
    case Kind::kMap:
      return absl::StrCat("map ", expression::ToText(*stage.function));
    case Kind::kFilter:
      return absl::StrCat("filter ", expression::ToText(*stage.function));
    case Kind::kReduce:
      return WithOperator("reduce", stage);
    case Kind::kScan:
      return WithOperator("scan", stage);
    case Kind::kScanBefore:
      return WithOperator("scan_before", stage);
    case Kind::kCount:
      return "count";
    case Kind::kLast:
      return "last";
    case Kind::kSlice:
      return absl::StrCat("slice ", stage.first, ", ", stage.count);
    case Kind::kSortBy:
      return absl::StrCat("sort_by ", expression::ToText(*stage.function));
    case Kind::kHistogram:
      return absl::StrCat("histogram ", expression::ToText(*stage.function));
    case Kind::kGroupReduce:
      return WithOperator(
          absl::StrCat("group_reduce ", expression::ToText(*stage.function),
                       " by"),
          stage);
  }
  return "";
}

std::string ToText(const std::vector<Parameter>& columns,
                   const std::vector<Stage>& stages) {
  return Printer(columns, stages).Run();
}

std::string ToText(const Program& program) {
  return ToText(program.columns(), program.stages());
}

std::string OperatorText(
    const expression::Operator& op,
    const std::optional<std::vector<expression::Word>>& start) {
  std::string text = expression::OperatorToText(op.function());
  if (start.has_value()) {
    absl::StrAppend(&text, " from ", expression::ToString(op.types(), *start));
  }
  return text + " unchecked";
}

}  // namespace concord::sequence
