// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/backends/cuda/spliced/ptx_emitter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "concord/backends/cuda/spliced/assembling.h"
#include "concord/backends/cuda/spliced/pass_functions.h"
#include "concord/backends/cuda/spliced/place_values.h"
#include "concord/backends/cuda/spliced/ptx_operations.h"
#include "concord/core/expression/parser.h"
#include "concord/core/expression/random_function.h"

namespace concord::spliced {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

using expression::Function;
using expression::Type;

Function Parsed(const std::string& text, const std::vector<Type>& types) {
  return *expression::ParseFunction(text, types);
}

// The instructions of the function of registers x, y and z.
std::string PtxOf(const std::string& text, const std::vector<Type>& types) {
  PtxWriter ptx;
  EmitFunction(ptx, Parsed(text, types), {"x", "y", "z"}, "i", "arguments");
  return ptx.Block();
}

constexpr Type kF = Type::kFloat32;
constexpr Type kI = Type::kInt32;

TEST(PtxEmitter, ProductsAndSumsOfFloatsAreNotFused) {
  const std::string ptx = PtxOf("x * y + z", {kF, kF, kF});
  EXPECT_THAT(ptx, HasSubstr("mul.rn.f32"));
  EXPECT_THAT(ptx, HasSubstr("add.rn.f32"));
  EXPECT_THAT(ptx, Not(HasSubstr("fma")));
}

TEST(PtxEmitter, FmaIsFusedWhereItIsAskedFor) {
  EXPECT_THAT(PtxOf("fma(x, y, z)", {kF, kF, kF}), HasSubstr("fma.rn.f32"));
}

TEST(PtxEmitter, DeclaresWhatItUses) {
  EXPECT_EQ(PtxOf("x + y", {kI, kI}),
            "{\n.reg .b32 cw<1>;\nadd.s32 cw0, x, y;\n}\n");
}

TEST(PtxEmitter, ConditionsStayPredicates) {
  const std::string ptx = PtxOf("x < y && y < z ? x : y", {kI, kI, kI});
  EXPECT_THAT(ptx, HasSubstr("and.pred"));
  EXPECT_THAT(ptx, HasSubstr(", x, y, cp2;"));
}

TEST(PtxEmitter, PtxasTakesReadsThatMakeNoDifference) {
  if (!HasPtxas()) GTEST_SKIP() << "there is no ptxas";
  std::string ptx = kPtxHead;
  int number = 0;
  for (const char* text : {"true ? x : t[x]", "false ? t[x] : x + y",
                           "t[x] > 0 ? y : y", "(x, t[y] == t[x] ? i : i)"}) {
    const PassFunctions pass{*expression::ParseFunction(
        text, {kI, kI}, {{{"t", ElementType::kInt32}}})};
    absl::StatusOr<std::string> kernel = Splice(
        KernelOf(number++, {"map_one %rd0"}),
        [&](const Place& place) { return FillPlaceOfPass(pass, true, place); });
    ASSERT_TRUE(kernel.ok()) << kernel.status();
    EXPECT_THAT(*kernel, HasSubstr("ld.global"));
    ptx += *kernel;
  }
  ExpectAssembles(ptx);
}

TEST(PtxEmitter, DivisorsAreNeverZero) {
  EXPECT_THAT(PtxOf("x / y", {kI, kI}), Not(HasSubstr(", x, y;\n}")));
  EXPECT_THAT(PtxOf("x / y", {kI, kI}), HasSubstr("setp.eq.s32 cp0, y, 0"));
}

TEST(PtxEmitter, ReadsFourElementsAtOnce) {
  PtxWriter ptx;
  ColumnReader(ptx, {Type::kInt32, Type::kInt64, Type::kInt8}, "arguments", "i")
      .Read(4, 4, true);
  EXPECT_THAT(ptx.Block(), HasSubstr("ld.global.v4.b32 {cw0, cw1, cw2, cw3}"));
  EXPECT_THAT(ptx.Block(), HasSubstr("ld.global.v2.b64 {cd9, cd10}, [cd5+32]"));
  EXPECT_THAT(ptx.Block(),
              HasSubstr("ld.global.v2.b64 {cd11, cd12}, [cd5+48]"));
  EXPECT_THAT(ptx.Block(), HasSubstr("ld.global.b32 cw4, [cd8+4]"));
}

int Count(absl::string_view what, absl::string_view text) {
  return static_cast<int>(
      std::vector<std::string>(absl::StrSplit(text, what)).size() - 1);
}

// Of the largest run: with (v, v, v, v) on the right, two maxima are the same.
TEST(PtxEmitter, OperatorsAndFunctionsShareWhatTheyBothCompute) {
  const Type l = Type::kInt64;
  PassFunctions pass{Parsed("v = int64(x); (v, v, v, v)", {kI})};
  pass.op = Parsed(
      "(s, p, f, b), (t, q, g, c) -> (s + t, max(p, s + q), max(g, t + f), "
      "max(b, max(c, f + q)))",
      {l, l, l, l, l, l, l, l});
  const absl::StatusOr<std::string> ptx = FillPlaceOfPass(
      pass, true,
      {"step_one", {"%rd1", "%rd2", "%rd3", "%rd4", "%rd5"}, "arguments"});
  ASSERT_TRUE(ptx.ok()) << ptx.status();
  EXPECT_EQ(Count("max.s64", *ptx), 3) << *ptx;
  EXPECT_EQ(Count("add.s64", *ptx), 2) << *ptx;
}

TEST(PtxEmitter, PtxasTakesRandomFunctions) {
  if (!HasPtxas()) GTEST_SKIP() << "there is no ptxas";
  std::string ptx = kPtxHead;
  for (int seed = 0; seed < 2000; ++seed) {
    expression::RandomFunctionShape shape;
    shape.operations = 1 + seed % 24;
    shape.parameters = seed % 5;
    shape.tables = seed % 3;
    const PassFunctions pass{expression::RandomFunction(seed, shape)};
    absl::StatusOr<std::string> kernel = Splice(
        KernelOf(seed, {seed % 10 == 0 ? "map %rd0, 2, 1024" : "map_one %rd0"}),
        [&](const Place& place) { return FillPlaceOfPass(pass, true, place); });
    ASSERT_TRUE(kernel.ok()) << kernel.status();
    ptx += *kernel;
  }
  ExpectAssembles(ptx);
}

// What the tests take for every place is that.
TEST(PtxEmitter, EveryPlaceIsTried) {
  std::set<std::string> tried;
  for (const PlacesOfPass& all : EveryPlace()) {
    for (const std::string& text : all.places) {
      tried.insert(ParsedPlace(text).name);
    }
  }
  std::set<std::string> known;
  for (absl::Span<const NamedPlace> places : {ElementPlaces(), StatePlaces()}) {
    for (const NamedPlace& place : places) {
      EXPECT_TRUE(known.emplace(place.name).second) << place.name;
    }
  }
  EXPECT_EQ(tried, known);
}

TEST(PtxEmitter, PtxasTakesEveryPlace) {
  if (!HasPtxas()) GTEST_SKIP() << "there is no ptxas";
  std::string ptx = kPtxHead;
  int number = 0;
  for (const PlacesOfPass& all : EveryPlace()) {
    absl::StatusOr<std::string> kernel =
        Splice(KernelOf(number++, all.places), [&](const Place& place) {
          return FillPlaceOfPass(all.pass, all.wide, place);
        });
    ASSERT_TRUE(kernel.ok()) << kernel.status();
    ptx += *kernel;
  }
  ExpectAssembles(ptx);
}

}  // namespace
}  // namespace concord::spliced
