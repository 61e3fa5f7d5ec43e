// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Chains of stages, and what they begin with.

#include "concord/algorithms/sequence/program_parser.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "concord/core/expression/notation.h"

namespace concord::sequence {
namespace {

using expression::Parameter;
using expression::Quoted;
using expression::Token;
using expression::Type;
using Kind = Stage::Kind;

// Of all chains together. Programs of the user's have a handful.
constexpr std::size_t kMostStages = 256;

bool IsKeyword(absl::string_view word) {
  static constexpr absl::string_view kWords[] = {
      "map",  "filter", "reduce",   "scan",    "scan_before", "count",
      "last", "take",   "slice",    "sort_by", "histogram",   "group_reduce",
      "by",   "zip",    "tabulate", "concat",  "from",        "unchecked"};
  return std::find(std::begin(kWords), std::end(kWords), word) !=
         std::end(kWords);
}

}  // namespace

ProgramParser::ProgramParser(absl::string_view text,
                             const std::vector<Parameter>& columns)
    : cursor_(text), columns_(columns) {
  for (std::size_t k = 0; k < columns.size(); ++k) {
    Stage column{Kind::kColumn};
    column.types = {columns[k].type};
    column.first = static_cast<std::int64_t>(k);
    Name(columns[k].name, 0, Add(std::move(column)));
  }
}

absl::StatusOr<std::vector<Stage>> ProgramParser::Run() {
  while (cursor_.Peek().kind == Token::kWord && cursor_.Is("=", 1)) {
    const Token& name = cursor_.Next();
    cursor_.Expect("=");
    const int stage = Chain();
    cursor_.Expect(";");
    Name(name.text, name.place, stage);
  }
  const int result = Chain();
  if (cursor_.ok() && cursor_.Peek().kind != Token::kEnd) {
    cursor_.FailExpecting("'|>' or the end");
  }
  if (!cursor_.ok()) return cursor_.status();
  KeepWhatIsNeeded(result);
  return std::move(stages_);
}

int ProgramParser::Add(Stage stage) {
  if (stages_.size() == kMostStages) {
    Fail(cursor_.place(),
         absl::StrCat("a program has at most ", kMostStages, " stages"));
    return 0;
  }
  stages_.push_back(std::move(stage));
  return static_cast<int>(stages_.size()) - 1;
}

void ProgramParser::Name(absl::string_view name, std::size_t place, int stage) {
  if (IsKeyword(name) || expression::IsReserved(name)) {
    Fail(place, absl::StrCat("'", name,
                             "' is a word of the language; choose "
                             "another name"));
  } else if (!names_.try_emplace(std::string(name), stage).second) {
    Fail(place, absl::StrCat("there is ", Quoted(name),
                             " already; choose "
                             "another name"));
  }
}

int ProgramParser::Chain() {
  int stage = Source();
  while (cursor_.ok() && cursor_.Take("|>")) stage = Step(stage);
  return stage;
}

int ProgramParser::Source() {
  if (cursor_.Take("zip")) return Zip();
  if (cursor_.Take("concat")) return Concat();
  if (cursor_.Take("tabulate")) return Tabulate();
  const Token& token = cursor_.Peek();
  if (token.kind == Token::kWord && !IsKeyword(token.text)) return Named();
  if (stages_.empty()) {
    Fail(token.place,
         "there are no inputs; a program without them begins with tabulate");
    return 0;
  }
  return Step(0);
}

int ProgramParser::Named() {
  const Token& token = cursor_.Peek();
  if (token.kind != Token::kWord) {
    cursor_.FailExpecting("the name of a sequence");
    return 0;
  }
  cursor_.Next();
  const auto found = names_.find(token.text);
  if (found != names_.end()) return found->second;
  std::string known;
  for (const auto& [name, stage] : names_) absl::StrAppend(&known, " ", name);
  Fail(token.place, absl::StrCat("there is no sequence ", Quoted(token.text),
                                 "; there are:", known.substr(0, 200)));
  return 0;
}

std::vector<int> ProgramParser::NamesAfter() {
  std::vector<int> inputs;
  do {
    inputs.push_back(Named());
  } while (cursor_.Peek().kind == Token::kWord);
  return inputs;
}

int ProgramParser::Zip() {
  const std::size_t place = cursor_.place();
  Stage zip{Kind::kZip, NamesAfter()};
  for (int input : zip.inputs) {
    if (!cursor_.ok()) return 0;
    const std::vector<Type>& types = stages_[input].types;
    zip.types.insert(zip.types.end(), types.begin(), types.end());
  }
  if (zip.types.size() > expression::kMostParameters) {
    Fail(place, absl::StrCat("a tuple has at most ",
                             expression::kMostParameters, " values"));
  }
  return Add(std::move(zip));
}

int ProgramParser::Concat() {
  const std::size_t place = cursor_.place();
  Stage concat{Kind::kConcat, NamesAfter()};
  if (!cursor_.ok()) return 0;
  if (concat.inputs.size() > kMostStages) {
    Fail(place,
         absl::StrCat("'concat' takes at most ", kMostStages, " sequences"));
    return 0;
  }
  concat.types = stages_[concat.inputs[0]].types;
  for (int input : concat.inputs) {
    if (stages_[input].types != concat.types) {
      Fail(place, "sequences of different types cannot be one");
    }
  }
  return Add(std::move(concat));
}

int ProgramParser::Tabulate() {
  Stage tabulate{Kind::kTabulate};
  ParseMap({}, tabulate);
  cursor_.Expect(",");
  tabulate.count = Number();
  return AddWithFunction(std::move(tabulate));
}

std::int64_t ProgramParser::Number() {
  const Token& token = cursor_.Peek();
  std::int64_t number = 0;
  if (token.kind == Token::kNumber && absl::SimpleAtoi(token.text, &number)) {
    cursor_.Next();
    return number;
  }
  if (token.kind == Token::kNumber &&
      token.text.find_first_not_of("0123456789") == absl::string_view::npos) {
    Fail(token.place,
         absl::StrCat(Quoted(token.text),
                      " is too large; the largest number here is ", INT64_MAX));
  }
  cursor_.FailExpecting("a whole number");
  return 0;
}

void ProgramParser::KeepWhatIsNeeded(int result) {
  std::vector<bool> needed(stages_.size(), false);
  needed[result] = true;
  for (int k = result; k >= 0; --k) {
    for (int input : stages_[k].inputs) {
      if (needed[k]) needed[input] = true;
    }
  }
  std::vector<int> number(stages_.size(), -1);
  std::vector<Stage> kept;
  for (int k = 0; k <= result; ++k) {
    if (!needed[k]) continue;
    for (int& input : stages_[k].inputs) input = number[input];
    number[k] = static_cast<int>(kept.size());
    kept.push_back(std::move(stages_[k]));
  }
  stages_ = std::move(kept);
}

}  // namespace concord::sequence
