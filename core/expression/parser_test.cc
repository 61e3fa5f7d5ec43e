// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/core/expression/parser.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "concord/core/expression/evaluate.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace concord::expression {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr Type kInt32 = Type::kInt32;
constexpr Type kInt64 = Type::kInt64;
constexpr Type kFloat32 = Type::kFloat32;
constexpr Type kFloat64 = Type::kFloat64;

// The result of a function of int32, at index 1000.
template <typename T = std::int32_t, typename... Arguments>
T Value(absl::string_view text, Arguments... arguments) {
  absl::StatusOr<Function> function =
      ParseFunction(text, std::vector<Type>{ValueTypeOf<Arguments>()...});
  EXPECT_TRUE(function.ok()) << text << "\n" << function.status();
  if (!function.ok()) return T{};
  EXPECT_EQ(function->ResultTypes(), std::vector<Type>{ValueTypeOf<T>()});
  return FromWord<T>(
      Evaluate(*function, {ToWord(arguments)...}, 1000).results[0]);
}

std::string ErrorOf(absl::string_view text,
                    std::vector<Type> types = {kInt32, kInt32}) {
  absl::StatusOr<Function> function =
      ParseFunction(text, types, {{"t", ElementType::kFloat32}});
  EXPECT_EQ(function.status().code(), absl::StatusCode::kInvalidArgument)
      << text;
  return std::string(function.status().message());
}

TEST(Parser, TakesOperatorsByTheirLevels) {
  EXPECT_EQ(Value("x + y * 3", 1, 2), 7);
  EXPECT_EQ(Value("(x + y) * 3", 1, 2), 9);
  EXPECT_EQ(Value("x - y - 3", 10, 2), 5);
  EXPECT_EQ(Value("x / y * y", 7, 2), 6);
  EXPECT_EQ(Value("x - -3", 1), 4);
  EXPECT_EQ(Value("-x - 3", 1), -4);
  EXPECT_EQ(Value("- -x", 1), 1);
  EXPECT_EQ(Value("~x & 7", 2), 5);
  EXPECT_EQ(Value("1 << x + 1", 3), 16);
  EXPECT_EQ(Value("x | 1 ^ 3", 1), 3);
  EXPECT_EQ(Value("x ^ 3 & 1", 2), 3);
  EXPECT_EQ(Value("x | 3 & 4", 1), 1);
  EXPECT_EQ(Value("x & 1 << y", 2, 1), 2);
  EXPECT_EQ(Value<bool>("x & 1 == 1", 3), true);  // as in Python
  EXPECT_EQ(Value<bool>("!(x > 1) || x == 3 && y != 2", 3, 2), false);
  EXPECT_EQ(Value<bool>("x < 1 || x >= 3 && y <= 2", 3, 2), true);
  EXPECT_EQ(Value("x < 0 ? -x : x > 10 ? 10 : x", 11), 10);
  EXPECT_EQ(Value("(x > 0 ? 2 : 3) + y", 1, 1), 3);
}

TEST(Parser, KnowsEveryFunction) {
  EXPECT_EQ(Value("min(x, y) + max(x, y) * 10", 1, 2), 21);
  EXPECT_EQ(Value("abs(x)", -5), 5);
  EXPECT_EQ(Value("clamp(x, 0, 9)", -5), 0);
  EXPECT_EQ(Value("clamp(x, 0, 9)", 50), 9);
  EXPECT_EQ(Value("popcount(x) * 10000 + clz(x) * 100 + ctz(x)", 6), 22901);
  EXPECT_EQ(Value("select(x > 0, x, y)", -1, 2), 2);
  EXPECT_EQ(Value<double>("sqrt(x)", 6.25), 2.5);
  EXPECT_EQ(Value<double>("floor(x) + ceil(x) * 10 + trunc(x) * 100", -1.5),
            -112.0);
  EXPECT_EQ(Value<double>("round(x)", 2.5), 2.0);
  EXPECT_EQ(Value<double>("fma(x, 2, 1)", 3.0), 7.0);
  EXPECT_EQ(Value<bool>("isnan(x)", std::nan("")), true);
  EXPECT_EQ(Value<std::int64_t>("int64(x) * i", 3), 3000);
  EXPECT_EQ(Value<bool>("bool(x) == true && !false", 3), true);
  EXPECT_EQ(Value<float>("float32(x) / 2", 3), 1.5f);
}

TEST(Parser, NamesParametersAndParts) {
  EXPECT_EQ(Value("d = x - y; d < 0 ? -d : d", 3, 8), 5);
  EXPECT_EQ(Value("a, b -> a - b", 3, 8), -5);
  EXPECT_EQ(Value("(a, b) -> { d = a - b; d * d }", 3, 8), 25);
  EXPECT_EQ(Value("{ a, b -> d = a - b; d * d }", 3, 8), 25);
  EXPECT_EQ(Value("{ x }", 3), 3);
  EXPECT_EQ(Value("i -> i", 3), 3);  // a name like any other
  EXPECT_EQ(Value<std::int64_t>("i"), 1000);
}

TEST(Parser, GivesTuples) {
  absl::StatusOr<Function> function =
      ParseFunction("(x, max(x, 0), (x > 0))", {kInt32});
  ASSERT_TRUE(function.ok()) << function.status();
  EXPECT_THAT(function->ResultTypes(),
              ElementsAre(kInt32, kInt32, Type::kBool));
  EXPECT_EQ(Value("(x) + (y)", 1, 2), 3);
  EXPECT_EQ(Value("(min(x, y)) * 2", 1, 2), 2);
}

TEST(Parser, ReadsTables) {
  const Table table = {"t", ElementType::kFloat32};
  absl::StatusOr<Function> function =
      ParseFunction("t[x + 1] * 2.5 + t[0]", {Type::kUInt8}, {table});
  ASSERT_TRUE(function.ok()) << function.status();
  const std::vector<float> t = {1, 2, 4};
  const ConstArrayView tables[] = {ConstArrayView(absl::MakeSpan(t))};
  EXPECT_EQ(Evaluate(*function, {1}, 0, tables).results[0], ToWord(11.0f));
  const Evaluated outside = Evaluate(*function, {2}, 0, tables);
  EXPECT_EQ(outside.results[0], ToWord(1.0f));
  ASSERT_TRUE(outside.outside.has_value());
  EXPECT_EQ(outside.outside->index, "3");
}

TEST(Literals, TakeTheTypeTheyMeet) {
  EXPECT_EQ(Value<std::int8_t>("x + -128", std::int8_t{0}), -128);
  EXPECT_EQ(Value<std::uint64_t>("x | 0xFFFFFFFFFFFFFFFF", std::uint64_t{0}),
            ~std::uint64_t{0});
  EXPECT_EQ(Value<std::int64_t>("x + -9223372036854775808", std::int64_t{0}),
            std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(Value<std::uint8_t>("0xff - x", std::uint8_t{1}), 254);
  EXPECT_EQ(Value<std::int8_t>("x + (3 - 2 * -(4))", std::int8_t{0}), 11);
}

TEST(Literals, OfFloatsAreTheNearest) {
  EXPECT_EQ(Value<float>("x + 0.1", 0.0f), 0.1f);
  EXPECT_EQ(Value<double>("x + 0.1", 0.0), 0.1);
  // Rounded to float64 first, this would be the float32 below.
  EXPECT_EQ(Value<float>("x + 1.00000017881393432617187499", 0.0f),
            1.00000011920928955078125f);
  EXPECT_EQ(Value<double>("x * 5e-324", 1.0), 5e-324);
  EXPECT_EQ(Value<double>("x * 0e-999", 1.0), 0.0);
  EXPECT_EQ(Value<double>("x + 1.", 0.0), 1.0);
  EXPECT_EQ(Value<double>("x + .5e1", 0.0), 5.0);
  EXPECT_EQ(Value<double>("x * 0x10", 1.0), 16.0);
  EXPECT_EQ(Value<double>("min(x, inf)", 1.0), 1.0);
  EXPECT_EQ(Value<double>("max(x, -inf)", 1.0), 1.0);
  EXPECT_TRUE(std::isnan(Value<double>("x + nan", 1.0)));
  EXPECT_TRUE(std::signbit(Value<double>("x * -0", 1.0)));
  EXPECT_EQ(Value<double>("float64(1 / 2)"), 0.5);
  EXPECT_EQ(Value<double>("x * (1 < 2.5 * x ? 2 : 3)", 1.0), 2.0);
  EXPECT_EQ(Value<double>("x + (x > 0 ? 1 : 2) / 4", 1.0), 1.25);
  EXPECT_EQ(Value<double>("clamp(5, 1, x)", 2.0), 2.0);
}

// The whole text of each, so that nothing of it changes unnoticed.
TEST(ParserErrors, ShowThePlace) {
  EXPECT_EQ(ErrorOf("x * 2.5"),
            "line 1, column 5: 2.5 is not an int32; write float64(...) around "
            "the other side for a float\n"
            "  x * 2.5\n"
            "      ^");
  EXPECT_EQ(ErrorOf("d = x\n  - q;\nd"),
            "line 2, column 5: there is no 'q'; there are: i x y t[...]\n"
            "    - q;\n"
            "      ^");
  EXPECT_EQ(ErrorOf("(x + y"),
            "line 1, column 7: expected ')' at the end\n"
            "  (x + y\n"
            "        ^");
  EXPECT_EQ(ErrorOf("x + \xc3\xa4"),
            "line 1, column 5: a byte of value 195 means nothing here\n"
            "  x + ?\n"
            "      ^");
  EXPECT_EQ(ErrorOf(std::string(100, ' ') + "?" + std::string(100, ' ')),
            "line 1, column 101: expected a value before '?'\n"
            "  ..." +
                std::string(60, ' ') + "?" + std::string(59, ' ') +
                "...\n"
                "  " +
                std::string(63, ' ') + "^");
}

struct Wrong {
  const char* text;
  int column;
  const char* message;
};

constexpr Wrong kWrong[] = {
    {"", 1, "expected a value at the end"},
    {"x +", 4, "expected a value at the end"},
    {"x y", 3, "expected an operator or the end before 'y'"},
    {"x + int64(y)", 3, "int32 + int64: convert one side, such as int64(...)"},
    {"x > i", 3, "int32 > int64: convert one side, such as int64(...)"},
    {"min(i, x)", 1,
     "min(int64, int32): convert to one type, such as int64(...)"},
    {"x > 0 ? x : i", 7,
     "select(int32, int64): convert to one type, such as int64(...)"},
    {"sqrt(x)", 1, "'sqrt' is not for int32"},
    {"!x", 1, "'!' is not for int32"},
    {"~(x > y)", 1, "'~' is not for bool"},
    {"x && y", 3, "'&&' is not for int32"},
    {"(x > y) + true", 9, "'+' is not for bool"},
    {"float32(x) % 2", 12, "'%' is not for float32"},
    {"x ? 1 : y", 1, "a condition is a bool, this is an int32"},
    {"1 ? x : y", 1, "a condition is a bool, this is a number"},
    {"min(x)", 1, "min takes 2 arguments, this has 1"},
    {"abs(x, y)", 1, "abs takes 1 argument, this has 2"},
    {"clamp(x, y)", 1, "clamp takes 3 arguments, this has 2"},
    {"int64(x, y)", 1, "int64 takes 1 argument, this has 2"},
    {"min x", 5, "expected '(' before 'x'"},
    {"min()", 5, "expected a value before ')'"},
    {"x < y < 3", 7, "comparisons do not chain"},
    {"x == y != y", 8, "comparisons do not chain"},
    {"1 + 2", 1,
     "the type of 1 does not follow from anything; write int32(1)"
     " or the like"},
    {"2.5", 1,
     "the type of 2.5 does not follow from anything; write "
     "float64(2.5) or the like"},
    {"1 < 2 ? x : y", 1, "the type of 1 does not follow"},
    {"d = 5; d + x", 5, "the type of 5 does not follow"},
    {"int32(2.5)", 7, "2.5 is not an int32\n"},
    {"x + 2147483648", 5, "2147483648 is not an int32\n"},
    {"x + 0x80000000", 5, "0x80000000 is not an int32\n"},
    {"x + 99999999999999999999", 5, "99999999999999999999 is not an int32"},
    {"uint8(x) + -1", 12, "-1 is not a uint8\n"},
    {"float32(x) + 16777217", 14,
     "16777217 is not a float32; write it with "
     "a point for the nearest one"},
    {"float32(x) + 1e39", 14, "1e39 is not a float32\n"},
    {"float32(x) + 1e-60", 14, "1e-60 is not a float32\n"},
    {"float64(1e309)", 9, "1e309 is not a float64\n"},
    {"float64(1e-400)", 9, "1e-400 is not a float64\n"},
    {"bool(5)", 6, "5 is not a bool"},
    {"x + nan", 5, "nan is not an int32; write float64(...)"},
    {"12x", 1, "'12x' is not a number"},
    {"x + 1.2.3", 5, "'1.2.3' is not a number"},
    {"x + 0x", 5, "'0x' is not a number"},
    {"x + 1e", 5, "'1e' is not a number"},
    {"x + 010", 5, "'010' begins with a 0 too many"},
    {"x $ y", 3, "'$' means nothing here"},
    {"x + exp(y)", 5, "there is no function 'exp'; there are: min max"},
    {"x[3]", 1, "'x' is not a table"},
    {"t + x", 3, "expected '[' before '+'"},
    {"t[2.5]", 3, "2.5 is not an int64"},
    {"t[float32(x)]", 3, "an index is an integer, this is a float32"},
    {"(x, y) + x", 8, "expected an operator or the end before '+'"},
    {"x + (x, y)", 5, "a tuple can only be the result of a function"},
    {"min = x; min", 1, "'min' is a word of the language; choose another"},
    {"x = y; x", 1, "there is 'x' already; choose another name"},
    {"i = x; i", 1, "there is 'i' already"},
    {"d = x, d", 6, "expected ';' before ','"},
    {"{ d = x; d", 11, "expected '}' at the end"},
    {"a -> a", 1, "1 name for 2 values"},
    {"a, b, c -> a", 1, "3 names for 2 values"},
    {"a, a -> a", 4, "there is 'a' already"},
    {"x, 5 -> x", 2, "expected an operator or the end before ','"},
    {"(a, -> a", 5, "expected a name before '->'"},
    {"a, b -> x", 9, "there is no 'x'; there are: a b i t[...]"},
    {"x |> y", 3, "expected an operator or the end before '|>'"},
};

TEST(ParserErrors, SayWhatIsExpected) {
  for (const Wrong& wrong : kWrong) {
    EXPECT_THAT(ErrorOf(wrong.text) + "\n",
                HasSubstr(absl::StrCat("line 1, column ", wrong.column, ": ",
                                       wrong.message)))
        << wrong.text;
  }
}

TEST(ParserErrors, OfOperators) {
  const std::vector<Type> one = {kInt32};
  const std::vector<Type> two = {kInt32, kFloat32};
  const auto error = [](absl::string_view text,
                        const std::vector<Type>& types) {
    return std::string(ParseOperator(text, types).status().message());
  };
  EXPECT_THAT(error("(a, b), (c, d) -> (a + c, min(b, d))", two), "");
  EXPECT_THAT(error("a + b", one), "");
  EXPECT_THAT(error("(a), b -> 0", one), "");
  EXPECT_THAT(error("a + i", one), HasSubstr("there is no 'i'"));
  EXPECT_THAT(error("a + b", two), HasSubstr("name both tuples"));
  EXPECT_THAT(error("a, b, c, d -> (a, b)", two),
              HasSubstr("expected two tuples of 2 names each"));
  EXPECT_THAT(error("a, b, c -> a", one),
              HasSubstr("expected two tuples of 1 name each"));
  EXPECT_THAT(error("(a, b), (c, d) -> a", two),
              HasSubstr("column 19: expected 2 values, this has 1"));
  EXPECT_THAT(error("(a, b), (c, d) -> (a, c)", two),
              HasSubstr("column 23: expected a float32, this is an int32"));
  EXPECT_THAT(error("a < b", one), HasSubstr("this is a bool"));
}

TEST(ParseConstants, TakesValuesOfTheTypes) {
  absl::StatusOr<std::vector<Word>> values = ParseConstants(
      "(-1, inf, 1 < int32(2))", {Type::kInt8, kFloat64, Type::kBool});
  ASSERT_TRUE(values.ok()) << values.status();
  EXPECT_THAT(*values,
              ElementsAre(ToWord(std::int8_t{-1}),
                          ToWord(std::numeric_limits<double>::infinity()), 1));
  EXPECT_THAT(std::string(ParseConstants("i", {kInt64}).status().message()),
              HasSubstr("there is no 'i'"));
  EXPECT_THAT(
      std::string(ParseConstants("(1, 2)", {kInt64}).status().message()),
      HasSubstr("expected 1 value, this has 2"));
  EXPECT_THAT(std::string(ParseConstants("true", {kInt64}).status().message()),
              HasSubstr("expected an int64, this is a bool"));
}

TEST(ParserLimits, AreErrorsInWords) {
  const auto repeat = [](absl::string_view part, int times) {
    std::string text;
    for (int k = 0; k < times; ++k) absl::StrAppend(&text, part);
    return text;
  };
  for (absl::string_view open : {"(", "abs(", "min(x, ", "int32(", "t[",
                                 "x > 0 ? x : ", "x > 0 ? ", "{", "(x, "}) {
    EXPECT_FALSE(ParseFunction(repeat(open, 50'000) + "x", {kInt32}).ok());
  }
  EXPECT_THAT(ErrorOf(repeat("(", 201) + "x" + repeat(")", 201)),
              HasSubstr("column 201: nested deeper than 200\n"));
  EXPECT_TRUE(
      ParseFunction(repeat("(", 199) + "x" + repeat(")", 199), {kInt32}).ok());
  // 10^5 operations: programs where they are few different ones.
  const std::string minuses = repeat("-", 100'000) + "x";
  EXPECT_THAT(ErrorOf(minuses), HasSubstr("at most 4096 different operations"));
  EXPECT_EQ(Value<bool>(repeat("!", 100'000) + "(x > 0)", 1), true);
  EXPECT_EQ(Value("x" + repeat(" & x", 50'000), 5), 5);
  EXPECT_EQ(Value("x + (1" + repeat("+1", 2000) + ")", 0), 2001);
  EXPECT_THAT(ErrorOf("x" + repeat("+x", 100'000)),
              HasSubstr("at most 4096 different operations"));
  EXPECT_THAT(ErrorOf("x+(1" + repeat("+1", 100'000) + ")"),
              HasSubstr("at most 4096 different operations"));
  EXPECT_THAT(ErrorOf("x" + repeat(" + x", 70'000)),
              HasSubstr("a text has at most 262144 bytes, this has 280001"));
  EXPECT_THAT(ErrorOf(repeat("x", 200'000)), HasSubstr("xxx...'"));
  EXPECT_LT(ErrorOf(repeat("9", 200'000) + "+x").size(), 400u);
  EXPECT_THAT(ErrorOf("(" + repeat("x, ", 50'000) + "x)"),
              HasSubstr("a function has at most 16 results"));
}

}  // namespace
}  // namespace concord::expression
