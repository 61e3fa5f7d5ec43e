// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/core/expression/value_parser.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "concord/core/expression/parser.h"

namespace concord::expression {
namespace {

std::string Arguments(std::size_t count) {
  return absl::StrCat(count, count == 1 ? " argument" : " arguments");
}

const Notation& Choice() { return NotationOf(Op::kSelect, Type::kBool); }

}  // namespace

Term ValueParser::Fail(std::size_t place, std::string message) {
  cursor_.error().Set(place, std::move(message));
  return {place};
}

int ValueParser::TableNamed(absl::string_view name) const {
  const std::vector<Table>& tables = builder_.scope().tables;
  for (std::size_t k = 0; k < tables.size(); ++k) {
    if (tables[k].name == name) return static_cast<int>(k);
  }
  return -1;
}

std::string ValueParser::KnownNames() const {
  std::string known;
  for (const auto& [name, term] : names_) absl::StrAppend(&known, " ", name);
  for (const Table& table : builder_.scope().tables) {
    absl::StrAppend(&known, " ", table.name, "[...]");
  }
  constexpr std::size_t kMost = 200;
  return known.size() <= kMost ? known : known.substr(0, kMost) + "...";
}

void ValueParser::Declare(absl::string_view name, std::size_t place,
                          Term value) {
  if (IsReserved(name)) {
    Fail(place, absl::StrCat("'", name,
                             "' is a word of the language; choose "
                             "another name"));
    return;
  }
  if (TableNamed(name) >= 0 ||
      !names_.try_emplace(std::string(name), std::move(value)).second) {
    Fail(place, absl::StrCat("there is ", Quoted(name),
                             " already; choose "
                             "another name"));
  }
}

Term ValueParser::Value() {
  const std::size_t begin = cursor_.place();
  if (depth_ == kMostNesting) {
    return Fail(begin, absl::StrCat("nested deeper than ", kMostNesting));
  }
  ++depth_;
  Term value = Binary(kLowestLevel);
  const std::size_t place = cursor_.place();
  if (cursor_.Take("?")) {
    Term one = Value();
    cursor_.Expect(":");
    Term other = Value();
    value = builder_.Apply(
        Choice(), {std::move(value), std::move(one), std::move(other)}, place);
  }
  --depth_;
  return value;
}

Term ValueParser::Binary(int level) {
  Term left = Unary();
  int level_before = 0;
  while (true) {
    const Notation* const notation =
        FindNotation(BinaryOperators(), cursor_.Peek().text);
    if (notation == nullptr || notation->level < level) return left;
    const std::size_t place = cursor_.Next().place;
    if (notation->level == kComparisonLevel &&
        level_before == kComparisonLevel) {
      return Fail(place,
                  "comparisons do not chain; write a < b && b < c, or "
                  "parentheses");
    }
    level_before = notation->level;
    Term right = Binary(notation->level + 1);
    left =
        builder_.Apply(*notation, {std::move(left), std::move(right)}, place);
  }
}

Term ValueParser::Unary() {
  const std::size_t begin = cursor_.place();
  std::vector<const Token*> prefixes;
  while (FindNotation(UnaryOperators(), cursor_.Peek().text) != nullptr) {
    prefixes.push_back(&cursor_.Next());
  }
  Term value;
  // A sign belongs to a number: -128 is an int8, 128 is none.
  if (!prefixes.empty() && prefixes.back()->text == "-" &&
      cursor_.Peek().kind == Token::kNumber) {
    const std::size_t place = prefixes.back()->place;
    prefixes.pop_back();
    value = builder_.Number(
        Literal::FromText(cursor_.Next().text, /*negative=*/true), place);
  } else {
    value = Primary();
  }
  while (!prefixes.empty()) {
    const Token& prefix = *prefixes.back();
    value = builder_.Apply(*FindNotation(UnaryOperators(), prefix.text),
                           {std::move(value)}, prefix.place);
    prefixes.pop_back();
  }
  value.place = begin;
  return value;
}

Term ValueParser::Primary() {
  const Token& token = cursor_.Peek();
  if (cursor_.Take("(")) {
    Term value = Value();
    if (cursor_.Is(",")) {
      return Fail(token.place, "a tuple can only be the result of a function");
    }
    cursor_.Expect(")");
    return value;
  }
  if (token.kind == Token::kNumber) {
    cursor_.Next();
    return builder_.Number(Literal::FromText(token.text, /*negative=*/false),
                           token.place);
  }
  if (token.kind == Token::kWord) return Named();
  cursor_.FailExpecting("a value");
  return {token.place};
}

Term ValueParser::Named() {
  const Token& token = cursor_.Next();
  const absl::string_view name = token.text;
  if (cursor_.Is("(")) return Call(token);
  if (name == "inf" || name == "nan") {
    return builder_.Number(Literal::FromText(name, /*negative=*/false),
                           token.place);
  }
  if (name == "true" || name == "false") {
    return builder_.Constant(Type::kBool, Word{name == "true"}, token.place);
  }
  if (IsReserved(name)) {
    cursor_.FailExpecting("'('");
    return {token.place};
  }
  if (const int table = TableNamed(name); table >= 0) {
    return Gather(token, table);
  }
  const auto found = names_.find(name);
  if (found == names_.end()) {
    const std::string known = KnownNames();
    return Fail(token.place,
                absl::StrCat("there is no ", Quoted(name),
                             known.empty() ? "" : "; there are:", known));
  }
  if (cursor_.Is("[")) {
    return Fail(token.place, absl::StrCat(Quoted(name), " is not a table"));
  }
  Term value = found->second;
  value.place = token.place;
  return value;
}

Term ValueParser::Gather(const Token& name, int table) {
  cursor_.Expect("[");
  Term index = Value();
  cursor_.Expect("]");
  return builder_.Gather(table, std::move(index), name.place);
}

Term ValueParser::Call(const Token& name) {
  const std::optional<Type> cast = TypeNamed(name.text);
  const Notation* const function = FindNotation(NamedFunctions(), name.text);
  const bool clamps = name.text == kClamp;
  if (!cast.has_value() && function == nullptr && !clamps) {
    return Fail(name.place,
                absl::StrCat("there is no function ", Quoted(name.text),
                             "; there are: ", CallableNames()));
  }
  cursor_.Expect("(");
  std::vector<Term> arguments;
  do {
    arguments.push_back(Value());
  } while (cursor_.Take(","));
  cursor_.Expect(")");
  const std::size_t wanted =
      clamps             ? 3
      : cast.has_value() ? 1
                         : static_cast<std::size_t>(OperandsOf(function->op));
  if (arguments.size() != wanted) {
    return Fail(name.place,
                absl::StrCat(name.text, " takes ", Arguments(wanted),
                             ", this has ", arguments.size()));
  }
  if (clamps) return builder_.Clamp(std::move(arguments), name.place);
  Term value =
      cast.has_value()
          ? builder_.CastTo(*cast, std::move(arguments[0]), name.place)
          : builder_.Apply(*function, std::move(arguments), name.place);
  value.place = name.place;
  return value;
}

}  // namespace concord::expression
