// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Printed functions, as the host's compiler makes them, beside Evaluate.

#include "concord/backends/cuda/nvrtc/cpp_printer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "concord/backends/cuda/nvrtc/every_operation.h"
#include "concord/backends/cuda/nvrtc/host_functions.h"
#include "concord/core/expression/parser.h"
#include "concord/core/expression/printer.h"
#include "concord/core/expression/random_function.h"
#include "concord/core/random.h"
#include "concord/testing/support/large_cases.h"

namespace concord::nvrtc {
namespace {

using expression::Evaluated;
using expression::Function;
using expression::ToWord;
using expression::Type;
using expression::Word;
using ::testing::HasSubstr;

constexpr Type kI = Type::kInt32;
constexpr Type kF = Type::kFloat32;
constexpr Type kD = Type::kFloat64;

Function Parsed(const std::string& text, const std::vector<Type>& types) {
  return *expression::ParseFunction(text, types);
}

TEST(PrintAsCpp, HasAStatementForEachNode) {
  EXPECT_EQ(
      PrintAsCpp(Parsed("(x * -3, int8(x))", {kI}), "f"),
      "CONCORD_FUNCTION(f) {\n"
      "  const int32 v0 = Parameter<int32, 0>();\n"
      "  const int32 v1 = Constant<int32>(0xfffffffffffffffdull);  // -3\n"
      "  const int32 v2 = Multiply<int32>(v0, v1);\n"
      "  const int8 v3 = Cast<int8, int32>(v0);\n"
      "  Result<int32, 0>(v2);\n"
      "  Result<int8, 1>(v3);\n"
      "}\n");
}

TEST(PrintAsCpp, ConstantsAreTheirBits) {
  EXPECT_THAT(PrintAsCpp(Parsed("max(x, -0.0)", {kF}), "f"),
              HasSubstr("Constant<float32>(0x80000000ull);  // -0\n"));
  EXPECT_THAT(PrintAsCpp(Parsed("x < nan ? x : inf", {kD}), "f"),
              HasSubstr("(0x7ff0000000000000ull);  // inf\n"));
  EXPECT_THAT(
      PrintAsCpp(Parsed("x + -9223372036854775808", {Type::kInt64}), "f"),
      HasSubstr("(0x8000000000000000ull);"));
}

TEST(PrintAsCpp, ComparisonsHaveTheTypeOfWhatTheyCompare) {
  const std::string text = PrintAsCpp(Parsed("x < y ? x : y", {kF, kF}), "f");
  EXPECT_THAT(text, HasSubstr("const bool v2 = Less<float32>(v0, v1);"));
  EXPECT_THAT(text,
              HasSubstr("const float32 v3 = Select<float32>(v2, v0, v1)"));
}

// Values of the function's parameters, half of them at an edge.
std::vector<Word> Arguments(Random& random, const Function& function) {
  std::vector<Word> arguments;
  for (const Type type : function.ParameterTypes()) {
    arguments.push_back(expression::RandomValue(random, type));
  }
  return arguments;
}

// The first function, if any, whose results differ in `trials` of each; tables
// have a few random elements.
std::string FirstWrong(const std::vector<Function>& functions, int trials,
                       const std::string& prelude = CppPrelude()) {
  const auto host = HostFunctions::Of(functions, prelude);
  if (host == nullptr) return "they cannot be compiled";
  Random random(7);
  std::vector<std::uint64_t> elements(16);
  for (std::uint64_t& element : elements) element = random.Bits();
  for (std::size_t f = 0; f < functions.size(); ++f) {
    std::vector<ConstArrayView> tables;
    for (const expression::Table& table : functions[f].tables()) {
      tables.emplace_back(elements.data(), table.type, 16, Memory::Host());
    }
    for (int trial = 0; trial < trials; ++trial) {
      const std::vector<Word> arguments = Arguments(random, functions[f]);
      const auto index = static_cast<std::int64_t>(random.Below(20));
      const Evaluated wanted =
          expression::Evaluate(functions[f], arguments, index, tables);
      const Evaluated given = host->Run(f, arguments, index, tables);
      const bool reported =
          wanted.outside.has_value() == given.outside.has_value();
      if (given.results == wanted.results && reported) continue;
      return absl::StrCat(
          expression::ToText(functions[f]), " of ",
          expression::ToString(functions[f].ParameterTypes(), arguments),
          " at ", index, " is ",
          expression::ToString(functions[f].ResultTypes(), given.results),
          " instead of ",
          expression::ToString(functions[f].ResultTypes(), wanted.results));
    }
  }
  return "";
}

#define CONCORD_SKIP_WITHOUT_COMPILER() \
  if (!HostFunctions::HasCompiler()) GTEST_SKIP() << "there is no compiler"

TEST(CppOnTheHost, EveryOperationOfEveryTypeIsRight) {
  CONCORD_SKIP_WITHOUT_COMPILER();
  EXPECT_EQ(FirstWrong(EveryOperation(), 1000), "");
}

// Of these seeds, with up to so many operations.
std::vector<Function> RandomFunctions(int first, int count, int most) {
  std::vector<Function> functions;
  for (int seed = first; seed < first + count; ++seed) {
    expression::RandomFunctionShape shape;
    shape.operations = 1 + seed % most;
    shape.parameters = seed % 5;
    shape.tables = seed % 3;
    functions.push_back(expression::RandomFunction(seed, shape));
  }
  return functions;
}

TEST(CppOnTheHost, RandomFunctionsAreRight) {
  CONCORD_SKIP_WITHOUT_COMPILER();
  EXPECT_EQ(FirstWrong(RandomFunctions(0, 250, 24), 200), "");
}

TEST(CppOnTheHost, TenThousandRandomFunctionsAreRight) {
  CONCORD_SKIP_WITHOUT_COMPILER();
  if (!LargeCasesAreWanted()) GTEST_SKIP() << "CONCORD_LARGE=1 runs it";
  constexpr int kBatch = 500;
  for (int batch = 1; batch <= 20 && !HasFailure(); ++batch) {
    EXPECT_EQ(FirstWrong(RandomFunctions(batch * kBatch, kBatch, 60), 200), "");
  }
}

struct Case {
  std::string text;
  std::vector<Type> types;
  std::vector<Word> arguments;
  Word wanted;
};

template <typename T>
Word W(T value) {
  return ToWord(value);
}

// What C++ leaves undefined, or has otherwise.
TEST(CppOnTheHost, DangerousCasesAreRight) {
  CONCORD_SKIP_WITHOUT_COMPILER();
  constexpr int kMost = std::numeric_limits<int>::max();
  constexpr int kLeast = std::numeric_limits<int>::min();
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  const float up = std::nextafterf(1, 2);
  const std::vector<Case> cases = {
      {"x << y", {kI, kI}, {W(5), W(32)}, W(5)},
      {"x << y", {kI, kI}, {W(-1), W(31)}, W(kLeast)},
      {"x << y", {kI, kI}, {W(1), W(-1)}, W(kLeast)},
      {"x >> y", {kI, kI}, {W(-8), W(33)}, W(-4)},
      {"x >> y", {Type::kUInt8, Type::kUInt8}, {W(200), W(9)}, W(100)},
      {"x << y", {Type::kInt8, Type::kInt8}, {W(127), W(1)}, W(-2)},
      {"x + y", {kI, kI}, {W(kMost), W(1)}, W(kLeast)},
      {"x * y", {kI, kI}, {W(kMost), W(kMost)}, W(1)},
      {"-x", {kI}, {W(kLeast)}, W(kLeast)},
      {"abs(x)", {kI}, {W(kLeast)}, W(kLeast)},
      {"x / y", {kI, kI}, {W(kLeast), W(-1)}, W(kLeast)},
      {"x % y", {kI, kI}, {W(kLeast), W(-1)}, W(0)},
      {"x / y", {kI, kI}, {W(7), W(0)}, W(0)},
      {"x % y", {kI, kI}, {W(-7), W(0)}, W(-7)},
      {"x % y", {kI, kI}, {W(-7), W(3)}, W(-1)},
      {"min(x, y)", {kF, kF}, {W(0.0f), W(-0.0f)}, W(-0.0f)},
      {"max(x, y)", {kF, kF}, {W(-0.0f), W(0.0f)}, W(0.0f)},
      {"min(x, y)", {kF, kF}, {W(kNan), W(1.0f)}, W(kNan)},
      {"max(x, y)", {kF, kF}, {W(1.0f), W(kNan)}, W(kNan)},
      {"x == y", {kF, kF}, {W(kNan), W(kNan)}, W(false)},
      {"bool(x)", {kF}, {W(kNan)}, W(true)},
      {"-x", {kF}, {W(0.0f)}, W(-0.0f)},
      {"x + 0.0", {kF}, {W(-0.0f)}, W(0.0f)},
      {"round(x)", {kF}, {W(2.5f)}, W(2.0f)},
      {"round(x)", {kF}, {W(-0.4f)}, W(-0.0f)},
      {"int32(x)", {kF}, {W(3e9f)}, W(kMost)},
      {"int32(x)", {kF}, {W(kNan)}, W(0)},
      {"uint8(x)", {kF}, {W(-1.0f)}, W(0)},
      {"int8(x)", {kI}, {W(200)}, W(-56)},
      // One rounding and two.
      {"fma(x, x, -1.0)", {kF}, {W(up)}, W(std::fmaf(up, up, -1.0f))},
      {"x * x + -1.0", {kF}, {W(up)}, W(2.0f * (up - 1.0f))},
  };
  std::vector<Function> functions;
  for (const Case& one : cases) {
    functions.push_back(Parsed(one.text, one.types));
  }
  const auto host = HostFunctions::Of(functions, CppPrelude());
  ASSERT_NE(host, nullptr);
  for (std::size_t k = 0; k < cases.size(); ++k) {
    EXPECT_EQ(host->Run(k, cases[k].arguments).results[0], cases[k].wanted)
        << cases[k].text;
    EXPECT_EQ(expression::Evaluate(functions[k], cases[k].arguments).results[0],
              cases[k].wanted)
        << cases[k].text;
  }
}

// Mistakes in the text are found.
TEST(CppOnTheHost, PlantedMistakesAreFound) {
  CONCORD_SKIP_WITHOUT_COMPILER();
  const std::vector<std::pair<std::string, std::string>> mistakes = {
      {"Word<T>(a) - Word<T>(b)", "Word<T>(b) - Word<T>(a)"},
      {"return T(a >> (Word<T>(b)", "return T(Word<T>(a) >> (Word<T>(b)"},
      {"<< (Word<T>(b) & (kWidth<T> - 1))", "<< (Word<T>(b) & 63)"},
      {"BitsOf(b < a ? b : a)", "BitsOf(a < b ? a : b)"},
      {"b == 0 ? T(0) : minus", "minus"},
      {"a == a ? To(a) : To(0)", "To(a)"},
      {"From(2) * From(", "From(1) * From("},
  };
  for (const auto& [right, wrong] : mistakes) {
    const std::string prelude =
        absl::StrReplaceAll(CppPrelude(), {{right, wrong}});
    ASSERT_TRUE(prelude != CppPrelude()) << right;
    EXPECT_NE(FirstWrong(EveryOperation(), 300, prelude), "") << right;
  }
}

}  // namespace
}  // namespace concord::nvrtc
