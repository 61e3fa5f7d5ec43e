// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>

#include "concord/algorithms/sequence/spliced/pass.h"
#include "concord/algorithms/sequence/spliced/pass_testing.h"
#include "concord/core/expression/parser.h"
#include "concord/testing/support/named_backends.h"

namespace concord::sequence {
namespace {

using expression::Function;
using expression::Operator;
using expression::Type;
using ::testing::ElementsAre;
using ::testing::Optional;
using ReducePass = SplicedPassTest;

TEST_F(ReducePass, BuiltInOperatorsHaveTheOrderOfReduce) {
  for (Type type : expression::AllTypes()) {
    for (const char* text : {"a + b", "a * b", "min(a, b)", "max(a, b)",
                             "a & b", "a | b", "a ^ b"}) {
      absl::StatusOr<Operator> op = Operator::Parse(text, {type});
      if (!op.ok()) continue;
      ASSERT_TRUE(op->built_in().has_value()) << text;
      CheckReduce(backend_, Identity({type}), *op, Sizes());
      if (HasFailure()) return;
    }
  }
}

TEST_F(ReducePass, LongSumsOfFloatsHaveTheirTree) {
  for (Type type : {Type::kFloat32, Type::kFloat64}) {
    CheckReduce(
        backend_,
        *expression::ParseFunction(type == Type::kFloat32
                                       ? "float32(x) * 0.7 + float32(i & 15)"
                                       : "float64(x) * 0.7 + float64(i & 15)",
                                   {Type::kInt32}),
        *Operator::Parse("a + b", {type}), {1 << 20, 3000001}, 1);
  }
}

TEST_F(ReducePass, AnEpilogueMakesTheResults) {
  SplicedPass pass = *SplicedPass::Reduce(
      backend_, *expression::ParseFunction("x", {Type::kInt32}),
      *Operator::Parse("a + b", {Type::kInt32}),
      *expression::ParseFunction("(x, int8(x), x > 0)", {Type::kInt32}));
  const MirroredColumns in =
      RandomMirroredColumns(*backend_, 3, {Type::kInt32}, 5000);
  std::uint32_t sum = 0;
  for (int i = 0; i < 5000; ++i) sum += in.host[0].data<std::uint32_t>()[i];
  const MirroredColumns out = RandomMirroredColumns(
      *backend_, 4, {Type::kInt32, Type::kInt8, Type::kBool}, 1);
  ASSERT_TRUE(pass.Run(5000, in.device_views, {}, out.device_outputs).ok());
  const auto total = static_cast<std::int32_t>(sum);
  EXPECT_EQ(ValuesOf(*backend_, out.device_views[0])[0],
            expression::ToWord(total));
  EXPECT_EQ(ValuesOf(*backend_, out.device_views[1])[0],
            expression::ToWord(static_cast<std::int8_t>(total)));
  EXPECT_EQ(ValuesOf(*backend_, out.device_views[2])[0], total > 0 ? 1u : 0u);
}

TEST_F(ReducePass, ReadsOutsideAreReportedForEachTable) {
  const Function prologue = *expression::ParseFunction(
      "t[i / 100] + u[i - 50] + x", {Type::kInt32},
      {{"t", ElementType::kInt32}, {"u", ElementType::kInt32}});
  SplicedPass pass = *SplicedPass::Reduce(
      backend_, prologue, *Operator::Parse("a + b", {Type::kInt32}),
      std::nullopt);
  const MirroredColumns in =
      RandomMirroredColumns(*backend_, 3, {Type::kInt32}, 100000);
  const MirroredColumns small =
      RandomMirroredColumns(*backend_, 3, {Type::kInt32}, 700);
  const MirroredColumns large =
      RandomMirroredColumns(*backend_, 3, {Type::kInt32}, 100000);
  const MirroredColumns out =
      RandomMirroredColumns(*backend_, 4, {Type::kInt32}, 1);
  const auto outside = [&](std::int64_t n) {
    return ValueOf(pass.Run(n, in.device_views,
                            {small.device_views[0], large.device_views[0]},
                            out.device_outputs))
        .outside;
  };
  EXPECT_THAT(outside(70000), ElementsAre(std::nullopt, Optional(0)));
  EXPECT_THAT(outside(100000), ElementsAre(Optional(70000), Optional(0)));
}

}  // namespace
}  // namespace concord::sequence
