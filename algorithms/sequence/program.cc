// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/algorithms/sequence/program.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "concord/core/expression/notation.h"
#include "concord/core/expression/parser.h"
#include "concord/core/expression/token.h"

namespace concord::sequence {
namespace {

using expression::Cursor;
using expression::Function;
using expression::FunctionForm;
using expression::Operator;
using expression::OperatorClaims;
using expression::Parameter;
using expression::Quoted;
using expression::Token;
using expression::Type;
using Kind = Stage::Kind;

// Of all chains together. Programs of the user's have a handful.
constexpr std::size_t kMostStages = 256;

constexpr absl::string_view kStages =
    "map, filter, reduce, scan, scan_before, count, last, take or slice";

bool IsKeyword(absl::string_view word) {
  static constexpr absl::string_view kWords[] = {
      "map",      "filter", "reduce", "scan",     "scan_before",
      "count",    "last",   "take",   "slice",    "zip",
      "tabulate", "concat", "from",   "unchecked"};
  return std::find(std::begin(kWords), std::end(kWords), word) !=
         std::end(kWords);
}

class ProgramParser {
 public:
  ProgramParser(absl::string_view text, const std::vector<Parameter>& columns)
      : cursor_(text), columns_(columns) {
    for (std::size_t k = 0; k < columns.size(); ++k) {
      Stage column{Kind::kColumn};
      column.types = {columns[k].type};
      column.first = static_cast<std::int64_t>(k);
      Name(columns[k].name, 0, Add(std::move(column)));
    }
  }

  absl::StatusOr<std::vector<Stage>> Run() {
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

 private:
  void Fail(std::size_t place, std::string message) {
    cursor_.error().Set(place, std::move(message));
  }

  int Add(Stage stage) {
    if (stages_.size() == kMostStages) {
      Fail(cursor_.place(),
           absl::StrCat("a program has at most ", kMostStages, " stages"));
      return 0;
    }
    stages_.push_back(std::move(stage));
    return static_cast<int>(stages_.size()) - 1;
  }

  void Name(absl::string_view name, std::size_t place, int stage) {
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

  int Chain() {
    int stage = Source();
    while (cursor_.ok() && cursor_.Take("|>")) stage = Step(stage);
    return stage;
  }

  int Source() {
    if (cursor_.Take("zip")) return Zip();
    if (cursor_.Take("concat")) return Concat();
    if (cursor_.Take("tabulate")) return Tabulate();
    const Token& token = cursor_.Peek();
    if (token.kind == Token::kWord && !IsKeyword(token.text)) return Named();
    if (stages_.empty()) {
      Fail(token.place, "the program has no columns; begin with tabulate");
      return 0;
    }
    return Step(0);
  }

  int Named() {
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

  std::vector<int> NamesAfter() {
    std::vector<int> inputs;
    do {
      inputs.push_back(Named());
    } while (cursor_.Peek().kind == Token::kWord);
    return inputs;
  }

  int Zip() {
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

  int Concat() {
    const std::size_t place = cursor_.place();
    Stage concat{Kind::kConcat, NamesAfter()};
    if (!cursor_.ok()) return 0;
    concat.types = stages_[concat.inputs[0]].types;
    for (int input : concat.inputs) {
      if (stages_[input].types != concat.types) {
        Fail(place, "sequences of different types cannot be one");
      }
    }
    return Add(std::move(concat));
  }

  int Tabulate() {
    Stage tabulate{Kind::kTabulate};
    ParseMap({}, tabulate);
    cursor_.Expect(",");
    tabulate.count = Number();
    return AddWithFunction(std::move(tabulate));
  }

  std::int64_t Number() {
    const Token& token = cursor_.Peek();
    std::int64_t number = 0;
    if (token.kind == Token::kNumber && absl::SimpleAtoi(token.text, &number)) {
      cursor_.Next();
      return number;
    }
    cursor_.FailExpecting("a whole number");
    return 0;
  }

  std::optional<Function> ParseForm(FunctionForm form) {
    form.braces = true;
    return expression::ParseFunctionAt(cursor_, form);
  }

  // A function of elements, which may read columns; into the stage.
  void ParseMap(std::vector<Type> types, Stage& stage) {
    FunctionForm form = FunctionForm::Map(std::move(types));
    for (const Parameter& column : columns_) {
      form.tables.push_back({column.name, StoredAs(column.type)});
    }
    stage.function = ParseForm(std::move(form));
    if (!stage.function.has_value()) return;
    for (const expression::Table& table : stage.function->tables()) {
      const auto column = std::find_if(
          columns_.begin(), columns_.end(),
          [&](const Parameter& c) { return c.name == table.name; });
      stage.tables.push_back(static_cast<int>(column - columns_.begin()));
    }
  }

  int AddWithFunction(Stage stage) {
    if (!cursor_.ok()) return 0;
    stage.types = stage.function->ResultTypes();
    return Add(std::move(stage));
  }

  // The stage at the cursor, of what `input` gives.
  int Step(int input) {
    const std::vector<Type> types = stages_[input].types;
    Stage stage{Kind::kMap, {input}, types};
    if (cursor_.Take("map")) {
      ParseMap(types, stage);
      return AddWithFunction(std::move(stage));
    }
    if (cursor_.Take("filter")) return Filter(std::move(stage));
    if (cursor_.Take("reduce")) return Combine(Kind::kReduce, std::move(stage));
    if (cursor_.Take("scan")) return Combine(Kind::kScan, std::move(stage));
    if (cursor_.Take("scan_before")) {
      return Combine(Kind::kScanBefore, std::move(stage));
    }
    if (cursor_.Take("count")) {
      stage.kind = Kind::kCount;
      stage.types = {Type::kInt64};
      return Add(std::move(stage));
    }
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

  int Filter(Stage stage) {
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

  int Combine(Kind kind, Stage stage) {
    const std::size_t place = cursor_.place();
    stage.kind = kind;
    std::optional<Function> function =
        ParseForm(FunctionForm::Operator(stage.types));
    OperatorClaims claims;
    if (cursor_.Take("from")) {
      const std::optional<Function> constants =
          ParseForm(FunctionForm::Constants(stage.types));
      if (constants.has_value()) {
        stage.start = expression::ValuesOf(*constants);
      }
    }
    claims.associative_assumed = cursor_.Take("unchecked");
    if (!cursor_.ok()) return 0;
    absl::StatusOr<Operator> op =
        Operator::Create(*std::move(function), std::move(claims));
    if (!op.ok()) {
      // In a program another word leaves out the trial.
      Fail(place,
           absl::StrReplaceAll(op.status().message(),
                               {{"AssumeAssociative()", "'unchecked'"}}));
      return 0;
    }
    if (kind == Kind::kScanBefore && !stage.start.has_value() &&
        !op->identity().has_value()) {
      Fail(place,
           "the identity of this operator is not known; say after "
           "'from' what to begin with");
    }
    stage.op = *std::move(op);
    return Add(std::move(stage));
  }

  // Leaves out what the result does not need, and numbers the rest anew.
  void KeepWhatIsNeeded(int result) {
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

  Cursor cursor_;
  const std::vector<Parameter>& columns_;
  std::vector<Stage> stages_;
  std::map<std::string, int, std::less<>> names_;
};

}  // namespace

absl::StatusOr<Program> Program::Parse(absl::string_view text,
                                       std::vector<Parameter> columns) {
  absl::StatusOr<std::vector<Stage>> stages =
      ProgramParser(text, columns).Run();
  if (!stages.ok()) return stages.status();
  return Program(std::move(columns), *std::move(stages));
}

}  // namespace concord::sequence
