// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "concord/algorithms/sequence/spliced/pass.h"
#include "concord/algorithms/sequence/spliced/pass_testing.h"
#include "concord/core/expression/parser.h"
#include "concord/core/expression/printer.h"
#include "concord/core/expression/random_operator.h"

namespace concord::sequence {
namespace {

using expression::Function;
using expression::Operator;
using expression::Type;
using ScanPass = SplicedPassTest;

void CheckScan(const std::shared_ptr<CudaBackend>& backend, const Operator& op,
               const std::optional<Tuple>& start, std::int64_t n) {
  SCOPED_TRACE(absl::StrCat(expression::OperatorToText(op.function()), ", n ",
                            n, ", start ", start.has_value()));
  const Function prologue = Identity(op.types());
  const Columns in = RandomColumns(*backend, 8, op.types(), n);
  const Columns out = RandomColumns(*backend, 9, op.types(), n);
  const std::vector<Tuple> all = TuplesOf(prologue, in, n);
  for (bool before : {false, true}) {
    if (before && !start.has_value() && !OfNothing(op).has_value()) continue;
    SplicedPass pass =
        *SplicedPass::Scan(backend, prologue, op, start, before, std::nullopt);
    ASSERT_TRUE(pass.Run(n, in.device_views, {}, out.device_outputs).ok());
    ExpectTuples(
        *backend, op.types(),
        before ? ExclusiveScan(op, all, start) : InclusiveScan(op, all, start),
        out);
  }
}

TEST_F(ScanPass, ScansHaveTheOrderOfNodes) {
  if (backend_ == nullptr) return;
  const Type f = Type::kFloat32;
  const Type s = Type::kInt32;
  const Operator sum = *Operator::Parse("a + b", {f});
  const Operator unordered =
      *Operator::Parse("3 * a - b", {s}, expression::AssumeAssociative());
  for (std::int64_t n : {1, 2, 255, 256, 257, 65536, 65537, 200001}) {
    CheckScan(backend_, sum, std::nullopt, n);
    CheckScan(backend_, unordered, std::nullopt, n);
    CheckScan(backend_, unordered, Tuple{7}, n);
    if (HasFailure()) return;
  }
}

TEST_F(ScanPass, ScansByRandomOperatorsHaveTheOrderOfNodes) {
  if (backend_ == nullptr) return;
  for (int seed = 0; seed < 40 && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    const Operator op = expression::RandomOperator(seed, 8);
    CheckScan(backend_, op, std::nullopt, 1 + seed * 53);
  }
}

}  // namespace
}  // namespace concord::sequence
