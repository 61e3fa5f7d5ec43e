// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Stages of one input.

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "concord/algorithms/sequence/groups.h"
#include "concord/algorithms/sequence/program_parser.h"

namespace concord::sequence {
namespace {

using expression::Function;
using expression::FunctionForm;
using expression::Operator;
using expression::OperatorClaims;
using expression::Parameter;
using expression::Type;
using Kind = Stage::Kind;

constexpr absl::string_view kStages =
    "map, filter, reduce, scan, scan_before, sort_by, histogram, group_reduce, "
    "count, last, take or slice";

}  // namespace

std::optional<Function> ProgramParser::ParseForm(FunctionForm form) {
  form.braces = true;
  return expression::ParseFunctionAt(cursor_, form);
}

void ProgramParser::ParseMap(std::vector<Type> types, Stage& stage) {
  FunctionForm form = FunctionForm::Map(std::move(types));
  for (const Parameter& column : columns_) {
    form.tables.push_back({column.name, StoredAs(column.type)});
  }
  stage.function = ParseForm(std::move(form));
  if (!stage.function.has_value()) return;
  for (const expression::Table& table : stage.function->tables()) {
    const auto column =
        std::find_if(columns_.begin(), columns_.end(),
                     [&](const Parameter& c) { return c.name == table.name; });
    stage.tables.push_back(static_cast<int>(column - columns_.begin()));
  }
}

int ProgramParser::AddWithFunction(Stage stage) {
  if (!cursor_.ok()) return 0;
  stage.types = stage.function->ResultTypes();
  return Add(std::move(stage));
}

int ProgramParser::Filter(Stage stage) {
  const std::size_t place = cursor_.place();
  stage.kind = Kind::kFilter;
  ParseMap(stage.types, stage);
  if (!cursor_.ok()) return 0;
  const std::vector<Type> results = stage.function->ResultTypes();
  if (results != std::vector<Type>{Type::kBool}) {
    Fail(place, results.size() == 1
                    ? absl::StrCat("a filter gives a bool, this gives ",
                                   expression::WithArticle(results[0]))
                    : "a filter gives a bool, this gives a tuple");
  }
  return Add(std::move(stage));
}

int ProgramParser::Combine(Stage stage) {
  const std::size_t place = cursor_.place();
  const std::vector<Type> types = stage.types;
  ParseOperator(types, stage);
  if (!cursor_.ok()) return 0;
  if (stage.kind == Kind::kScanBefore && !stage.start.has_value() &&
      !stage.op->identity().has_value()) {
    Fail(place,
         "the identity of this operator is not known; say after "
         "'from' what to begin with");
  }
  return Add(std::move(stage));
}

void ProgramParser::ParseOperator(const std::vector<Type>& types,
                                  Stage& stage) {
  const std::size_t place = cursor_.place();
  std::optional<Function> function = ParseForm(FunctionForm::Operator(types));
  OperatorClaims claims;
  if (cursor_.Take("from")) {
    const std::optional<Function> constants =
        ParseForm(FunctionForm::Constants(types));
    if (constants.has_value()) {
      stage.start = expression::ValuesOf(*constants);
    }
  }
  claims.associative_assumed = cursor_.Take("unchecked");
  if (!cursor_.ok()) return;
  absl::StatusOr<Operator> op =
      Operator::Create(*std::move(function), std::move(claims), "'unchecked'");
  if (!op.ok()) {
    Fail(place, std::string(op.status().message()));
    return;
  }
  stage.op = *std::move(op);
}

void ProgramParser::ParseGroupOperator(const std::vector<Type>& types,
                                       Stage& stage) {
  const std::size_t place = cursor_.place();
  ParseOperator(types, stage);
  if (!cursor_.ok()) return;
  const absl::Status fits = RestartingAtFlags(*stage.op).status();
  if (!fits.ok()) {
    Fail(place, absl::StrCat("with the flag and the choices that group_reduce "
                             "adds, the operator is too large: ",
                             fits.message()));
  }
}

void ProgramParser::ParseKey(Stage& stage) {
  const std::size_t place = cursor_.place();
  ParseMap(stage.types, stage);
  if (cursor_.ok() && stage.function->results().size() != 1) {
    Fail(place, "a key is one value, this gives a tuple");
  }
}

int ProgramParser::SortBy(Stage stage) {
  stage.kind = Kind::kSortBy;
  ParseKey(stage);
  return Add(std::move(stage));
}

int ProgramParser::Histogram(Stage stage) {
  stage.kind = Kind::kHistogram;
  ParseKey(stage);
  if (!cursor_.ok()) return 0;
  stage.types = {stage.function->ResultTypes()[0], Type::kInt64};
  return Add(std::move(stage));
}

int ProgramParser::GroupReduce(Stage stage) {
  stage.kind = Kind::kGroupReduce;
  const std::size_t place = cursor_.place();
  ParseMap(stage.types, stage);
  cursor_.Expect("by");
  if (!cursor_.ok()) return 0;
  const std::vector<Type> values = GroupedTypes(*stage.function, stage.types);
  if (values.size() > kMostGrouped) {
    Fail(place, absl::StrCat("group_reduce combines at most ", kMostGrouped,
                             " values, these are ", values.size()));
    return 0;
  }
  ParseGroupOperator(values, stage);
  stage.types = {stage.function->ResultTypes()[0]};
  stage.types.insert(stage.types.end(), values.begin(), values.end());
  return Add(std::move(stage));
}

// The stage at the cursor, which takes some of what it reads.
int ProgramParser::Part(Stage stage) {
  stage.kind = Kind::kSlice;
  if (cursor_.Take("last")) {
    stage.kind = Kind::kLast;
  } else if (cursor_.Take("take")) {
    stage.count = Number();
  } else if (cursor_.Take("slice")) {
    stage.first = Number();
    cursor_.Expect(",");
    stage.count = Number();
  } else {
    cursor_.FailExpecting(kStages);
    return 0;
  }
  return Add(std::move(stage));
}

int ProgramParser::Step(int input) {
  const std::vector<Type> types = stages_[input].types;
  Stage stage{Kind::kMap, {input}, types};
  if (cursor_.Take("map")) {
    ParseMap(types, stage);
    return AddWithFunction(std::move(stage));
  }
  static constexpr std::pair<absl::string_view, Kind> kCombining[] = {
      {"reduce", Kind::kReduce},
      {"scan", Kind::kScan},
      {"scan_before", Kind::kScanBefore}};
  for (const auto& [word, kind] : kCombining) {
    if (!cursor_.Take(word)) continue;
    stage.kind = kind;
    return Combine(std::move(stage));
  }
  if (cursor_.Take("filter")) return Filter(std::move(stage));
  if (cursor_.Take("sort_by")) return SortBy(std::move(stage));
  if (cursor_.Take("histogram")) return Histogram(std::move(stage));
  if (cursor_.Take("group_reduce")) return GroupReduce(std::move(stage));
  if (!cursor_.Take("count")) return Part(std::move(stage));
  stage.kind = Kind::kCount;
  stage.types = {Type::kInt64};
  return Add(std::move(stage));
}

}  // namespace concord::sequence
