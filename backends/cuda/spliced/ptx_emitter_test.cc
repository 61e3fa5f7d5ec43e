// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/backends/cuda/spliced/ptx_emitter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "concord/backends/cuda/spliced/arguments.h"
#include "concord/backends/cuda/spliced/pass_functions.h"
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

// A kernel in which one place after the other stands as often as it may.
std::string KernelOf(int number, const std::vector<std::string>& places) {
  std::string kernel = absl::StrCat(
      ".visible .entry k", number, "(.param .align 8 .b8 k", number,
      "_param_0[", sizeof(Arguments), "])\n{\n",
      ".reg .b32 %r<32>;\n.reg .b64 %rd<32>;\n", "mov.b64 %rd0, 0;\n");
  for (const std::string& place : places) {
    absl::StrAppend(&kernel, "//CONCORD ", place, "\n");
  }
  return kernel + "ret;\n}\n";
}

// Whether ptxas takes it; skipped where there is none.
void ExpectAssembles(const std::string& ptx) {
  const std::string path = ::testing::TempDir() + "/functions.ptx";
  std::ofstream(path) << ptx;
  const std::string command = absl::StrCat(
      "PATH=$PATH:/usr/local/cuda/bin ptxas -arch=sm_90 -O0 -o /dev/null ",
      path, " 2>&1 | head -n 20 | tee ", path, ".log >&2; test ! -s ", path,
      ".log");
  EXPECT_EQ(std::system(command.c_str()), 0) << path;
}

bool HasPtxas() {
  return std::system(
             "PATH=$PATH:/usr/local/cuda/bin command -v ptxas "
             "> /dev/null") == 0;
}

constexpr char kHead[] = ".version 7.8\n.target sm_90\n.address_size 64\n";

TEST(PtxEmitter, PtxasTakesRandomFunctions) {
  if (!HasPtxas()) GTEST_SKIP() << "there is no ptxas";
  std::string ptx = kHead;
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

TEST(PtxEmitter, PtxasTakesEveryPlace) {
  if (!HasPtxas()) GTEST_SKIP() << "there is no ptxas";
  std::string ptx = kHead;
  int number = 0;
  const auto add = [&](const PassFunctions& pass, bool wide,
                       const std::vector<std::string>& places) {
    absl::StatusOr<std::string> kernel = Splice(
        KernelOf(number++, places),
        [&](const Place& place) { return FillPlaceOfPass(pass, wide, place); });
    ASSERT_TRUE(kernel.ok()) << kernel.status();
    ptx += *kernel;
  };
  for (Type type : expression::AllTypes()) {
    const std::string sum = type == Type::kBool ? "a ^ b" : "max(a, b)";
    PassFunctions pass{Parsed("x == y ? x : y", {type, type})};
    pass.op = Parsed("a, b -> " + sum, {type, type});
    pass.epilogue = Parsed("(x, int8(x), bool(x))", {type});
    pass.identity = {0};
    add(pass, true,
        {"load %rd1, %rd2, %rd0", "load %rd1, %rd0", "identity %rd4",
         "combine %rd4, %rd1, %rd2", "fetch %r1, %rd0, %r2, %r3",
         "begin %rd4, %rd5, %r1, %r2, %rd0", "step %rd4, %rd5, %r1, %r2, %rd0",
         "step_one %rd4, %rd5, %rd0", "begin_one %rd4, %rd0", "store %rd4"});
    if (BytesOf(type) == 8) continue;
    add(pass, false,
        {"load %r1, %r2, %r3, %r4, %rd0", "identity %r4",
         "combine %r4, %r5, %r1, %r2, %r3, %r4",
         "begin %r4, %r5, %r1, %r2, %rd0", "step %r4, %r5, %r1, %r2, %rd0",
         "store %r4"});
  }
  const Type d = Type::kFloat64;
  add({Parsed("(x > 3, x, int8(y))", {kI, d})}, false,
      {"keep %r1, %rd0, 32", "keep %r1, %r2, %r3, %r4, %rd0, 32",
       "put %rd1, %rd0, 32", "put %rd1, %rd2, %rd3, %rd0, 32"});
  for (const char* text : {"(x > 3, x * 2)", "(x < 0, float32(i))"}) {
    add({Parsed(text, {kI})}, false, {"filter %r1, %r2, %r3, %r4, %r5, %rd0"});
  }
  ExpectAssembles(ptx);
}

}  // namespace
}  // namespace concord::spliced
