// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "concord/algorithms/sequence/spliced/pass.h"
#include "concord/algorithms/sequence/spliced/pass_testing.h"
#include "concord/core/expression/evaluate.h"
#include "concord/core/expression/parser.h"
#include "concord/core/expression/printer.h"
#include "concord/core/expression/random_operator.h"

namespace concord::sequence {
namespace {

using expression::Function;
using expression::Operator;
using expression::Type;
using ScanPass = SplicedPassTest;

// Scans of so many elements, one after the other by the same pass: what is left
// of one run must not be taken for that of the next.
void CheckScan(const std::shared_ptr<CudaBackend>& backend,
               const Function& prologue, const Operator& op,
               const std::optional<Tuple>& start,
               const std::vector<std::int64_t>& sizes, int skip = 0) {
  SCOPED_TRACE(absl::StrCat(expression::OperatorToText(op.function()), " of ",
                            expression::ToText(prologue), ", start ",
                            start.has_value(), ", skip ", skip));
  for (bool before : {false, true}) {
    if (before && !start.has_value() && !OfNothing(op).has_value()) continue;
    SplicedPass pass =
        *SplicedPass::Scan(backend, prologue, op, start, before, std::nullopt);
    for (std::int64_t n : sizes) {
      SCOPED_TRACE(n);
      const MirroredColumns in = RandomMirroredColumns(
          *backend, 8, prologue.ParameterTypes(), n, skip);
      const MirroredColumns out =
          RandomMirroredColumns(*backend, 9, op.types(), n, skip);
      const std::vector<Tuple> all = TuplesOf(prologue, in, n);
      ASSERT_TRUE(pass.Run(n, in.device_views, {}, out.device_outputs).ok());
      ExpectTuples(*backend, op.types(),
                   before ? ExclusiveScan(op, all, start)
                          : InclusiveScan(op, all, start),
                   out);
    }
  }
}

TEST_F(ScanPass, ScansHaveTheOrderOfNodes) {
  const Operator sum = *Operator::Parse("a + b", {Type::kFloat32});
  const Operator unordered = *Operator::Parse("3 * a - b", {Type::kInt32},
                                              expression::AssumeAssociative());
  const Function x = Identity({Type::kInt32});
  // Where lanes' groups, rows, warps, tiles and groups of them end.
  const std::vector<std::int64_t> sizes = {
      200001, 1,    2,     3,      4,      5,      127,    128,
      129,    1023, 1024,  1025,   4095,   4096,   4097,   8191,
      8192,   8193, 65536, 262143, 262144, 262145, 1100003};
  CheckScan(backend_, Identity({Type::kFloat32}), sum, std::nullopt, sizes);
  CheckScan(backend_, x, unordered, std::nullopt, sizes);
  CheckScan(backend_, x, unordered, Tuple{7}, sizes, /*skip=*/1);
}

TEST_F(ScanPass, ScansByRandomOperatorsHaveTheOrderOfNodes) {
  for (int seed = 0; seed < 40 && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    const Operator op = expression::RandomOperator(seed, 8);
    CheckScan(backend_, Identity(op.types()), op, std::nullopt,
              {1 + seed * 53, seed % 8 == 0 ? 300001 : 20011},
              /*skip=*/seed % 5 == 0 ? 1 : 0);
  }
}

// By operators that give the same in any order.
TEST_F(ScanPass, ScansOnThePipelineFinishWhatTheyBegin) {
  const std::vector<std::int64_t> sizes = {70000, 1,    3,    511,   512,
                                           2049,  8191, 8192, 16385, 100003};
  for (Type type : {Type::kInt32, Type::kUInt32, Type::kFloat32}) {
    for (const char* op : {"a + b", "max(a, b)", "min(a, b)"}) {
      const bool ordered = op[0] == 'a' && type == Type::kFloat32;
      const Function prologue = *expression::ParseFunction(
          type == Type::kFloat32 ? "x == 7 ? x : x * 3" : "x * 3 + 1 ^ x >> 2",
          {type});
      for (int skip : {0, 1}) {
        CheckScan(backend_, prologue, *Operator::Parse(op, {type}),
                  skip == 0 || ordered ? std::nullopt
                                       : std::optional<Tuple>(Tuple{5}),
                  sizes, skip);
        if (HasFailure()) return;
      }
    }
  }
}

// So many tiles that blocks have several, and wait for each other.
TEST_F(ScanPass, ScansOfManyTilesOnThePipeline) {
  CheckScan(backend_, *expression::ParseFunction("x * 3 + 1", {Type::kInt32}),
            *Operator::Parse("a + b", {Type::kInt32}), std::nullopt, {3000001});
}

// The same by an operator whose order matters, in states of 16 bytes.
TEST_F(ScanPass, ScansOfManyTilesHaveTheOrderOfNodes) {
  const std::vector<Type> pair = {Type::kInt64, Type::kInt64};
  const Operator brackets =
      *Operator::Parse("(s, m), (t, n) -> (s + t, min(m, s + n))", pair);
  CheckScan(backend_, Identity(pair), brackets, Tuple{3, 2}, {1700001});
}

// Groups of neighbours are written only where all results allow it.
TEST_F(ScanPass, ResultsAreAlignedOrNot) {
  const std::vector<Type> types = {Type::kInt32, Type::kFloat64};
  const Operator op = *Operator::Parse("(a, x), (b, y) -> (3 * a - b, x + y)",
                                       types, expression::AssumeAssociative());
  constexpr std::int64_t kSize = 10001;
  SplicedPass pass = *SplicedPass::Scan(backend_, Identity(types), op,
                                        std::nullopt, false, std::nullopt);
  for (int skip_in : {0, 1}) {
    for (int skip_out : {0, 1}) {
      SCOPED_TRACE(absl::StrCat(skip_in, " ", skip_out));
      const MirroredColumns in =
          RandomMirroredColumns(*backend_, 5, types, kSize, skip_in);
      const MirroredColumns out =
          RandomMirroredColumns(*backend_, 6, types, kSize, skip_out);
      ASSERT_TRUE(
          pass.Run(kSize, in.device_views, {}, out.device_outputs).ok());
      ExpectTuples(
          *backend_, types,
          InclusiveScan(op, TuplesOf(Identity(types), in, kSize), std::nullopt),
          out);
    }
  }
}

TEST_F(ScanPass, ResultsGoThroughTheEpilogueAtTheirIndex) {
  const Function x = Identity({Type::kInt32});
  for (const char* text : {"x * 2 + int32(i)", "float32(x) / 3", "int8(x)"}) {
    const Function epilogue = *expression::ParseFunction(text, {Type::kInt32});
    for (const char* op : {"a + b", "(a ^ b) + 2 * (a & b)"}) {
      SCOPED_TRACE(absl::StrCat(text, " of ", op));
      SplicedPass pass =
          *SplicedPass::Scan(backend_, x, *Operator::Parse(op, {Type::kInt32}),
                             std::nullopt, false, epilogue);
      constexpr std::int64_t kSize = 40001;
      const MirroredColumns in =
          RandomMirroredColumns(*backend_, 3, {Type::kInt32}, kSize);
      const MirroredColumns out =
          RandomMirroredColumns(*backend_, 4, epilogue.ResultTypes(), kSize);
      ASSERT_TRUE(
          pass.Run(kSize, in.device_views, {}, out.device_outputs).ok());
      std::vector<Tuple> wanted;
      const std::vector<Tuple> scanned =
          InclusiveScan(*Operator::Parse(op, {Type::kInt32}),
                        TuplesOf(x, in, kSize), std::nullopt);
      for (std::int64_t i = 0; i < kSize; ++i) {
        wanted.push_back(
            Evaluate(epilogue, scanned[static_cast<std::size_t>(i)], i)
                .results);
      }
      ExpectTuples(*backend_, epilogue.ResultTypes(), wanted, out);
    }
  }
}

}  // namespace
}  // namespace concord::sequence
