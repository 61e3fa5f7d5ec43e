// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "concord/algorithms/sequence/spliced/pass.h"
#include "concord/algorithms/sequence/spliced/pass_testing.h"
#include "concord/backends/cuda/spliced/row_pieces.h"
#include "concord/core/expression/parser.h"
#include "concord/core/expression/random_operator.h"
#include "concord/core/random.h"

namespace concord::sequence {
namespace {

using expression::Function;
using expression::Op;
using expression::Operator;
using expression::Type;
using FoldPass = SplicedPassTest;

TEST_F(FoldPass, RandomOperatorsHaveTheOrderOfRows) {
  for (int seed = 0; seed < 40 && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    const Operator op = expression::RandomOperator(seed, 4);
    CheckReduce(backend_, Identity(op.types()), op, Sizes(), seed % 2);
  }
}

// Whoever combines in another order has other bits.
TEST_F(FoldPass, OperatorsThatAreNotAssociativeHaveTheOrderOfRows) {
  const auto unchecked = [](const std::string& text,
                            const std::vector<Type>& types) {
    return *Operator::Parse(text, types, expression::AssumeAssociative());
  };
  const Type f = Type::kFloat32;
  const Type d = Type::kFloat64;
  const Type s = Type::kInt32;
  CheckReduce(backend_, Identity({s}), unchecked("3 * a - b", {s}), Sizes());
  CheckReduce(backend_, Identity({d}), unchecked("a * 0.5 + b", {d}), Sizes());
  CheckReduce(backend_, Identity({f, Type::kBool, Type::kInt8}),
              unchecked("(a, p, q), (b, r, t) -> (p ? a - b : b, p ^ r, q - t)",
                        {f, Type::kBool, Type::kInt8}),
              Sizes());
  CheckReduce(backend_,
              *expression::ParseFunction("(x, y, x * y, x - y, i)", {s, s}),
              unchecked("(a, b, c, d, e), (f, g, h, k, l) -> "
                        "(a + g, b - f, c ^ h, d * 5 + k, e * 7 + l)",
                        {s, s, s, s, Type::kInt64}),
              Sizes(), 1);
  // So many rows that blocks make several groups.
  CheckReduce(backend_, Identity({s}), unchecked("3 * a - b", {s}),
              {(1 << 21) + 12345});
}

// All columns as int64, each of which counts.
Function Mixed(const std::vector<Type>& columns) {
  expression::Nodes nodes;
  const auto add = [&](const expression::Node& node) {
    nodes.nodes.push_back(node);
    return static_cast<int>(nodes.nodes.size()) - 1;
  };
  int sum = add({Op::kIndex, Type::kInt64});
  const int three = add({Op::kConstant, Type::kInt64, -1, -1, -1, 3});
  for (std::size_t k = 0; k < columns.size(); ++k) {
    const int column = add({Op::kParameter, columns[k], -1, -1, -1, k});
    const int cast = columns[k] == Type::kInt64
                         ? column
                         : add({Op::kCast, Type::kInt64, column});
    const int tripled = add({Op::kMultiply, Type::kInt64, sum, three});
    sum = add({Op::kAdd, Type::kInt64, tripled, cast});
  }
  nodes.results = {sum};
  return *Function::Create(expression::Scope::OfColumns(columns), nodes);
}

// Pieces of rows are cut by the columns' types.
TEST_F(FoldPass, ColumnsOfAllWidthsComeThroughSharedMemory) {
  const Operator op = *Operator::Parse("3 * a - b", {Type::kInt64},
                                       expression::AssumeAssociative());
  const std::vector<std::int64_t> sizes = {127,  128,  129,  4095,
                                           4096, 4097, 16385};
  const std::vector<Type> all = expression::AllTypes();
  for (std::size_t count = 0; count <= 16 && !HasFailure(); ++count) {
    Random random(count);
    std::vector<Type> columns;
    while (columns.size() < count) {
      columns.push_back(all[random.Below(all.size())]);
    }
    CheckReduce(backend_, Mixed(columns), op, sizes);
  }
  std::vector<Type> wide(16, Type::kInt64);
  CheckReduce(backend_, Mixed(wide), op, sizes);
  CheckReduce(backend_, Mixed({Type::kInt8}), op, sizes);
  // Pieces that would be too long.
  wide.back() = Type::kInt8;
  ASSERT_FALSE(spliced::RowPieces::Of(wide).fit());
  CheckReduce(backend_, Mixed(wide), op, sizes);
}

// The element's index is that in the column, not in a piece.
TEST_F(FoldPass, FunctionsReadTablesByIndex) {
  const std::int64_t n = 20'000;
  const Function prologue = *expression::ParseFunction(
      "x + t[i]", {Type::kInt32}, {{"t", ElementType::kInt32}});
  const Operator op = *Operator::Parse("3 * a - b", {Type::kInt32},
                                       expression::AssumeAssociative());
  SplicedPass pass = *SplicedPass::Reduce(backend_, prologue, op, std::nullopt);
  const MirroredColumns in =
      RandomMirroredColumns(*backend_, 3, {Type::kInt32}, n);
  const MirroredColumns table =
      RandomMirroredColumns(*backend_, 4, {Type::kInt32}, n);
  const MirroredColumns out =
      RandomMirroredColumns(*backend_, 5, {Type::kInt32}, 1);
  std::vector<Tuple> tuples;
  for (std::int64_t i = 0; i < n; ++i) {
    const std::uint32_t sum = in.host[0].data<std::uint32_t>()[i] +
                              table.host[0].data<std::uint32_t>()[i];
    tuples.push_back({expression::ToWord(static_cast<std::int32_t>(sum))});
  }
  ASSERT_TRUE(
      pass.Run(n, in.device_views, table.device_views, out.device_outputs)
          .ok());
  EXPECT_EQ(ValuesOf(*backend_, out.device_views[0])[0],
            (*concord::sequence::Reduce(op, tuples, std::nullopt))[0]);
}

}  // namespace
}  // namespace concord::sequence
