// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "concord/algorithms/sequence/spliced/pass.h"
#include "concord/algorithms/sequence/spliced/pass_testing.h"
#include "concord/core/expression/parser.h"

namespace concord::sequence {
namespace {

using expression::Function;
using expression::Type;
using FilterPass = SplicedPassTest;

TEST_F(FilterPass, FiltersKeepTheOrder) {
  if (backend_ == nullptr) return;
  const Function function = *expression::ParseFunction(
      "(x % 3 == 0 && y, x, i, y)", {Type::kInt32, Type::kBool});
  SplicedPass pass = *SplicedPass::Filter(backend_, function);
  const std::vector<Type> types = {Type::kInt32, Type::kInt64, Type::kBool};
  for (std::int64_t n : {1, 255, 256, 2047, 2048, 2049, 70000, 3000001}) {
    SCOPED_TRACE(n);
    const Columns in =
        RandomColumns(*backend_, 11, function.ParameterTypes(), n);
    const Columns out = RandomColumns(*backend_, 12, types, n);
    std::vector<Tuple> wanted;
    for (const Tuple& tuple : TuplesOf(function, in, n)) {
      if (tuple[0] != 0) wanted.emplace_back(tuple.begin() + 1, tuple.end());
    }
    const absl::StatusOr<PassOutcome> outcome =
        pass.Run(n, in.device_views, {}, out.device_outputs);
    ASSERT_TRUE(outcome.ok()) << outcome.status();
    EXPECT_EQ(outcome->kept, static_cast<std::int64_t>(wanted.size()));
    ExpectTuples(*backend_, types, wanted, out);
  }
}

}  // namespace
}  // namespace concord::sequence
