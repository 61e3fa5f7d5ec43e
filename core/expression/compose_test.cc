// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/core/expression/compose.h"

#include <cstdint>
#include <vector>

#include "concord/core/expression/evaluate.h"
#include "concord/core/expression/parser.h"
#include "concord/core/expression/printer.h"
#include "concord/core/expression/random_function.h"
#include "concord/core/random.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace concord::expression {
namespace {

using ::testing::ElementsAre;

// The values of results that a graph has, as the types that are asked for.
std::vector<int> CastTo(const std::vector<Type>& types,
                        const std::vector<int>& values, Graph& graph) {
  std::vector<int> cast;
  for (std::size_t k = 0; k < types.size(); ++k) {
    cast.push_back(
        graph.Add({Op::kCast, types[k], values[k % values.size()], -1, -1, 0}));
  }
  return cast;
}

TEST(Compose, IsOneFunctionAfterTheOther) {
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    Random random(seed);
    RandomFunctionShape shape;
    shape.operations = 1 + static_cast<int>(random.Below(20));
    shape.tables = 0;
    const Function inner = RandomFunction(2 * seed, shape);
    const Function outer = RandomFunction(2 * seed + 1, shape);
    Graph graph;
    Substitution leaves;
    for (std::size_t k = 0; k < inner.parameters().size(); ++k) {
      leaves.parameters.push_back(graph.Add(
          {Op::kParameter, inner.parameters()[k].type, -1, -1, -1, 3 * k + 1}));
    }
    const std::vector<int> between =
        CastTo(outer.ParameterTypes(), Inline(inner, leaves, graph), graph);
    absl::StatusOr<Extracted> both =
        Extract(graph, Inline(outer, {between}, graph));
    ASSERT_TRUE(both.ok()) << both.status();
    absl::StatusOr<Extracted> first = Extract(graph, between);
    ASSERT_TRUE(first.ok()) << first.status();
    for (int value = 0; value < 8; ++value) {
      std::vector<Word> x;
      for (Type type : inner.ParameterTypes()) {
        x.push_back(RandomValue(random, type));
      }
      const auto arguments = [&x](const Extracted& extracted) {
        std::vector<Word> chosen;
        for (int number : extracted.parameters) {
          chosen.push_back(x[static_cast<std::size_t>(number / 3)]);
        }
        return chosen;
      };
      const std::vector<Word> halfway =
          Evaluate(first->function, arguments(*first), value).results;
      EXPECT_EQ(Evaluate(both->function, arguments(*both), value).results,
                Evaluate(outer, halfway, value).results)
          << ToText(inner) << "\n then " << ToText(outer);
    }
  }
}

TEST(Compose, RenumbersTablesAndReplacesTheIndex) {
  const std::vector<std::int32_t> data = {5, -3, 0, 7};
  const std::vector<Table> tables = {{"t", ElementType::kInt32}};
  absl::StatusOr<Function> f =
      ParseFunction("t[i] + x", {Type::kInt32}, tables);
  ASSERT_TRUE(f.ok()) << f.status();
  Graph graph;
  const int x = graph.Add({Op::kParameter, Type::kInt32, -1, -1, -1, 9});
  const int i = graph.Add({Op::kIndex, Type::kInt64});
  const int next =
      graph.Add({Op::kAdd, Type::kInt64, i, graph.Constant(Type::kInt64, 1)});
  absl::StatusOr<Extracted> shifted =
      Extract(graph, Inline(*f, {{x}, {6}, next}, graph));
  ASSERT_TRUE(shifted.ok()) << shifted.status();
  EXPECT_THAT(shifted->parameters, ElementsAre(9));
  EXPECT_THAT(shifted->tables, ElementsAre(6));
  const ConstArrayView table{absl::MakeSpan(data)};
  EXPECT_THAT(Evaluate(shifted->function, {Word{10}}, 2, {table}).results,
              ElementsAre(17));
}

TEST(Compose, FunctionsOverTypesHaveAllParameters) {
  const absl::StatusOr<Function> second = FunctionOver(
      {Type::kInt32, Type::kFloat32},
      [](Graph&, const std::vector<int>& x) { return std::vector{x[1]}; });
  ASSERT_EQ(second.status(), absl::OkStatus());
  EXPECT_EQ(second->ParameterTypes(),
            (std::vector<Type>{Type::kInt32, Type::kFloat32}));
  EXPECT_EQ(Evaluate(*second, {5, 7}, 0, {}).results, std::vector<Word>{7});
}

}  // namespace
}  // namespace concord::expression
