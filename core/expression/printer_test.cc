// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/core/expression/printer.h"

#include <cstdint>
#include <string>
#include <vector>

#include "concord/core/expression/parser.h"
#include "concord/core/expression/random_function.h"
#include "gtest/gtest.h"

namespace concord::expression {
namespace {

std::string Printed(absl::string_view text,
                    std::vector<Type> types = {Type::kInt32, Type::kInt32,
                                               Type::kFloat64}) {
  absl::StatusOr<Function> function =
      ParseFunction(text, types, {{"t", ElementType::kInt8}});
  EXPECT_TRUE(function.ok()) << function.status();
  return function.ok() ? ToText(*function) : "";
}

TEST(Printer, WritesTheLanguage) {
  const std::string head = "x, y, z -> ";
  EXPECT_EQ(Printed("1 + x * 2"), head + "x * 2 + 1");
  EXPECT_EQ(Printed("(x + y) * (x - 1)"), head + "(x + y) * (x - 1)");
  EXPECT_EQ(Printed("x - (y - 1)"), head + "x - (y - 1)");
  EXPECT_EQ(Printed("x - y - 1"), head + "x - y - 1");
  EXPECT_EQ(Printed("x < y"), head + "x < y");
  EXPECT_EQ(Printed("x > y"), head + "y < x");
  EXPECT_EQ(Printed("x != y"), head + "x != y");
  EXPECT_EQ(Printed("!(z < 1)"), head + "!(z < 1)");
  EXPECT_EQ(Printed("!(x < 1)"), head + "1 <= x");
  EXPECT_EQ(Printed("(x == y) == (y == 1)"), head + "(x == y) == (y == 1)");
  EXPECT_EQ(Printed("x < 1 || x > y && y < 1"),
            head + "y < x && y < 1 || x < 1");
  EXPECT_EQ(Printed("x & 1 == y"), head + "x & 1 == y");
  EXPECT_EQ(Printed("-(x + -5)"), head + "-(x + -5)");
  EXPECT_EQ(Printed("x < 1 ? x : y < 1 ? 1 : 2"),
            head + "x < 1 ? x : (y < 1 ? int32(1) : 2)");
  EXPECT_EQ(Printed("(int64(x), float32(7), 0.5 * z, i, t[i + 1], true)"),
            head + "(int64(x), float32(7), z * 0.5, i, t[i + 1], true)");
  EXPECT_EQ(Printed("min(max(x, 0), 9) + clz(y)"),
            head + "min(max(x, 0), 9) + clz(y)");
  EXPECT_EQ(Printed("d = x - y; d < 0 ? -d : d"),
            head + "{ v1 = x - y; v1 < 0 ? -v1 : v1 }");
  EXPECT_EQ(Printed("v1 -> v1 * v1 + (v1 * v1 - 1)", {Type::kFloat32}),
            "v1 -> { v2 = v1 * v1; v2 - 1 + v2 }");
  EXPECT_EQ(Printed("5 + i", {}), "i + 5");
}

TEST(Printer, WritesTheSameForChainsHoweverTheyAreWritten) {
  EXPECT_EQ(Printed("max(x, max(y, x + y))"), Printed("max(max(y + x, y), x)"));
}

TEST(Printer, NamesTheTuplesOfAnOperator) {
  absl::StatusOr<Function> mcss = ParseOperator(
      "(s, m), (t, n) -> (s + t, min(m, s + n))", {Type::kInt32, Type::kInt8});
  EXPECT_FALSE(mcss.ok());
  mcss = ParseOperator("(s, m), (t, n) -> (s + t, min(m, s + n))",
                       {Type::kInt32, Type::kInt32});
  ASSERT_TRUE(mcss.ok());
  EXPECT_EQ(OperatorToText(*mcss), "(s, m), (t, n) -> (s + t, min(s + n, m))");
  absl::StatusOr<Function> sum = ParseOperator("a + b", {Type::kInt32});
  EXPECT_EQ(OperatorToText(*sum), "a, b -> a + b");
  EXPECT_EQ(*ParseOperator(OperatorToText(*mcss), {Type::kInt32, Type::kInt32}),
            *mcss);
}

TEST(Printer, IsReadAsTheSameFunction) {
  for (std::uint64_t seed = 0; seed < 5000; ++seed) {
    RandomFunctionShape shape;
    shape.parameters = static_cast<int>(seed % 5);
    shape.tables = static_cast<int>(seed % 3);
    shape.operations = 1 + static_cast<int>(seed % 60);
    shape.results = 1 + static_cast<int>(seed % 4);
    if (seed % 50 == 0) shape.operations = 1000;
    const Function function = RandomFunction(seed, shape);
    const std::string text = ToText(function);
    absl::StatusOr<Function> again =
        ParseFunction(text, function.ParameterTypes(), function.tables());
    ASSERT_TRUE(again.ok()) << again.status();
    ASSERT_EQ(*again, function) << text;
    ASSERT_EQ(ToText(*again), text);
  }
}

// As deep as a function can be.
TEST(Printer, BreaksWhatIsDeepOrLong) {
  for (Op op : {Op::kNegate, Op::kFloor, Op::kSubtract, Op::kMinimum}) {
    std::vector<Node> nodes = {{Op::kParameter, Type::kFloat64}};
    for (int k = 1; k < kMostNodes; ++k) {
      nodes.push_back({k % 2 == 0 ? op : Op::kSqrt, Type::kFloat64, k - 1,
                       k % 2 == 0 && OperandsOf(op) == 2 ? 0 : -1});
    }
    const Scope scope = Scope::OfColumns({Type::kFloat64});
    const Function function =
        *Function::Create(scope, {nodes, {kMostNodes - 1}});
    absl::StatusOr<Function> again =
        ParseFunction(ToText(function), {Type::kFloat64});
    ASSERT_TRUE(again.ok()) << again.status();
    EXPECT_EQ(*again, function);
  }
}

}  // namespace
}  // namespace concord::expression
