// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// What an implementation keeps from call to call shows in no result: one object
// gets inputs by turns that nothing but their digits tells apart, and calls of
// other kinds between them.

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "concord/algorithms/look_and_say/look_and_say.h"
#include "concord/core/backend.h"
#include "concord/core/registry.h"
#include "concord/testing/support/named_backends.h"

namespace concord::look_and_say {
namespace {

using Options = LookAndSay::Options;

class LookAndSayKeeps : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    backend_ = OpenOrSkip(BackendIn(GetParam()));
    if (backend_ == nullptr) return;
    implementation_ = ValueOf(
        Registry<LookAndSay>::Get().Create(backend_, VariantIn(GetParam())));
    in_ = ValueOf(backend_->Allocate(ElementType::kUInt8, kRoom));
    out_ = ValueOf(backend_->Allocate(ElementType::kUInt8, kRoom));
  }

  // Has the part of the term written to an odd address, and compares.
  void Expect(absl::string_view digits, const Options& options) {
    const std::string expected =
        ValueOf(ComputeLookAndSay(Open("serial"), digits, options));
    std::vector<std::uint8_t> seed;
    for (const char digit : digits) {
      seed.push_back(static_cast<std::uint8_t>(digit - '0'));
    }
    const auto size = static_cast<std::int64_t>(expected.size());
    const ArrayView in =
        in_.view().Slice(0, static_cast<std::int64_t>(seed.size()));
    ASSERT_TRUE(backend_->Copy(absl::MakeConstSpan(seed), in).ok());
    const ArrayView out = out_.view().Slice(1, size);
    std::vector<std::uint8_t> written(expected.size(), 0xff);
    ASSERT_TRUE(backend_->Copy(absl::MakeConstSpan(written), out).ok());
    const absl::Status status = implementation_->Run(in, out, options);
    ASSERT_TRUE(status.ok()) << status;
    ASSERT_TRUE(backend_->Copy(out, absl::MakeSpan(written)).ok());
    for (std::uint8_t& digit : written) digit += '0';
    EXPECT_EQ(std::string(written.begin(), written.end()), expected)
        << digits << ", " << options.steps << " steps";
  }

  static constexpr std::int64_t kRoom = std::int64_t{1} << 17;

  std::shared_ptr<Backend> backend_;
  std::unique_ptr<LookAndSay> implementation_;
  Array in_;
  Array out_;
};

Options Part(std::int64_t steps, std::int64_t from, std::int64_t count) {
  Options options;
  options.steps = steps;
  options.from = from;
  options.count = count;
  return options;
}

TEST_P(LookAndSayKeeps, NothingOfAnInputOfTheSameSize) {
  for (const std::int64_t steps : {20, 27, 40}) {
    for (const char* digits :
         {"1", "1", "3", "2", "2", "1", "9", "7", "7", "1"}) {
      Expect(digits, Part(steps, 0, 200));
    }
    for (const char* digits : {"1113", "3211", "3211", "1113", "4040"}) {
      Expect(digits, Part(steps, 77, 123));
    }
  }
}

TEST_P(LookAndSayKeeps, NothingOfOtherOptions) {
  for (int turn = 0; turn < 2; ++turn) {
    for (const std::int64_t steps : {20, 21, 33, 3, 20, 36}) {
      Expect("312", Part(steps, 0, LookAndSay::kAll));
      Expect("312", Part(steps, 5, 20));
      Expect("213", Part(steps, 5, 20));
    }
    Options symbols = Part(30, 0, 1000);
    symbols.counts = LookAndSay::Counts::kSymbol;
    Expect("8111111111111", symbols);
    Expect("8111111111111", Part(30, 0, 1000));
  }
}

// 0 to 127 digits are few, for what compares them on a GPU, and 129 many.
TEST_P(LookAndSayKeeps, NothingOfLongInputs) {
  for (const std::size_t size : {1, 31, 127, 128, 129, 500}) {
    std::string digits;
    for (std::size_t i = 0; i < size; ++i) {
      digits += static_cast<char>('1' + i * i % 3);
    }
    std::string other = digits;
    other.back() = other.back() == '3' ? '1' : '3';
    for (const std::string& in : {digits, digits, other, digits, other}) {
      Expect(in, Part(20, 0, 150));
    }
  }
}

TEST_P(LookAndSayKeeps, NothingOfACallThatFailed) {
  Expect("1", Part(30, 0, 100));
  const std::vector<std::uint8_t> seed = {1};
  ASSERT_TRUE(
      backend_->Copy(absl::MakeConstSpan(seed), in_.view().Slice(0, 1)).ok());
  EXPECT_FALSE(implementation_
                   ->Run(in_.view().Slice(0, 1), out_.view().Slice(0, 99),
                         Part(30, 0, 100))
                   .ok());
  Expect("1", Part(30, 0, 100));
  Expect("2", Part(30, 0, 100));
}

INSTANTIATE_TEST_SUITE_P(Implementations, LookAndSayKeeps,
                         ::testing::Values("tbb:2/atoms", "tbb:2/steps",
                                           "cuda/atoms", "cuda/lookback",
                                           "gpus:0/atoms", "gpus:0+0/atoms"),
                         [](const auto& info) {
                           std::string name = TestName(info.param);
                           for (char& c : name) {
                             if (c == '+') c = '_';
                           }
                           return name;
                         });

}  // namespace
}  // namespace concord::look_and_say
