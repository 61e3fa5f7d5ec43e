// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// What NVRTC makes of printed functions, where it is found; no GPU is needed.

#include "concord/backends/cuda/nvrtc/nvrtc_compiler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "concord/backends/cuda/nvrtc/compiled_body.h"
#include "concord/backends/cuda/nvrtc/cpp_printer.h"
#include "concord/backends/cuda/nvrtc/every_operation.h"
#include "concord/backends/cuda/spliced/assembling.h"
#include "concord/backends/cuda/spliced/spliced_module.h"
#include "concord/core/expression/parser.h"
#include "concord/core/expression/random_function.h"

namespace concord::nvrtc {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;

using expression::Function;
using expression::Type;
using spliced::PassFunctions;
using spliced::Place;

constexpr Type kF = Type::kFloat32;
constexpr Type kI = Type::kInt32;

Function Parsed(const std::string& text, const std::vector<Type>& types) {
  return *expression::ParseFunction(text, types);
}

TEST(Nvrtc, SaysWhyThereIsNone) {
  const absl::Status none = Nvrtc::Open({"libnone.so.1", "/n/o.so"}).status();
  EXPECT_EQ(none.code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(none.message(),
            "there is no NVRTC, which comes with CUDA: libnone.so.1, /n/o.so "
            "cannot be opened");
  EXPECT_THAT(Nvrtc::Open({}).status().message(),
              HasSubstr("CONCORD_NVRTC is empty"));
  // A library that is another one.
  EXPECT_THAT(Nvrtc::Open({"libdl.so.2"}).status().message(),
              HasSubstr("NVRTC has no nvrtc"));
}

// Null where there is no library: the test is skipped.
const NvrtcCompiler* Compiler() {
  const absl::StatusOr<const NvrtcCompiler*> compiler = NvrtcCompiler::Get();
  if (compiler.ok()) return *compiler;
  EXPECT_EQ(compiler.status().code(), absl::StatusCode::kUnavailable);
  return nullptr;
}

#define CONCORD_SKIP_WITHOUT_NVRTC() \
  if (Compiler() == nullptr) GTEST_SKIP() << "there is no NVRTC"

TEST(NvrtcCompiler, HasAVersion) {
  CONCORD_SKIP_WITHOUT_NVRTC();
  EXPECT_THAT(Compiler()->Name(), MatchesRegex("NVRTC [0-9]+\\.[0-9]+"));
  EXPECT_EQ(Compiler()->Version().size(), 64);
}

TEST(NvrtcCompiler, TakesEveryOperationOfEveryType) {
  CONCORD_SKIP_WITHOUT_NVRTC();
  const std::vector<Function> functions = EveryOperation();
  EXPECT_GT(functions.size(), 250);
  std::string source = CppPrelude();
  for (std::size_t k = 0; k < functions.size(); ++k) {
    source += PrintAsCpp(functions[k], absl::StrCat("f", k));
  }
  const absl::StatusOr<std::string> ptx =
      (*Nvrtc::Get())->Compile(source, "80", "every operation");
  ASSERT_TRUE(ptx.ok()) << ptx.status();
  for (std::size_t k = 0; k < functions.size(); ++k) {
    std::vector<Type> tables;
    for (const expression::Table& table : functions[k].tables()) {
      tables.push_back(expression::ValueTypeOf(table.type));
    }
    const absl::StatusOr<CompiledBody> body = CompiledBody::Of(
        *ptx, absl::StrCat("f", k), functions[k].ParameterTypes(),
        functions[k].ResultTypes(), tables);
    EXPECT_TRUE(body.ok()) << body.status();
  }
}

// What stands in a kernel for the function of registers x, y and z.
std::string PtxOf(const std::string& text, const std::vector<Type>& types) {
  const auto code = *Compiler()->Compile({Parsed(text, types)}, "80");
  spliced::PtxWriter ptx;
  code->Emit(ptx, spliced::Part::kPrologue, {"x", "y", "z"}, "i", "arguments");
  return ptx.Block();
}

TEST(NvrtcCompiler, ProductsAndSumsOfFloatsAreNotFused) {
  CONCORD_SKIP_WITHOUT_NVRTC();
  const std::string ptx = PtxOf("x * y + z", {kF, kF, kF});
  EXPECT_THAT(ptx, HasSubstr("mul.rn.f32"));
  EXPECT_THAT(ptx, HasSubstr("add.rn.f32"));
  EXPECT_THAT(ptx, Not(HasSubstr("fma")));
  EXPECT_THAT(PtxOf("fma(x, y, z)", {kF, kF, kF}), HasSubstr("fma.rn.f32"));
}

TEST(NvrtcCompiler, DivisionsAndRootsAreRoundedOnce) {
  CONCORD_SKIP_WITHOUT_NVRTC();
  EXPECT_THAT(PtxOf("x / y", {kF, kF}), HasSubstr("div.rn.f32"));
  EXPECT_THAT(PtxOf("sqrt(x)", {kF}), HasSubstr("sqrt.rn.f32"));
  EXPECT_THAT(PtxOf("sqrt(x)", {kF}), Not(HasSubstr("ftz")));
}

TEST(NvrtcCompiler, RegistersHaveNamesOfTheirOwn) {
  CONCORD_SKIP_WITHOUT_NVRTC();
  const std::string ptx = PtxOf("x * 3 + y", {kI, kI});
  EXPECT_THAT(ptx, HasSubstr("%f_r"));
  EXPECT_THAT(ptx, Not(HasSubstr("%r")));
  EXPECT_THAT(ptx, Not(HasSubstr("CONCORD")));
  EXPECT_THAT(ptx, Not(HasSubstr("ret")));
}

// Also where a choice does not take what is read.
TEST(NvrtcCompiler, ReadsOutsideAreReported) {
  CONCORD_SKIP_WITHOUT_NVRTC();
  expression::Scope scope = expression::Scope::OfColumns({kI});
  scope.tables = {{"t", ElementType::kInt8}};
  const Function function =
      *expression::ParseFunction("x > 0 ? int8(x) : t[x]", {kI}, scope.tables);
  const auto code = *Compiler()->Compile({function}, "80");
  spliced::PtxWriter ptx;
  code->Emit(ptx, spliced::Part::kPrologue, {"x"}, "i", "arguments");
  const std::string block = ptx.Block();
  const std::size_t read = block.find("ld.global.s8");
  EXPECT_NE(read, std::string::npos);
  EXPECT_NE(block.find("red.relaxed.gpu", read), std::string::npos);
  // Nothing jumps around it.
  EXPECT_EQ(block.substr(0, read).find("bra"), std::string::npos);
}

// Bodies in kernels, as the driver's compiler is given them.
void ExpectAssemblesWith(const std::vector<spliced::PlacesOfPass>& all) {
  std::string ptx = spliced::kPtxHead;
  int number = 0;
  std::string version;
  for (const spliced::PlacesOfPass& places : all) {
    const auto code = Compiler()->Compile(places.pass, "90");
    ASSERT_TRUE(code.ok()) << code.status();
    version = (*code)->PtxVersion();
    absl::StatusOr<std::string> kernel = spliced::Splice(
        spliced::KernelOf(number++, places.places), [&](const Place& place) {
          return FillPlaceOfPass(places.pass, places.wide, place, code->get());
        });
    ASSERT_TRUE(kernel.ok()) << kernel.status();
    ptx += *kernel;
  }
  spliced::ExpectAssembles(spliced::OfVersion(std::move(ptx), version));
}

TEST(NvrtcCompiler, PtxasTakesEveryPlace) {
  CONCORD_SKIP_WITHOUT_NVRTC();
  if (!spliced::HasPtxas()) GTEST_SKIP() << "there is no ptxas";
  ExpectAssemblesWith(spliced::EveryPlace());
}

TEST(NvrtcCompiler, PtxasTakesRandomFunctions) {
  CONCORD_SKIP_WITHOUT_NVRTC();
  if (!spliced::HasPtxas()) GTEST_SKIP() << "there is no ptxas";
  std::vector<spliced::PlacesOfPass> all;
  for (int seed = 0; seed < 60; ++seed) {
    expression::RandomFunctionShape shape;
    shape.operations = 1 + seed % 24;
    shape.parameters = seed % 5;
    shape.tables = seed % 3;
    all.push_back({{expression::RandomFunction(seed, shape)},
                   true,
                   {seed % 10 == 0 ? "map %rd0, 2, 1024" : "map_one %rd0"}});
  }
  ExpectAssemblesWith(all);
}

TEST(NvrtcCompiler, KernelsOfItHaveKeysOfTheirOwn) {
  CONCORD_SKIP_WITHOUT_NVRTC();
  const spliced::PassTemplate map = {"map", {"text", "12ab"}, false};
  const PassFunctions functions = {Parsed("x + 1", {kI})};
  const std::string spliced = ModuleKey(map, functions, "90", "13000");
  const std::string key = ModuleKey(map, functions, "90", "13000", Compiler());
  EXPECT_NE(key, spliced);
  EXPECT_THAT(key, HasSubstr(absl::StrCat("compiler ", Compiler()->Name(), " ",
                                          Compiler()->Version(), "\n")));
}

}  // namespace
}  // namespace concord::nvrtc
