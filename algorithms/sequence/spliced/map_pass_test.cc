// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "concord/algorithms/sequence/spliced/pass.h"
#include "concord/algorithms/sequence/spliced/pass_testing.h"
#include "concord/backends/cuda/nvrtc/nvrtc_compiler.h"
#include "concord/core/expression/evaluate.h"
#include "concord/core/expression/parser.h"
#include "concord/core/expression/printer.h"
#include "concord/core/expression/random_function.h"
#include "concord/testing/support/program.h"

namespace concord::sequence {
namespace {

using expression::Function;
using expression::Op;
using expression::Type;
using expression::Word;

// The parameter says whether NVRTC compiles the functions.
class MapPass : public SplicedPassTest,
                public ::testing::WithParamInterface<bool> {
 protected:
  void SetUp() override {
    SplicedPassTest::SetUp();
    if (backend_ == nullptr || !GetParam()) return;
    const auto nvrtc = nvrtc::NvrtcCompiler::Get();
    if (!nvrtc.ok()) return SkipOrFail("nvrtc", nvrtc.status().message());
    how_.compiler = *nvrtc;
  }

  // The function of random columns, against its definition.
  void CheckMap(const Function& function, std::uint64_t seed, std::int64_t n,
                int skip);

  spliced::Compilation how_;
};

void MapPass::CheckMap(const Function& function, std::uint64_t seed,
                       std::int64_t n, int skip) {
  SCOPED_TRACE(absl::StrCat("seed ", seed, ", n ", n, ", skip ", skip));
  std::vector<Type> table_types;
  for (const expression::Table& table : function.tables()) {
    table_types.push_back(expression::ValueTypeOf(table.type));
  }
  const MirroredColumns in = RandomMirroredColumns(
      *backend_, seed, function.ParameterTypes(), n, skip);
  const MirroredColumns tables =
      RandomMirroredColumns(*backend_, seed + 1, table_types, 13);
  const MirroredColumns out = RandomMirroredColumns(
      *backend_, seed + 2, function.ResultTypes(), n, skip);
  const absl::Status wanted = expression::EvaluateColumns(
      function, n, in.host_views, tables.host_views, out.host_outputs);
  absl::StatusOr<SplicedPass> pass = SplicedPass::Map(backend_, function, how_);
  ASSERT_TRUE(pass.ok()) << pass.status() << expression::ToText(function);
  const absl::StatusOr<PassOutcome> outcome =
      pass->Run(n, in.device_views, tables.device_views, out.device_outputs);
  ASSERT_TRUE(outcome.ok()) << outcome.status();
  std::optional<std::int64_t> first;
  for (const std::optional<std::int64_t>& element : outcome->outside) {
    if (!element.has_value()) continue;
    first = std::min(first.value_or(*element), *element);
  }
  EXPECT_EQ(first.has_value(), !wanted.ok()) << wanted;
  if (first.has_value()) {
    EXPECT_THAT(std::string(wanted.message()),
                ::testing::StartsWith(absl::StrCat("element ", *first, " ")));
  }
  ExpectEqualColumns(*backend_, function, out, out);
}

TEST_P(MapPass, RandomFunctionsHaveTheBitsOfEvaluate) {
  for (int seed = 0; seed < 300 && !HasFailure(); ++seed) {
    expression::RandomFunctionShape shape;
    shape.parameters = seed % 6;
    shape.tables = seed % 3;
    shape.operations = 1 + seed % 40;
    shape.results = 1 + seed % 4;
    const Function function = expression::RandomFunction(seed, shape);
    CheckMap(function, seed, seed % 5 == 0 ? 9001 : 4096, 0);
    // Of nearly every size, and where nothing is aligned.
    CheckMap(function, seed, seed * 7 + 1, seed % 2);
  }
}

// x op y of every operation and type, and every cast; 16 results at a time.
TEST_P(MapPass, EveryOperationHasTheBitsOfEvaluate) {
  for (Type type : expression::AllTypes()) {
    expression::Nodes nodes;
    for (Word k : {0, 1, 2}) {
      nodes.nodes.push_back({Op::kParameter, type, -1, -1, -1, k});
    }
    const auto check = [&] {
      const Function function = *Function::Create(
          expression::Scope::OfColumns({type, type, type}), nodes);
      CheckMap(function, 77, 16384, 0);
      nodes.results.clear();
      nodes.nodes.resize(3);
    };
    const auto add = [&](const expression::Node& node) {
      nodes.nodes.push_back(node);
      nodes.results.push_back(static_cast<int>(nodes.nodes.size()) - 1);
      if (nodes.results.size() == 16) check();
    };
    for (Type to : expression::AllTypes()) add({Op::kCast, to, 0});
    for (Op op : expression::AllOperations()) {
      const bool leaf = IsLeaf(op) || op == Op::kCast || op == Op::kGather;
      if (leaf || op == Op::kSelect || !expression::IsFor(op, type)) continue;
      const bool gives_bool = IsComparison(op) || op == Op::kIsNan;
      const int operands = expression::OperandsOf(op);
      add({op, gives_bool ? Type::kBool : type, 0, operands > 1 ? 1 : -1,
           operands > 2 ? 2 : -1});
    }
    if (!nodes.results.empty()) check();
    if (HasFailure()) return;
  }
}

TEST_P(MapPass, AMapMayBeInPlace) {
  const Function function =
      *expression::ParseFunction("3 * x - 7", {Type::kInt32});
  const MirroredColumns x =
      RandomMirroredColumns(*backend_, 1, {Type::kInt32}, 100001);
  SplicedPass pass = *SplicedPass::Map(backend_, function, how_);
  ASSERT_TRUE(pass.Run(100001, x.device_views, {}, x.device_outputs).ok());
  ASSERT_TRUE(expression::EvaluateColumns(function, 100001, x.host_views, {},
                                          x.host_outputs)
                  .ok());
  ExpectEqualColumns(*backend_, function, x, x);
}

TEST_P(MapPass, AMapMayBeginAtAnIndex) {
  SplicedPass pass = *SplicedPass::Map(
      backend_, *expression::ParseFunction("int64(x) + i", {Type::kInt32}),
      how_);
  const MirroredColumns in =
      RandomMirroredColumns(*backend_, 1, {Type::kInt32}, 1);
  const MirroredColumns out =
      RandomMirroredColumns(*backend_, 2, {Type::kInt64}, 1);
  ASSERT_TRUE(
      pass.Run(1, in.device_views, {}, out.device_outputs, 123456789).ok());
  EXPECT_EQ(
      ValuesOf(*backend_, out.device_views[0])[0],
      expression::ToWord(std::int64_t{in.host[0].data<int>()[0]} + 123456789));
}

INSTANTIATE_TEST_SUITE_P(, MapPass, ::testing::Bool(), [](const auto& info) {
  return info.param ? "nvrtc" : "emitted";
});

}  // namespace
}  // namespace concord::sequence
