// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/core/expression/operator.h"

#include <cstdint>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "concord/core/expression/function_of.h"
#include "concord/core/expression/operator_laws.h"
#include "concord/core/expression/parser.h"
#include "concord/core/expression/printer.h"
#include "concord/core/expression/random_function.h"
#include "concord/core/expression/random_operator.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace concord::expression {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::vector<Type> kInt = {Type::kInt32};
const std::vector<Type> kInts = {Type::kInt32, Type::kInt32};

std::string ErrorOf(absl::string_view text, const std::vector<Type>& types,
                    OperatorClaims claims = {}) {
  const absl::Status status =
      Operator::Parse(text, types, std::move(claims)).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << text;
  return std::string(status.message());
}

template <typename T>
Word IdentityOf(absl::string_view text) {
  absl::StatusOr<Operator> op = Operator::Parse(text, {ValueTypeOf<T>()});
  EXPECT_TRUE(op.ok()) << op.status();
  EXPECT_TRUE(op.ok() && op->identity().has_value()) << text;
  return op.ok() && op->identity().has_value() ? (*op->identity())[0] : 99;
}

TEST(Operator, KnowsIdentities) {
  using Int = std::numeric_limits<std::int32_t>;
  EXPECT_EQ(IdentityOf<std::int32_t>("a + b"), 0u);
  EXPECT_EQ(IdentityOf<std::int32_t>("b * a"), 1u);
  EXPECT_EQ(IdentityOf<std::int32_t>("min(a, b)"), ToWord(Int::max()));
  EXPECT_EQ(IdentityOf<std::int32_t>("max(b, a)"), ToWord(Int::min()));
  EXPECT_EQ(IdentityOf<std::int32_t>("a & b"), ToWord(-1));
  EXPECT_EQ(IdentityOf<std::uint8_t>("a & b"), 255u);
  EXPECT_EQ(IdentityOf<std::int32_t>("a | b"), 0u);
  EXPECT_EQ(IdentityOf<std::int32_t>("a ^ b"), 0u);
  EXPECT_EQ(IdentityOf<bool>("a && b"), 1u);
  EXPECT_EQ(IdentityOf<bool>("a || b"), 0u);
  EXPECT_EQ(IdentityOf<double>("a + b"), ToWord(-0.0));
  EXPECT_EQ(IdentityOf<float>("min(a, b)"),
            ToWord(std::numeric_limits<float>::infinity()));
  absl::StatusOr<Operator> both =
      Operator::Parse("(a, b), (c, d) -> (a + c, max(b, d))", kInts);
  ASSERT_TRUE(both.ok());
  EXPECT_THAT(*both->identity(), ElementsAre(0, ToWord(Int::min())));
  EXPECT_EQ(both->built_in(), std::nullopt);
  EXPECT_EQ(Operator::Parse("a + b", kInt)->built_in(), Op::kAdd);
  EXPECT_EQ(Operator::Parse("a == b", {Type::kBool})->built_in(), std::nullopt);
  // Crosswise is not what is known.
  EXPECT_EQ(Operator::Parse("(a, b), (c, d) -> (a + d, b + c)", kInts,
                            AssumeAssociative())
                ->identity(),
            std::nullopt);
  EXPECT_EQ(Operator::Parse("a, b -> b", kInt)->identity(), std::nullopt);
}

TEST(Operator, ShowsWhatIsNotAssociative) {
  EXPECT_EQ(ErrorOf("a - b", kInt),
            "the operator is not associative: for a = -1, b = -1 and c = 1, (a "
            "op b) op c is -1, but a op (b op c) is 1; AssumeAssociative() "
            "leaves out this trial");
  EXPECT_THAT(ErrorOf("(a + b) / 2", {Type::kFloat32}),
              HasSubstr("not associative"));
  EXPECT_THAT(ErrorOf("a / b", {Type::kFloat64}), HasSubstr("not associative"));
  EXPECT_THAT(ErrorOf("a * b + a + 1", kInt), HasSubstr("not associative"));
  EXPECT_THAT(ErrorOf("(s, m), (t, n) -> (s + t, min(m, n + t))", kInts),
              HasSubstr("not associative"));
  EXPECT_THAT(ErrorOf("(a, b), (c, d) -> (a * c - b * d, a * d - b * c)",
                      {Type::kFloat64, Type::kFloat64}),
              HasSubstr("not associative"));
  // It shows near the limits alone.
  EXPECT_THAT(ErrorOf("clamp(a + b, -700, 700)", kInt),
              HasSubstr("not associative"));
  EXPECT_TRUE(Operator::Parse("a - b", kInt, AssumeAssociative()).ok());
}

TEST(Operator, TakesWhatIsAssociative) {
  const struct {
    absl::string_view text;
    std::vector<Type> types;
  } kOperators[] = {
      {"a + b", {Type::kFloat32}},
      {"a * b", {Type::kFloat64}},
      {"a + b + a * b", {Type::kUInt8}},
      {"a, b -> a", kInt},
      {"b == 0 ? a : b", kInt},
      {"(s, m), (t, n) -> (s + t, min(m, s + n))", kInts},
      {"(v, i), (w, j) -> { first = v > w || v == w && i < j; (first ? v : w, "
       "first ? i : j) }",
       {Type::kFloat64, Type::kInt64}},
      {"(s,p,f,b), (t,q,g,c) -> (s + t, max(p, s + q), max(g, t + f), "
       "max(b, max(c, f + q)))",
       std::vector<Type>(4, Type::kInt64)},
      {"(n, mean), (m, other) -> (n + m, mean + other)",
       {Type::kInt64, Type::kFloat64}},
      // Products of complex numbers: zeros come out with either sign.
      {"(a, b), (c, d) -> (a * c - b * d, a * d + b * c)",
       {Type::kFloat32, Type::kFloat32}},
      {"(a, b), (c, d) -> (a * c - b * d, a * d + b * c)",
       {Type::kFloat64, Type::kFloat64}},
  };
  for (const auto& op : kOperators) {
    EXPECT_TRUE(Operator::Parse(op.text, op.types).ok())
        << Operator::Parse(op.text, op.types).status();
  }
}

TEST(Operator, TriesTheIdentity) {
  const absl::string_view parens = "(s, m), (t, n) -> (s + t, min(m, s + n))";
  EXPECT_TRUE(
      Operator::Parse(parens, kInts,
                      WithIdentity(*ParseConstants("(0, 1000000)", kInts)))
          .ok());
  EXPECT_EQ(ErrorOf(parens, kInts,
                    WithIdentity(*ParseConstants("(0, 2147483647)", kInts))),
            "(0, 2147483647) is not the identity of the operator: for a = (1, "
            "-1), a op e is (1, -2147483648); AssumeAssociative() leaves out "
            "this trial");
  EXPECT_THAT(ErrorOf("a + b", kInt, WithIdentity({1})),
              HasSubstr("1 is not the identity of the operator: for a = "));
  EXPECT_THAT(ErrorOf("a, b -> b", kInt, WithIdentity({0})),
              HasSubstr("a op e is 0"));
  EXPECT_EQ(ErrorOf("a + b", kInt, WithIdentity({0, 0})),
            "the identity has 2 values, and the operator's tuples 1");
  // The usual 0 is one for sums of floats as well.
  EXPECT_TRUE(
      Operator::Parse("a + b", {Type::kFloat32}, WithIdentity({0})).ok());
  // Which of the two zeros comes out is rounding.
  EXPECT_TRUE(Operator::Parse("-((1 - a) * (1 - b) - 1)", {Type::kFloat64},
                              WithIdentity({0}))
                  .ok());
}

TEST(Operator, RefusesWhatIsNone) {
  const auto error = [](absl::StatusOr<Function> function) {
    return std::string(Operator::Create(*function).status().message());
  };
  EXPECT_THAT(error(ParseFunction("x < y", kInts)), HasSubstr("of the same"));
  EXPECT_THAT(error(ParseFunction("x", kInt)), HasSubstr("of the same"));
  EXPECT_THAT(error(ParseFunction("x + y + int32(i)", kInts)),
              HasSubstr("neither an index nor tables"));
  EXPECT_THAT(ErrorOf("a + ", kInt), HasSubstr("column 5: expected a value"));
}

TEST(RandomOperator, IsAssociativeForAllValues) {
  int with_identity = 0, not_commutative = 0;
  std::set<std::string> texts;
  for (std::uint64_t seed = 0; seed < 600; ++seed) {
    const Operator op = RandomOperator(seed, 1 + static_cast<int>(seed % 6));
    ASSERT_LE(op.types().size(), 1 + seed % 6);
    const std::string text = OperatorToText(op.function());
    texts.insert(text);
    with_identity += op.identity().has_value() ? 1 : 0;
    const absl::Status laws = TryLaws(op);
    ASSERT_TRUE(laws.ok()) << text << ": " << laws;
    Random random(seed);
    bool commutes = true;
    for (int k = 0; k < 50; ++k) {
      std::vector<Word> tuples[3];
      for (std::vector<Word>& tuple : tuples) {
        for (Type type : op.types()) {
          tuple.push_back(Canonical(type, RandomValue(random, type)));
        }
      }
      const auto& [a, b, c] = tuples;
      ASSERT_EQ(op.Apply(op.Apply(a, b), c), op.Apply(a, op.Apply(b, c)))
          << text << " of " << ToString(op.types(), a) << ", "
          << ToString(op.types(), b) << ", " << ToString(op.types(), c);
      commutes = commutes && op.Apply(a, b) == op.Apply(b, a);
      if (op.identity().has_value()) {
        ASSERT_EQ(op.Apply(*op.identity(), a), a) << text;
        ASSERT_EQ(op.Apply(a, *op.identity()), a) << text;
      }
    }
    not_commutative += commutes ? 0 : 1;
  }
  EXPECT_GT(texts.size(), 250u);
  EXPECT_GT(with_identity, 300);
  EXPECT_GT(not_commutative, 300);
}

}  // namespace
}  // namespace concord::expression
