// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/algorithms/match_parens/match_parens.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "concord/core/array_io.h"
#include "concord/core/backend.h"
#include "concord/core/spec.h"
#include "concord/testing/support/differential.h"
#include "concord/testing/support/named_backends.h"

namespace concord {
namespace {

using ::testing::HasSubstr;

const bool kDifferential = AddDifferentialSuite("match_parens");

class MatchParensOn : public ::testing::TestWithParam<std::string> {
 protected:
  std::int64_t Fault(const std::string& text, const std::string& kinds = "()") {
    return ValueOf(ComputeMatchParens(Open(GetParam()), text, {kinds}));
  }
};

INSTANTIATE_TEST_SUITE_P(Backends, MatchParensOn, CpuBackends(),
                         NameOfParameter);

TEST_P(MatchParensOn, KnownAnswers) {
  EXPECT_EQ(Fault(""), -1);
  EXPECT_EQ(Fault("()"), -1);
  EXPECT_EQ(Fault("(a(b)c)d"), -1);
  EXPECT_EQ(Fault("())("), 2);
  EXPECT_EQ(Fault(")"), 0);
}

TEST_P(MatchParensOn, TheFirstThatIsNeverClosed) {
  EXPECT_EQ(Fault("("), 0);
  EXPECT_EQ(Fault("()x((()"), 3);
  EXPECT_EQ(Fault("(()"), 0);
}

TEST_P(MatchParensOn, AWrongClosingBracketCountsBeforeThoseNeverClosed) {
  EXPECT_EQ(Fault("([)", "()[]"), 2);
  EXPECT_EQ(Fault("(((]", "()[]"), 3);
}

TEST_P(MatchParensOn, KindsHaveToMatch) {
  EXPECT_EQ(Fault("([{}])[]", "()[]{}"), -1);
  EXPECT_EQ(Fault("([)]", "()[]{}"), 2);
  EXPECT_EQ(Fault("(][)", "()[]{}"), 1);
  EXPECT_EQ(Fault("(][)"), -1);  // "[" and "]" are skipped
}

TEST_P(MatchParensOn, NumbersAreKinds) {
  const std::shared_ptr<Backend> backend = Open(GetParam());
  const std::vector<std::int8_t> in = {1, 2, -2, 0, -1, 2, -1};
  const absl::Span<const std::int8_t> numbers(in);
  EXPECT_EQ(*ComputeMatchParens(backend, numbers, {"()[]"}), 6);
  EXPECT_EQ(*ComputeMatchParens(backend, numbers, {"()"}), 6);
  EXPECT_EQ(*ComputeMatchParens(backend, numbers.subspan(0, 6), {"()[]"}), 5);
}

// At each place of a long text: every piece, chunk and stream has its turn.
TEST_P(MatchParensOn, AFaultAnywhere) {
  for (const std::string kinds : {"()", "()[]"}) {
    for (const std::string& pair : {std::string("()"), std::string("((()))")}) {
      std::string text;
      while (text.size() < 1'100'000) text += pair;
      for (std::size_t at : {0, 1, 63, 64, 1023, 1024, 15'359, 15'360, 262'143,
                             262'144, 1'048'575, 1'048'576}) {
        const std::size_t begin = at - at % pair.size();
        std::string with_fault = text;
        with_fault[begin] = ')';
        EXPECT_EQ(Fault(with_fault, kinds), begin);
        with_fault[begin] = 'x';
        with_fault[begin + pair.size() - 1] = '(';
        EXPECT_EQ(Fault(with_fault, kinds), begin + pair.size() - 1);
      }
    }
  }
}

TEST_P(MatchParensOn, AMillionDeep) {
  const std::int64_t depth = 1'000'000;
  std::string text = std::string(depth, '(') + std::string(depth, ')');
  EXPECT_EQ(Fault(text), -1);
  EXPECT_EQ(Fault(text, "()[]"), -1);
  text[depth + 300'000] = ']';
  EXPECT_EQ(Fault(text, "()[]"), depth + 300'000);
  EXPECT_EQ(Fault(text), 0);
  text.resize(depth + 300'000);
  EXPECT_EQ(Fault(text, "()[]"), 0);
}

TEST_P(MatchParensOn, RefusesKindsThatAreNoPairs) {
  const std::shared_ptr<Backend> backend = Open(GetParam());
  for (const std::string kinds : {"", "(", "()(]", "(("}) {
    const auto fault = ComputeMatchParens(backend, "()", {kinds});
    EXPECT_EQ(fault.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(fault.status().message(), HasSubstr("kinds"));
  }
}

// --- Files ---

const AlgorithmSpec& Spec() { return **FindSpec("match_parens"); }

std::string FileWith(const std::string& name, const std::string& content) {
  const std::string path = testing::TempDir() + name;
  std::ofstream(path, std::ios::binary) << content;
  return path;
}

absl::StatusOr<LoadedCase> Load(const std::string& path,
                                const std::string& kinds) {
  return LoadCase(Spec(), {{{"input", path}}, {{"kinds", kinds}}, {}});
}

TEST(MatchParensFiles, TextIsTakenAsItIs) {
  const auto loaded = Load(FileWith("text.txt", "(a [b])\n"), "()[]");
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  const HostArray& in = loaded->value.inputs.at("in");
  EXPECT_EQ(in.type(), ElementType::kUInt8);
  EXPECT_EQ(in.size(), 8);
  EXPECT_EQ(Load(FileWith("empty.txt", ""), "()")->value.inputs.at("in").size(),
            0);
}

TEST(MatchParensFiles, NumbersOfAnyWidth) {
  const std::string path = testing::TempDir() + "numbers.npy";
  ASSERT_TRUE(WriteArray(path, HostArray::Of<std::int64_t>({1, -1, 0})).ok());
  const auto loaded = Load(path, "()");
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_EQ(loaded->value.inputs.at("in"),
            HostArray::Of<std::int8_t>({1, -1, 0}));
}

TEST(MatchParensFiles, BracketsOutsideTheKindsAreRefused) {
  const auto text = Load(FileWith("outside.txt", "(a[0])"), "()");
  EXPECT_THAT(text.status().message(), HasSubstr("element 2 is '['"));
  const std::string path = testing::TempDir() + "outside.npy";
  ASSERT_TRUE(WriteArray(path, HostArray::Of<std::int8_t>({1, 2, -1})).ok());
  const auto numbers = Load(path, "()");
  EXPECT_THAT(numbers.status().message(), HasSubstr("element 1 is 2"));
  ASSERT_TRUE(
      WriteArray(path, HostArray::Of<std::uint64_t>({1, ~std::uint64_t{0}}))
          .ok());
  EXPECT_THAT(Load(path, "()").status().message(),
              HasSubstr("element 1 is 18446744073709551615"));
  ASSERT_TRUE(WriteArray(path, HostArray::Of<float>({1})).ok());
  EXPECT_THAT(Load(path, "()").status().message(), HasSubstr("float32"));
  EXPECT_EQ(Load(testing::TempDir() + "none.txt", "()").status().code(),
            absl::StatusCode::kNotFound);
}

TEST(MatchParensFiles, TheVerdictIsALine) {
  const FileFormat& files = FileFormatOf(Spec().algorithm());
  const std::string path = testing::TempDir() + "verdict.txt";
  EXPECT_TRUE(files.Saves(path));
  EXPECT_FALSE(files.Saves(testing::TempDir() + "verdict.npy"));
  for (const std::int64_t fault : {-1, 12}) {
    Results results;
    results.emplace("fault", HostArray::Of<std::int64_t>({fault}));
    ASSERT_TRUE(files.Save(results, path).ok());
    std::string line;
    std::getline(std::ifstream(path) >> std::ws, line);
    EXPECT_EQ(line, fault < 0 ? "balanced" : "unbalanced at 12");
  }
}

}  // namespace
}  // namespace concord
