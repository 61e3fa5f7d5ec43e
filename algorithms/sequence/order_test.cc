// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/algorithms/sequence/order.h"

#include <cstdint>
#include <memory>
#include <tuple>
#include <vector>

#include "absl/strings/str_cat.h"
#include "concord/algorithms/reduce/reduce.h"
#include "concord/algorithms/scan/scan.h"
#include "concord/algorithms/sequence/run_text.h"
#include "concord/core/backend.h"
#include "concord/core/expression/apply.h"
#include "concord/core/expression/random_operator.h"
#include "concord/core/random.h"
#include "gtest/gtest.h"

namespace concord::sequence {
namespace {

using expression::Operator;
using expression::ToWord;
using expression::Type;
using expression::Word;

std::vector<float> Floats(int size, std::uint64_t seed) {
  Random random(seed);
  std::vector<float> x;
  for (int k = 0; k < size; ++k) {
    x.push_back(static_cast<float>(random.Unit() - 0.5) *
                static_cast<float>(1 << random.Below(20)));
  }
  return x;
}

// The orders are those of the algorithms of this name.
TEST(Order, OfFloatSumsIsThatOfReduceAndScan) {
  const std::shared_ptr<Backend> backend = *OpenBackend("serial");
  for (int size : {0, 1, 100, 128, 129, 5000, 70'000}) {
    const std::vector<float> x = Floats(size, 5);
    for (const auto& [text, reduce, scan] :
         {std::tuple("a + b", concord::Reduce::Op::kAdd, Scan::Op::kAdd),
          std::tuple("a * b", concord::Reduce::Op::kMul, Scan::Op::kMul),
          std::tuple("min(a, b)", concord::Reduce::Op::kMin, Scan::Op::kMin)}) {
      absl::StatusOr<float> total = ComputeReduce<float>(backend, x, {reduce});
      ASSERT_TRUE(total.ok()) << total.status();
      EXPECT_EQ(ToWord(Values<float>(absl::StrCat("reduce ", text), x)[0]),
                ToWord(*total))
          << text << " of " << size;
      if (size > 5000) continue;
      for (const Scan::Kind kind :
           {Scan::Kind::kInclusive, Scan::Kind::kExclusive}) {
        absl::StatusOr<std::vector<float>> sums =
            ComputeScan<float>(backend, x, {kind, scan}, "fixed_order");
        ASSERT_TRUE(sums.ok()) << sums.status();
        const bool inclusive = kind == Scan::Kind::kInclusive;
        EXPECT_EQ(
            Values<float>(
                absl::StrCat(inclusive ? "scan " : "scan_before ", text), x),
            *sums)
            << text << " of " << size;
      }
    }
  }
}

// 128 from left to right, then pairs: seen by an operator that counts how deep
// it is applied.
TEST(Order, OfAUsersReductionIsRowsThenPairs) {
  const absl::string_view text =
      "map { v = int64(1); (i, v) } |> reduce (s, d), (t, e) -> "
      "(min(s, t), max(d, e) + 1) unchecked |> map s, d -> d";
  const auto depth = [&](int size) {
    return Values<std::int64_t>(text, Ints(static_cast<std::size_t>(size)))[0];
  };
  EXPECT_EQ(depth(1), 1);
  EXPECT_EQ(depth(2), 2);
  EXPECT_EQ(depth(128), 128);
  EXPECT_EQ(depth(129), 129);
  EXPECT_EQ(depth(256), 129);
  EXPECT_EQ(depth(257), 130);
  EXPECT_EQ(depth(3 * 128 + 1), 130);
  EXPECT_EQ(depth(4 * 128 + 1), 131);
}

// Any order gives the same by an operator that is associative.
TEST(Order, MakesNoDifferenceToRandomOperators) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const Operator op = expression::RandomOperator(seed, 4);
    Random random(seed);
    std::vector<Tuple> x(1 + random.Below(400));
    for (Tuple& tuple : x) {
      for (Type type : op.types()) {
        const Word bits = random.Bits();
        tuple.push_back(type == Type::kBool ? bits & 1
                        : expression::IsFloat(type)
                            ? expression::Canonical(type, bits % 1000)
                            : expression::Cast(Type::kInt64, type, bits));
      }
    }
    Tuple left = x[0];
    std::vector<Tuple> prefixes = {left};
    for (std::size_t i = 1; i < x.size(); ++i) {
      left = op.Apply(left, x[i]);
      prefixes.push_back(left);
    }
    EXPECT_EQ(Reduce(op, x, {}), left) << seed;
    EXPECT_EQ(InclusiveScan(op, x, {}), prefixes) << seed;
    if (!op.identity().has_value()) continue;
    prefixes.insert(prefixes.begin(), *op.identity());
    prefixes.pop_back();
    EXPECT_EQ(ExclusiveScan(op, x, {}), prefixes) << seed;
  }
}

}  // namespace
}  // namespace concord::sequence
