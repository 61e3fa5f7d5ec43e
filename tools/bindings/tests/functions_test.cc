// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Options of the C interface that are functions of the caller's.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "concord/tools/bindings/concord.h"
#include "concord/tools/bindings/tests/interface_fixture.h"

namespace concord {
namespace {

using testing::HasSubstr;

// A call whose option is a function of the caller's.
struct FunctionCall {
  const char* algorithm;
  std::vector<const char*> options;
  std::vector<std::int32_t> wanted;  // of 3 1 4 1 5
};

class Functions : public testing::TestWithParam<FunctionCall> {
 protected:
  void SetUp() override {
    ASSERT_EQ(MessageOf(concord_backend_open("tbb:2", &backend_)), "");
  }
  void TearDown() override {
    concord_plan_free(plan_);
    concord_kernel_free(kernel_);
    concord_backend_free(backend_);
  }

  std::string Create(const char* algorithm, std::vector<const char*> options,
                     const char* variant = "") {
    return MessageOf(concord_kernel_create(backend_, algorithm, variant,
                                           options.data(), options.size(),
                                           &kernel_));
  }
  std::string Plan(const char* input) {
    const concord_array in = ArrayOf(input, values_, size_);
    return MessageOf(concord_kernel_plan(kernel_, &in, 1, &plan_));
  }

  std::vector<std::int32_t> values_ = {3, 1, 4, 1, 5};
  const std::int64_t size_ = 5;
  concord_backend* backend_ = nullptr;
  concord_kernel* kernel_ = nullptr;
  concord_plan* plan_ = nullptr;
};

// The arrays are those of the algorithm, the implementation is one that runs
// programs.
TEST_P(Functions, AreOptions) {
  ASSERT_EQ(Create(GetParam().algorithm, GetParam().options), "");
  const char* name = nullptr;
  ASSERT_EQ(MessageOf(concord_kernel_name(kernel_, &name)), "");
  EXPECT_THAT(name, testing::StartsWith("sequence/tbb/"));
  ASSERT_EQ(Plan("in"), "");
  std::size_t count = 0;
  ASSERT_EQ(MessageOf(concord_plan_output_count(plan_, &count)), "");
  std::vector<concord_array> outputs(count);
  std::vector<std::int32_t> results(5);
  std::int64_t size = 0;
  for (std::size_t i = 0; i < count; ++i) {
    ASSERT_EQ(MessageOf(concord_plan_output(plan_, i, &outputs[i])), "");
    const bool is_count = outputs[i].name == std::string("count");
    if (!is_count) size = outputs[i].shape[0];
    outputs[i].data = is_count ? static_cast<void*>(&size) : results.data();
  }
  const concord_array in = ArrayOf("in", values_, size_);
  ASSERT_EQ(MessageOf(concord_kernel_run(kernel_, &in, 1, outputs.data(),
                                         outputs.size())),
            "");
  results.resize(static_cast<std::size_t>(size));
  EXPECT_EQ(results, GetParam().wanted);
}

INSTANTIATE_TEST_SUITE_P(
    Algorithms, Functions,
    testing::Values(
        FunctionCall{"reduce", {"op=a > b ? a : b"}, {5}},
        FunctionCall{
            "scan", {"op=max(a, b)", "kind=inclusive"}, {3, 3, 4, 4, 5}},
        FunctionCall{"scan", {"op=a+b"}, {0, 3, 4, 8, 9}},
        FunctionCall{"compact", {"keep=x % 3 == 1"}, {1, 4, 1}},
        FunctionCall{"transform", {"op=d = x - 3; d * d"}, {0, 4, 1, 4, 4}}),
    [](const auto& info) {
      return std::string(info.param.algorithm) + std::to_string(info.index);
    });

// Mistakes are told in the words of the algorithm that was asked for.
using FunctionMistakes = Functions;
TEST_F(FunctionMistakes, AreToldAsWithoutFunctions) {
  EXPECT_THAT(Create("reduce", {"op=sum"}), HasSubstr("--op takes one of add"));
  EXPECT_THAT(Create("scan", {"op=a + b", "kind=neither"}),
              HasSubstr("--kind takes one of"));
  EXPECT_THAT(Create("compact", {"keep=x > 1", "output-indices"}),
              HasSubstr("unknown option --output-indices; the options here are "
                        "--keep"));
  EXPECT_THAT(Create("reduce", {"op=a + b"}, "fastest"),
              HasSubstr("no implementation tbb/fastest"));
  ASSERT_EQ(Create("reduce", {"op=a + b"}), "");
  EXPECT_THAT(Plan("x"), HasSubstr("there is no input 'x'"));
  const concord_array in = ArrayOf("in", values_, size_);
  EXPECT_THAT(MessageOf(concord_kernel_run(kernel_, nullptr, 0, nullptr, 0)),
              HasSubstr("the input 'in' is not given"));
  EXPECT_THAT(MessageOf(concord_kernel_run(kernel_, &in, 1, nullptr, 0)),
              HasSubstr("the output 'out' is not given"));
}

// The program that computes a call has one stage.
TEST_F(FunctionMistakes, AreStagesOfAProgram) {
  for (const auto& [algorithm, option] :
       std::vector<std::pair<const char*, const char*>>{
           {"reduce", "op=a + b |> map x * 2"},
           {"scan", "op=(a + b)|>count"},
           {"compact", "keep=x > 3 |> reduce a + b"},
           {"transform", "op=x -> { d = x; d * d } |> take 2"}}) {
    EXPECT_THAT(Create(algorithm, {option}),
                HasSubstr("takes one function; '|>' begins another stage"))
        << option;
  }
}

// Whatever the algorithm may do without one.
TEST_F(FunctionMistakes, WriteOverAnInput) {
  for (const auto& [algorithm, option] :
       std::vector<std::pair<const char*, const char*>>{
           {"scan", "op=max(a, b)"}, {"transform", "op=x * x"}}) {
    ASSERT_EQ(Create(algorithm, {option}), "");
    const concord_array in = ArrayOf("in", values_, size_);
    concord_array out = in;
    out.name = "out";
    EXPECT_THAT(MessageOf(concord_kernel_run(kernel_, &in, 1, &out, 1)),
                HasSubstr("'in' and 'out' share memory"));
    concord_kernel_free(kernel_);
    kernel_ = nullptr;
  }
}

TEST_F(FunctionMistakes, GiveOneValue) {
  ASSERT_EQ(Create("transform", {"op=(x, x + 1)"}), "");
  EXPECT_THAT(Plan("in"),
              HasSubstr("--op takes a function that gives one value"));
}

}  // namespace
}  // namespace concord
