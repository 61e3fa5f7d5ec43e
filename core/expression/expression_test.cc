// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/core/expression/expression.h"

#include <array>
#include <cstdint>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "concord/core/expression/function_of.h"
#include "concord/core/expression/parser.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace concord::expression {
namespace {

using ::testing::HasSubstr;

const std::vector<Type> kInts = {Type::kInt32, Type::kInt32};

// The lambda makes the function that the text is.
template <typename F>
void ExpectSame(absl::string_view text, const Scope& scope, F&& f) {
  std::vector<Type> types;
  for (const Parameter& parameter : scope.parameters) {
    types.push_back(parameter.type);
  }
  absl::StatusOr<Function> parsed = ParseFunction(text, types, scope.tables);
  absl::StatusOr<Function> made = FunctionOf(scope, std::forward<F>(f));
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  ASSERT_TRUE(made.ok()) << text << ": " << made.status();
  EXPECT_EQ(*made, *parsed) << text;
}
template <typename F>
void ExpectSame(absl::string_view text, F&& f) {
  ExpectSame(text, Scope::OfColumns(kInts), std::forward<F>(f));
}

using E = Expression;

TEST(Expression, HasTheOperatorsOfText) {
  ExpectSame("-x + y * 2 - x / 3 % 4",
             [](E x, E y) { return -x + y * 2 - x / 3 % 4; });
  ExpectSame("(x & 1 | y) ^ ~x", [](E x, E y) { return ((x & 1) | y) ^ ~x; });
  ExpectSame("x << 2 >> y", [](E x, E y) { return x << 2 >> y; });
  ExpectSame("x < y && x <= 5 || !(x > y) && 5 >= y", [](E x, E y) {
    return (x < y && x <= 5) || (!(x > y) && 5 >= y);
  });
  ExpectSame("(x == y) == (x != 3)",
             [](E x, E y) { return (x == y) == (x != 3); });
  ExpectSame("x < 0 ? -x : 2 * x",
             [](E x, E) { return Select(x < 0, -x, 2 * x); });
}

TEST(Expression, HasTheFunctionsOfText) {
  ExpectSame("min(max(x, 1), abs(y)) + clamp(x, 0, 9)",
             [](E x, E y) { return Min(Max(x, 1), Abs(y)) + Clamp(x, 0, 9); });
  ExpectSame("popcount(x) + clz(y) + ctz(x)",
             [](E x, E y) { return Popcount(x) + Clz(y) + Ctz(x); });
  const Scope floats = Scope::OfColumns({Type::kFloat64, Type::kInt8});
  ExpectSame("sqrt(floor(x) + ceil(x)) * fma(trunc(x), round(x), 0.5)", floats,
             [](E x, E) {
               return Sqrt(Floor(x) + Ceil(x)) * Fma(Trunc(x), Round(x), 0.5);
             });
  ExpectSame("isnan(x) ? float64(y) : float64(int64(x))", floats, [](E x, E y) {
    return Select(IsNan(x), CastTo<double>(y),
                  CastTo(Type::kFloat64, CastTo<std::int64_t>(x)));
  });
}

TEST(Expression, KnowsIndexAndTables) {
  Scope scope = Scope::OfColumns({Type::kInt64});
  scope.tables.push_back({"t", ElementType::kFloat32});
  ExpectSame("t[i + x] * 2 + t[0]", scope,
             [](E x, TableSymbol t) { return t[IndexOf(x) + x] * 2 + t[0]; });
}

TEST(Expression, NumbersTakeTheTypeTheyMeet) {
  const Scope bytes = Scope::OfColumns({Type::kUInt8});
  ExpectSame("x + (255 - 1 * 2)", bytes,
             [](E x) { return x + (E(255) - E(1) * 2); });
  ExpectSame("select(x > 3, 1, 2) + x", bytes,
             [](E x) { return Select(x > 3, 1, 2) + x; });
  ExpectSame("int64(x > 3 ? 1 : 2)", bytes,
             [](E x) { return CastTo<std::int64_t>(Select(x > 3, 1, 2)); });
  ExpectSame("float32(-(x > 3 ? 1 : 2)) * 0.5", bytes,
             [](E x) { return CastTo<float>(-Select(x > 3, 1, 2)) * 0.5; });
  ExpectSame("x * (true ? 3 : 2)", bytes,
             [](E x) { return x * Select(true, 3, 2); });
  ExpectSame("x * (int32(1) < 0 ? 3 : 2)", bytes,
             [](E x) { return x * Select(CastTo<int>(1) < 0, 3, 2); });
  ExpectSame("uint8(7) + x", bytes,
             [](E x) { return CastTo<std::uint8_t>(7) + x; });
  ExpectSame("(x > 1) == true", bytes, [](E x) { return (x > 1) == true; });
  EXPECT_EQ(FunctionOf({Type::kUInt8}, [](E x) { return x + 256; })
                .status()
                .message(),
            "256 is not a uint8");
  EXPECT_EQ(FunctionOf({Type::kUInt8}, [](E x) { return x * 0.5; })
                .status()
                .message(),
            "0.5 is not a uint8; write float64(...) around the other side for "
            "a float");
  ExpectSame("x + 0.1", Scope::OfColumns({Type::kFloat32}),
             [](E x) { return x + 0.1f; });
}

TEST(FunctionOf, TakesOneResultOrSeveral) {
  ExpectSame("(x, y, x + y)",
             [](E x, E y) { return std::make_tuple(x, y, x + y); });
  ExpectSame("(y, x)", [](E x, E y) { return std::make_pair(y, x); });
  ExpectSame("(y, x)", [](E x, E y) { return std::array<E, 2>{y, x}; });
  ExpectSame("(y, x)", [](E x, E y) { return std::vector<E>{y, x}; });
  ExpectSame("(x > y, x)",
             [](auto x, auto y) { return std::make_tuple(x > y, x); });
}

TEST(FunctionOf, SaysTheFirstError) {
  const auto error = [](auto f) {
    return std::string(
        FunctionOf({Type::kInt32, Type::kInt64}, f).status().message());
  };
  EXPECT_EQ(error([](E x, E y) { return -(x + y) * 2; }),
            "int32 + int64: convert one side, such as int64(...)");
  EXPECT_EQ(error([](E x, E) { return Sqrt(x) + (x < 1); }),
            "'sqrt' is not for int32");
  EXPECT_EQ(error([](E x) { return x; }),
            "the lambda does not take 2 values and 0 tables");
  EXPECT_THAT(error([](E, E) { return 5; }),
              HasSubstr("the type of 5 does not"));
  EXPECT_THAT(error([](E x, E) { return Select(E(1) < 2, x, x); }),
              HasSubstr("the type of 1 does not"));
  EXPECT_THAT(error([](E, E) { return std::vector<E>{}; }),
              HasSubstr("a function has a result"));
  EXPECT_THAT(error([](E x, E) { return IndexOf(3) + x; }),
              HasSubstr("a number has no index"));
  std::vector<E> kept;
  ASSERT_TRUE(FunctionOf({Type::kInt32}, [&](E x) {
                kept = {x, Select(x > 0, 1, 2)};
                return x;
              }).ok());
  for (const E& other : kept) {
    EXPECT_EQ(error([&](E x, E) { return x + other; }),
              "an expression of another function");
  }
}

TEST(FunctionOf, EndsWhereALoopDoesNot) {
  EXPECT_THAT(std::string(FunctionOf({Type::kFloat32},
                                     [](E x) {
                                       for (int k = 0; k < 100'000; ++k)
                                         x = x * x + k;
                                       return x;
                                     })
                              .status()
                              .message()),
              HasSubstr("at most 4096 different operations"));
  EXPECT_THAT(std::string(FunctionOf({Type::kFloat32},
                                     [](E x) {
                                       E sum = 0;
                                       for (int k = 0; k < 10'000; ++k)
                                         sum = sum + k;
                                       return x + sum;
                                     })
                              .status()
                              .message()),
              HasSubstr("at most 4096 different operations"));
}

TEST(OperatorOf, TakesTheValuesOfBothTuples) {
  const auto parens = [](E s, E m, E t, E n) {
    return std::make_tuple(s + t, Min(m, s + n));
  };
  absl::StatusOr<Function> made = OperatorOf(kInts, parens);
  ASSERT_TRUE(made.ok()) << made.status();
  EXPECT_EQ(*made,
            *ParseOperator("(s, m), (t, n) -> (s + t, min(m, s + n))", kInts));
  EXPECT_EQ(OperatorOf({Type::kInt32}, [](E a, E b) { return a < b; })
                .status()
                .message(),
            "an operator on (int32) gives (bool)");
  // A number takes the type of its place in the tuple.
  EXPECT_TRUE(OperatorOf({Type::kInt8}, [](E, E) { return 0; }).ok());
}

TEST(ValueType, AColumnOfBoolsHasBytes) {
  EXPECT_EQ(BytesOf(Type::kBool), 1);
  EXPECT_EQ(BytesOf(Type::kInt8), 1);
  EXPECT_EQ(BytesOf(Type::kFloat32), 4);
  EXPECT_EQ(BytesOf(Type::kUInt64), 8);
}

}  // namespace
}  // namespace concord::expression
