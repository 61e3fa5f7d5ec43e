// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "concord/algorithms/sequence/spliced/pass.h"
#include "concord/algorithms/sequence/spliced/pass_testing.h"
#include "concord/core/expression/parser.h"
#include "concord/core/expression/printer.h"
#include "concord/core/expression/random_function.h"

namespace concord::sequence {
namespace {

using expression::Function;
using expression::Type;
using FilterPass = SplicedPassTest;

const std::vector<std::int64_t>& SizesOfFilters() {
  static const auto* const kSizes = new std::vector<std::int64_t>{
      70000, 1,    31,   32,   33,   255,   1023,
      1024,  1025, 8191, 8192, 8193, 16384, 16385};
  return *kSizes;
}

// The pass runs on so many elements, one after the other: what is left of one
// run must not be taken for that of the next.
void CheckFilter(const std::shared_ptr<CudaBackend>& backend,
                 const Function& function,
                 const std::vector<std::int64_t>& sizes, int skip = 0) {
  SCOPED_TRACE(expression::ToText(function));
  SplicedPass pass = *SplicedPass::Filter(backend, function);
  std::vector<Type> types = function.ResultTypes();
  types.erase(types.begin());
  for (std::int64_t n : sizes) {
    SCOPED_TRACE(n);
    const MirroredColumns in =
        RandomMirroredColumns(*backend, 11, function.ParameterTypes(), n, skip);
    const MirroredColumns out =
        RandomMirroredColumns(*backend, 12, types, n, skip);
    std::vector<Tuple> wanted;
    for (const Tuple& tuple : TuplesOf(function, in, n)) {
      if (tuple[0] != 0) wanted.emplace_back(tuple.begin() + 1, tuple.end());
    }
    const absl::StatusOr<PassOutcome> outcome =
        pass.Run(n, in.device_views, {}, out.device_outputs);
    ASSERT_TRUE(outcome.ok()) << outcome.status();
    ASSERT_EQ(*outcome->kept.Get(*backend),
              static_cast<std::int64_t>(wanted.size()));
    ExpectTuples(*backend, types, wanted, out);
  }
}

TEST_F(FilterPass, KeepsTheOrder) {
  CheckFilter(backend_,
              *expression::ParseFunction("(x % 3 == 0 && y, x, i, y)",
                                         {Type::kInt32, Type::kBool}),
              SizesOfFilters());
}

TEST_F(FilterPass, OfOneColumnOfFourBytesKeepsTheOrder) {
  for (const char* text :
       {"(x % 3 != 0, x)", "(x > 0, x * 5 + 1)", "(x == x, x)", "(x != x, x)",
        "(i % 100 == 7, int32(i))", "(x < 0, float32(x) / 0.0)"}) {
    for (int skip : {0, 1}) {
      CheckFilter(backend_, *expression::ParseFunction(text, {Type::kInt32}),
                  SizesOfFilters(), skip);
      if (HasFailure()) return;
    }
  }
}

// So many tiles that blocks have several, and wait for each other.
TEST_F(FilterPass, OfManyTilesKeepsTheOrder) {
  for (const char* text : {"(x % 3 != 0, x)", "(x % 3 != 0, x, i)"}) {
    CheckFilter(backend_, *expression::ParseFunction(text, {Type::kInt32}),
                {3000001});
  }
}

// The function's first result, as a bool, decides.
TEST_F(FilterPass, RunsRandomFunctions) {
  for (int seed = 0; seed < 60 && !HasFailure(); ++seed) {
    expression::RandomFunctionShape shape;
    shape.parameters = 1 + seed % 4;
    shape.operations = 1 + seed % 20;
    shape.results = 2 + seed % 3;
    shape.tables = 0;
    const Function random = expression::RandomFunction(seed, shape);
    expression::Nodes nodes{random.nodes(), random.results()};
    if (random.ResultTypes()[0] != Type::kBool) {
      nodes.nodes.push_back(
          {expression::Op::kCast, Type::kBool, nodes.results[0]});
      nodes.results[0] = static_cast<int>(nodes.nodes.size()) - 1;
    }
    CheckFilter(
        backend_,
        *Function::Create(expression::Scope::OfColumns(random.ParameterTypes()),
                          nodes),
        {20000, 1 + seed * 97}, seed % 2);
  }
}

TEST_F(FilterPass, ReportsReadsOutside) {
  SplicedPass pass = *SplicedPass::Filter(
      backend_, *expression::ParseFunction("(t[i] % 2 == 0, x)", {Type::kInt32},
                                           {{"t", ElementType::kInt32}}));
  const MirroredColumns in =
      RandomMirroredColumns(*backend_, 1, {Type::kInt32}, 20000);
  const MirroredColumns table =
      RandomMirroredColumns(*backend_, 2, {Type::kInt32}, 9000);
  const MirroredColumns out =
      RandomMirroredColumns(*backend_, 3, {Type::kInt32}, 20000);
  const absl::StatusOr<PassOutcome> outcome =
      pass.Run(20000, in.device_views, table.device_views, out.device_outputs);
  ASSERT_TRUE(outcome.ok()) << outcome.status();
  EXPECT_EQ(outcome->outside[0], 9000);
}

}  // namespace
}  // namespace concord::sequence
