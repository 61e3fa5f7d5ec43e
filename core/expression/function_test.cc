// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/core/expression/function.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "concord/core/expression/evaluate.h"
#include "concord/core/expression/random_function.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace concord::expression {
namespace {

using ::testing::HasSubstr;

constexpr Type kInt32 = Type::kInt32;

Node Parameter0(Type type) { return {Op::kParameter, type}; }
Node ParameterK(Type type, int k) {
  return {Op::kParameter, type, -1, -1, -1, static_cast<Word>(k)};
}
Node Constant(Type type, Word bits) {
  return {Op::kConstant, type, -1, -1, -1, bits};
}

absl::StatusOr<Function> Make(std::vector<Type> types, std::vector<Node> nodes,
                              std::vector<int> results) {
  return Function::Create(Scope::OfColumns(types),
                          {std::move(nodes), std::move(results)});
}

// Arrays that a random function may read.
struct Tables {
  explicit Tables(const Scope& scope) : words(scope.tables.size()) {
    Random random(5);
    for (std::size_t k = 0; k < words.size(); ++k) {
      const ElementType type = scope.tables[k].type;
      words[k].resize(16);
      for (int i = 0; i < 11; ++i) {
        Store(type, words[k].data(), i, RandomValue(random, ValueTypeOf(type)));
      }
      views.push_back(
          ConstArrayView(words[k].data(), type, 11, Memory::Host()));
    }
  }
  std::vector<std::vector<Word>> words;
  std::vector<ConstArrayView> views;
};

RandomFunctionShape ShapeOf(std::uint64_t seed) {
  RandomFunctionShape shape;
  shape.parameters = static_cast<int>(seed % 4);
  shape.tables = static_cast<int>(seed / 4 % 3);
  shape.operations = 1 + static_cast<int>(seed % 40);
  shape.results = 1 + static_cast<int>(seed % 3);
  // A few types only, so that chains and equal nodes are frequent.
  if (seed % 2 == 0) {
    shape.types = {AllTypes()[seed / 2 % 9], AllTypes()[seed / 18 % 9]};
  }
  return shape;
}

TEST(CanonicalForm, KeepsAllBits) {
  std::int64_t fewer = 0;
  for (std::uint64_t seed = 0; seed < 4000; ++seed) {
    const RandomFunctionParts parts = DrawFunction(seed, ShapeOf(seed));
    absl::StatusOr<Function> function =
        Function::Create(parts.scope, parts.nodes);
    ASSERT_TRUE(function.ok()) << function.status();
    ASSERT_LE(function->nodes().size(), parts.nodes.nodes.size());
    fewer += parts.nodes.nodes.size() - function->nodes().size();
    const Tables tables(parts.scope);
    Random random(seed);
    for (int k = 0; k < 8; ++k) {
      std::vector<Word> arguments;
      for (Type type : function->ParameterTypes()) {
        arguments.push_back(RandomValue(random, type));
      }
      const auto index =
          static_cast<std::int64_t>(RandomValue(random, Type::kInt64));
      ASSERT_EQ(Evaluate(*function, arguments, index, tables.views).results,
                Evaluate(parts.nodes, arguments, index, tables.views).results)
          << "seed " << seed;
    }
  }
  EXPECT_GT(fewer, 10000);
}

TEST(CanonicalForm, IsItsOwnCanonicalForm) {
  for (std::uint64_t seed = 0; seed < 4000; ++seed) {
    const Function function = RandomFunction(seed, ShapeOf(seed));
    absl::StatusOr<Function> again =
        Function::Create(function.scope(), function.form());
    ASSERT_TRUE(again.ok());
    ASSERT_EQ(*again, function) << "seed " << seed;
  }
}

// A chain of `leaves` in a random order, put together in a random way.
Function RandomChain(Op op, Type type, std::vector<Node> leaves,
                     Random& random) {
  std::vector<int> rest;
  for (std::size_t k = 0; k < leaves.size(); ++k) {
    rest.push_back(static_cast<int>(k));
  }
  while (rest.size() > 1) {
    const auto take = [&] {
      const std::size_t at = random.Below(rest.size());
      const int node = rest[at];
      rest.erase(rest.begin() + at);
      return node;
    };
    const int a = take();
    const int b = take();
    rest.push_back(static_cast<int>(leaves.size()));
    leaves.push_back({op, type, a, b});
  }
  return *Make({type, type, type}, leaves, {rest[0]});
}

TEST(CanonicalForm, OfAChainDoesNotDependOnHowItIsWritten) {
  Random random(1);
  for (Type type : AllTypes()) {
    for (Op op : AllOperations()) {
      if (IsLeaf(op) || !IsFor(op, type) || !Associates(op, type)) continue;
      std::vector<Node> leaves = {Constant(type, 1),   ParameterK(type, 2),
                                  ParameterK(type, 0), ParameterK(type, 1),
                                  ParameterK(type, 1), Constant(type, 0)};
      const Function first = RandomChain(op, type, leaves, random);
      for (int k = 0; k < 50; ++k) {
        ASSERT_EQ(RandomChain(op, type, leaves, random), first)
            << Name(op) << " of " << Name(type);
      }
      EXPECT_LE(first.CountOperations(), 4);
    }
  }
}

TEST(CanonicalForm, KeepsTheOrderOfFloatSums) {
  const std::vector<Node> leaves = {ParameterK(Type::kFloat32, 0),
                                    ParameterK(Type::kFloat32, 1),
                                    ParameterK(Type::kFloat32, 2)};
  std::vector<Node> left = leaves;
  left.push_back({Op::kAdd, Type::kFloat32, 0, 1});
  left.push_back({Op::kAdd, Type::kFloat32, 3, 2});
  std::vector<Node> right = leaves;
  right.push_back({Op::kAdd, Type::kFloat32, 2, 1});
  right.push_back({Op::kAdd, Type::kFloat32, 0, 3});
  const std::vector<Type> types(3, Type::kFloat32);
  EXPECT_NE(*Make(types, left, {4}), *Make(types, right, {4}));
  // But a sum of two is one whichever comes first.
  right[3] = {Op::kAdd, Type::kFloat32, 1, 0};
  right[4] = {Op::kAdd, Type::kFloat32, 2, 3};
  EXPECT_EQ(*Make(types, left, {4}), *Make(types, right, {4}));
}

TEST(CanonicalForm, SharesWhatIsUsedTwice) {
  // (x + y, (x + y) + x): the first sum is computed once.
  absl::StatusOr<Function> function = Make({kInt32, kInt32},
                                           {ParameterK(kInt32, 0),
                                            ParameterK(kInt32, 1),
                                            {Op::kAdd, kInt32, 0, 1},
                                            {Op::kAdd, kInt32, 1, 0},
                                            {Op::kAdd, kInt32, 3, 0}},
                                           {2, 4});
  ASSERT_TRUE(function.ok());
  EXPECT_EQ(function->CountOperations(), 2);
}

TEST(CanonicalForm, FoldsConstants) {
  absl::StatusOr<Function> function = Make({kInt32},
                                           {Parameter0(kInt32),
                                            Constant(kInt32, 7),
                                            Constant(kInt32, 0),
                                            {Op::kDivide, kInt32, 1, 2},
                                            {Op::kAdd, kInt32, 0, 1},
                                            {Op::kEqual, Type::kBool, 3, 2},
                                            {Op::kSelect, kInt32, 5, 4, 0}},
                                           {6});
  ASSERT_TRUE(function.ok());
  EXPECT_EQ(function->CountOperations(), 1);  // x + 7
  EXPECT_EQ(Evaluate(*function, {5}).results[0], 12u);
}

TEST(CanonicalForm, OfALongChainComesQuickly) {
  std::vector<Node> nodes = {
      Parameter0(kInt32), {Op::kIndex, Type::kInt64}, {Op::kCast, kInt32, 1}};
  while (nodes.size() < kMostNodes) {
    const int last = static_cast<int>(nodes.size()) - 1;
    nodes.push_back({nodes.size() % 2 == 0 ? Op::kAdd : Op::kMultiply, kInt32,
                     last, last % 3 == 0 ? 0 : 2});
  }
  absl::StatusOr<Function> function = Make({kInt32}, nodes, {kMostNodes - 1});
  ASSERT_TRUE(function.ok());
  EXPECT_GT(function->CountOperations(), 4000);
}

struct Refusal {
  std::string name;
  std::vector<Node> nodes;
  std::vector<int> results;
  std::string message;
};

TEST(Function, RefusesWhatIsNone) {
  const Node x = Parameter0(kInt32);
  const Refusal kRefusals[] = {
      {"no results", {x}, {}, "a function has a result"},
      {"a result that is not there", {x}, {1}, "there is no node 1"},
      {"an operand after its use",
       {x, {Op::kNegate, kInt32, 1}},
       {1},
       "there is no operand 1"},
      {"an operand too few",
       {x, {Op::kAdd, kInt32, 0}},
       {1},
       "there is no operand -1"},
      {"an operand too many",
       {x, {Op::kNegate, kInt32, 0, 0}},
       {1},
       "there is no operand 0"},
      {"a parameter that is not there",
       {ParameterK(kInt32, 1)},
       {0},
       "there is no parameter 1; there are 1"},
      {"a parameter of another type",
       {Parameter0(Type::kInt8)},
       {0},
       "gives an int32 here"},
      {"a table that is not there",
       {{Op::kIndex, Type::kInt64}, {Op::kGather, kInt32, 0}},
       {1},
       "there is no table 0"},
      {"types that differ",
       {x, {Op::kIndex, Type::kInt64}, {Op::kAdd, kInt32, 0, 1}},
       {2},
       "int32 + int64: convert one side, such as int64(...)"},
      {"a type that it is not for",
       {x, {Op::kSqrt, kInt32, 0}},
       {1},
       "'sqrt' is not for int32"},
      {"a result of another type",
       {x, {Op::kEqual, kInt32, 0, 0}},
       {1},
       "'==' gives a bool here"},
      {"a constant that is not of its type",
       {Constant(Type::kInt8, 128)},
       {0},
       "80 is not an int8"},
  };
  for (const Refusal& refusal : kRefusals) {
    absl::StatusOr<Function> function =
        Make({kInt32}, refusal.nodes, refusal.results);
    ASSERT_FALSE(function.ok()) << refusal.name;
    EXPECT_EQ(function.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(function.status().message()),
                HasSubstr(refusal.message))
        << refusal.name;
  }
}

TEST(Function, HasALimit) {
  const auto roots = [](int count) {
    std::vector<Node> nodes = {Parameter0(Type::kFloat32)};
    for (int k = 0; k < count; ++k) {
      nodes.push_back({k % 2 == 0 ? Op::kSqrt : Op::kFloor, Type::kFloat32, k});
    }
    return Make({Type::kFloat32}, nodes, {count}).status();
  };
  EXPECT_TRUE(roots(kMostNodes - 1).ok());
  for (int count : {kMostNodes, 2 * kMostNodes}) {
    EXPECT_EQ(roots(count).message(),
              "a function has at most 4096 different operations");
  }
  EXPECT_THAT(
      std::string(Make(std::vector<Type>(17, kInt32), {Parameter0(kInt32)}, {0})
                      .status()
                      .message()),
      HasSubstr("at most 16 parameters, this has 17"));
}

TEST(EvaluateColumns, TellsAnIndexAsItWas) {
  Scope scope = Scope::OfColumns({Type::kUInt64});
  scope.tables.push_back({"t", ElementType::kInt32});
  absl::StatusOr<Function> function =
      Function::Create(scope, {{Parameter0(Type::kUInt64),
                                {Op::kCast, Type::kInt64, 0},
                                {Op::kGather, kInt32, 1}},
                               {2}});
  ASSERT_TRUE(function.ok());
  const std::vector<std::uint64_t> x = {18446744073709551615u};
  const std::vector<int> t = {1, 2};
  std::vector<int> read(1);
  const ConstArrayView columns[] = {ConstArrayView(absl::MakeSpan(x))};
  const ConstArrayView tables[] = {ConstArrayView(absl::MakeSpan(t))};
  const ArrayView out[] = {ArrayView(absl::MakeSpan(read))};
  EXPECT_THAT(EvaluateColumns(*function, 1, columns, tables, out).message(),
              HasSubstr("element 0 reads t[18446744073709551615], and"));
}

TEST(EvaluateColumns, WritesEachElement) {
  // (x + t[i], i), of which t has only two.
  Scope scope = Scope::OfColumns({kInt32});
  scope.tables.push_back({"t", ElementType::kInt32});
  absl::StatusOr<Function> function =
      Function::Create(scope, {{Parameter0(kInt32),
                                {Op::kIndex, Type::kInt64},
                                {Op::kGather, kInt32, 1},
                                {Op::kAdd, kInt32, 0, 2}},
                               {3, 1}});
  ASSERT_TRUE(function.ok());
  const std::vector<int> x = {10, 20, 30, 40}, t = {1, 2};
  std::vector<int> sums(4);
  std::vector<std::int64_t> indices(4);
  const ConstArrayView columns[] = {ConstArrayView(absl::MakeSpan(x))};
  const ConstArrayView tables[] = {ConstArrayView(absl::MakeSpan(t))};
  const ArrayView out[] = {ArrayView(absl::MakeSpan(sums)),
                           ArrayView(absl::MakeSpan(indices))};
  const absl::Status status =
      EvaluateColumns(*function, 4, columns, tables, out);
  EXPECT_EQ(status.code(), absl::StatusCode::kOutOfRange);
  EXPECT_EQ(status.message(),
            "element 2 reads t[2], and t has 2 elements; no element before it "
            "reads outside");
  EXPECT_EQ(sums, (std::vector<int>{11, 22, 30, 40}));
  EXPECT_EQ(indices, (std::vector<std::int64_t>{0, 1, 2, 3}));
  EXPECT_TRUE(EvaluateColumns(*function, 4, columns, {}, out).code() ==
              absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(
      std::string(
          EvaluateColumns(*function, 3, columns, tables, out).message()),
      HasSubstr("must have 3 elements"));
}

TEST(EvaluateColumns, KeepsBoolsAsBytes) {
  absl::StatusOr<Function> function =
      Make({Type::kBool}, {Parameter0(Type::kBool)}, {0});
  const std::vector<std::uint8_t> x = {0, 1, 2, 255};
  std::vector<std::uint8_t> out(4);
  const ConstArrayView columns[] = {ConstArrayView(absl::MakeSpan(x))};
  const ArrayView results[] = {ArrayView(absl::MakeSpan(out))};
  ASSERT_TRUE(EvaluateColumns(*function, 4, columns, {}, results).ok());
  EXPECT_EQ(out, (std::vector<std::uint8_t>{0, 1, 1, 1}));
}

TEST(RandomFunction, UsesEveryOperationAndType) {
  std::vector<int> operations(AllOperations().size()), types(9);
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    const Function function = RandomFunction(seed, {});
    for (const Node& node : function.nodes()) {
      ++operations[static_cast<int>(node.op)];
      ++types[static_cast<int>(node.type)];
    }
  }
  EXPECT_GT(*std::min_element(operations.begin(), operations.end()), 10);
  EXPECT_GT(*std::min_element(types.begin(), types.end()), 100);
}

}  // namespace
}  // namespace concord::expression
