// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Any text at all gives a function or an error.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "concord/core/expression/evaluate.h"
#include "concord/core/expression/parser.h"
#include "concord/core/expression/printer.h"
#include "concord/core/expression/random_function.h"
#include "concord/core/random.h"
#include "gtest/gtest.h"

namespace concord::expression {
namespace {

// An error with a place, or a function that has values. Returns whether it is
// a function.
bool GivesAFunctionOrAnError(const std::string& text, bool is_operator) {
  absl::StatusOr<Function> function = ParseOperator(text, {Type::kInt32});
  if (!is_operator) {
    function = ParseFunction(text, {Type::kInt32, Type::kFloat64},
                             {{"t", ElementType::kInt64}});
  }
  if (!function.ok()) {
    EXPECT_EQ(function.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_TRUE(absl::StartsWith(function.status().message(), "line ")) << text;
    EXPECT_LT(function.status().message().size(), 1000u) << text;
    return false;
  }
  const std::vector<std::int64_t> t = {1, 2, 3};
  const ConstArrayView tables[] = {ConstArrayView(absl::MakeSpan(t))};
  EXPECT_EQ(Evaluate(*function, {3, ToWord(2.5)}, 1, tables).results.size(),
            function->results().size());
  return true;
}

const std::vector<absl::string_view>& Parts() {
  static const auto* const kParts = new std::vector<absl::string_view>{
      "x",     "y",      "z",        "i",     "t",    "t[",      "]",
      "(",     ")",      "(",        ")",     "{",    "}",       ",",
      ";",     "d = ",   "d",        "->",    "+",    "-",       "*",
      "/",     "%",      "&",        "|",     "^",    "~",       "!",
      "<<",    ">>",     "==",       "<",     "<=",   ">",       "!=",
      "?",     ":",      "&&",       "||",    "|>",   "0",       "1",
      "2.5",   "1e3",    "0x7f",     "9e999", "inf",  "nan",     "true",
      "min(",  "max(",   "abs(",     "sqrt(", "fma(", "select(", "isnan(",
      "int8(", "int64(", "float32(", "bool(", " ",    "\n",      "#",
      "\xff"};
  return *kParts;
}

TEST(ParserFuzz, RandomPartsGiveAFunctionOrAnError) {
  Random random(7);
  int parsed = 0;
  for (int k = 0; k < 50'000; ++k) {
    std::string text;
    const std::uint64_t size = 1 + random.Below(k % 2 == 0 ? 6 : 40);
    for (std::uint64_t j = 0; j < size; ++j) {
      if (random.Below(50) == 0) {
        text += static_cast<char>(random.Below(256));
      } else {
        absl::StrAppend(&text, Parts()[random.Below(Parts().size())]);
        if (random.Below(3) == 0) text += ' ';
      }
    }
    parsed += GivesAFunctionOrAnError(text, k % 5 == 0) ? 1 : 0;
  }
  EXPECT_GT(parsed, 200);
}

TEST(ParserFuzz, DamagedFunctionsGiveAFunctionOrAnError) {
  Random random(8);
  RandomFunctionShape shape;
  shape.parameters = 2;
  int parsed = 0;
  for (int k = 0; k < 50'000; ++k) {
    if (k % 10 == 0) shape.operations = 1 + static_cast<int>(random.Below(20));
    RandomFunctionParts parts =
        DrawFunction(static_cast<std::uint64_t>(k / 10), shape);
    parts.scope.tables[0].name = "t";
    std::string text =
        ToText(*Function::Create(parts.scope, std::move(parts.nodes)));
    const std::uint64_t changes = random.Below(3);
    for (std::uint64_t j = 0; j < changes; ++j) {
      const std::uint64_t at = random.Below(text.size());
      const std::uint64_t removed = random.Below(3) == 0 ? 0 : random.Below(6);
      text.replace(at, removed,
                   std::string(Parts()[random.Below(Parts().size())]));
    }
    parsed += GivesAFunctionOrAnError(text, false) ? 1 : 0;
  }
  EXPECT_GT(parsed, 2000);
}

}  // namespace
}  // namespace concord::expression
