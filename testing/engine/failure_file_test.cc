// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/testing/engine/failure_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <clocale>
#include <cstring>
#include <limits>

#include "absl/strings/str_replace.h"
#include "concord/core/registry.h"
#include "concord/testing/support/fake_algorithm.h"

namespace concord {
namespace {

using testing::HasSubstr;
using testing::Not;

template <typename T, typename Bits>
T FromBits(Bits bits) {
  T value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

// A variant with an option for tuning.
class Tuned : public FakeBroken {
 public:
  absl::Status Compute(ConstArrayView, ArrayView, const Options&) override {
    return absl::OkStatus();
  }
};

const bool kRegistered = Registry<FakeBroken>::Get().Add<Tuned>(
    "serial", "tuned", /*rank=*/-1, "nothing", Contract(), /*requirement=*/{},
    {OptionSpec::Number("stride", "how far", 8, 1, 64)});

FailureRecord Example() {
  FailureRecord record;
  record.implementation = "fake_difference/serial/plain";
  record.kind = "wrong_result";
  record.message = "1 of 3 elements differs";
  record.trial.test_case = FakeCase(std::vector<std::int32_t>{5, -3, 8}, 7);
  record.trial.backend = "serial";
  record.trial.placement = "unaligned";
  record.trial.repetitions = 2;
  record.trial.also_on = {"inverted", "abacus"};
  return record;
}

TEST(FailureFile, RoundTripKeepsEverything) {
  FailureRecord record = Example();
  record.trial.law = "prefix";
  const auto path = SaveFailure(record, testing::TempDir() + "/some/where");
  ASSERT_TRUE(path.ok()) << path.status();
  EXPECT_THAT(*path, HasSubstr("fake_difference_serial_plain_"));
  const auto loaded = LoadFailure(*path);
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_EQ(loaded->implementation, record.implementation);
  EXPECT_EQ(loaded->kind, record.kind);
  EXPECT_EQ(loaded->message, record.message);
  EXPECT_EQ(loaded->trial.backend, "serial");
  EXPECT_EQ(loaded->trial.placement, "unaligned");
  EXPECT_EQ(loaded->trial.law, "prefix");
  EXPECT_EQ(loaded->trial.repetitions, 2);
  EXPECT_EQ(loaded->trial.also_on, record.trial.also_on);
  EXPECT_EQ(loaded->trial.test_case.label, "by hand");
  EXPECT_EQ(loaded->trial.test_case.type, ElementType::kInt32);
  EXPECT_EQ(loaded->trial.test_case.options, record.trial.test_case.options);
  EXPECT_EQ(loaded->trial.test_case.inputs, record.trial.test_case.inputs);
}

// Element by element the same bits, in every type.
TEST(FailureFile, RoundTripKeepsEveryBit) {
  FailureRecord record = Example();
  auto& inputs = record.trial.test_case.inputs;
  const auto add_extremes = [&](auto tag) {
    using T = typename decltype(tag)::type;
    using Limits = std::numeric_limits<T>;
    inputs.emplace(
        std::string(Name(ElementTypeOf<T>())),
        HostArray::Of<T>({Limits::lowest(), Limits::max(), Limits::min(),
                          Limits::denorm_min(), static_cast<T>(-0.0),
                          Limits::infinity(), -Limits::infinity(),
                          Limits::epsilon(), T{0}}));
  };
  for (ElementType type : AllElementTypes()) Dispatch(type, add_extremes);
  inputs.emplace("nan32",
                 HostArray::Of<float>({FromBits<float>(0x7fc00001u),
                                       FromBits<float>(0xff800001u), 0.1f}));
  inputs.emplace(
      "nan64",
      HostArray::Of<double>(
          {FromBits<double>(std::uint64_t{0xfff8deadbeef0001u}), 0.1}));
  HostArray matrix(ElementType::kInt8, {2, 3});
  std::memset(matrix.data<char>(), 1, 6);
  inputs.emplace("matrix", matrix);
  const auto loaded = ParseFailure(FormatFailure(record), "text");
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_EQ(loaded->trial.test_case.inputs, inputs);
}

TEST(FailureFile, NumbersHaveAPointInEveryLocale) {
  const char* comma = nullptr;
  for (const char* const name :
       {"de_DE.UTF-8", "fr_FR.UTF-8", "es_ES.UTF-8", "ru_RU.UTF-8"}) {
    if (comma == nullptr) comma = std::setlocale(LC_NUMERIC, name);
  }
  if (comma == nullptr) {
    GTEST_SKIP() << "no locale with a decimal comma is installed";
  }
  FailureRecord record = Example();
  auto& inputs = record.trial.test_case.inputs;
  inputs.emplace("single", HostArray::Of<float>({0.1f, -2.5f, 3.0f}));
  inputs.emplace("double", HostArray::Of<double>({0.1, -2.5, 3.0}));
  const auto loaded = ParseFailure(FormatFailure(record), "text");
  std::setlocale(LC_NUMERIC, "C");
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_EQ(loaded->trial.test_case.inputs, inputs);
}

TEST(FailureFile, NoNumberBeyondItsType) {
  FailureRecord record = Example();
  record.trial.test_case.inputs.emplace("x", HostArray::Of<float>({1.5f}));
  const std::string text = FormatFailure(record);
  for (const char* const wrong : {"1e39", "-1e39", "infinite", "nan", "1,5"}) {
    EXPECT_FALSE(
        ParseFailure(absl::StrReplaceAll(text, {{"1.5", wrong}}), "text").ok())
        << wrong;
  }
}

TEST(FailureFile, LargeCasesAreSavedAsTheirRequest) {
  FailureRecord record = Example();
  const CaseRequest request = {kMostElementsInFile + 1,
                               ElementType::kInt32,
                               "uniform",
                               {{"lag", "7"}},
                               12345};
  record.trial.test_case = *FakeSpec().Generate(request);
  record.trial.request = request;
  const std::string text = FormatFailure(record);
  EXPECT_LT(text.size(), 1000);
  const auto loaded = ParseFailure(text, "text");
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_EQ(loaded->trial.test_case.inputs, record.trial.test_case.inputs);
  EXPECT_EQ(loaded->trial.request->seed, 12345);
}

// A build that lacks the variant which has the option knows no such option.
TEST(FailureFile, TuningOptionsAreThoseOfTheImplementation) {
  FailureRecord record = Example();
  record.implementation = "fake_broken/serial/plain";
  record.trial.test_case.options["stride"] = "16";
  EXPECT_THAT(FormatFailure(record), Not(HasSubstr("stride")));
  const auto loaded = ParseFailure(FormatFailure(record), "text");
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_EQ(loaded->trial.test_case.options.at("stride"), "8");

  record.implementation = "fake_broken/serial/tuned";
  const auto tuned = ParseFailure(FormatFailure(record), "text");
  ASSERT_TRUE(tuned.ok()) << tuned.status();
  EXPECT_EQ(tuned->trial.test_case.options.at("stride"), "16");
}

TEST(FailureFile, ARequestHasTheTuningOptionsOfTheImplementation) {
  FailureRecord record = Example();
  record.implementation = "fake_broken/serial/plain";
  record.trial.test_case.inputs.clear();
  record.trial.request = {
      5, ElementType::kInt32, "uniform", {{"lag", "7"}, {"stride", "16"}}, 1};
  EXPECT_THAT(FormatFailure(record), Not(HasSubstr("stride")));
  record.implementation = "fake_broken/serial/tuned";
  EXPECT_THAT(FormatFailure(record), HasSubstr("stride"));
}

TEST(FailureFile, WhatIsNoFailureFileIsAnErrorThatNamesIt) {
  EXPECT_EQ(LoadFailure("/no/such/file").status().message(),
            "cannot read /no/such/file: No such file or directory");
  EXPECT_THAT(std::string(ParseFailure("{", "a.json").status().message()),
              HasSubstr("'a.json' is not a saved failure: parse error at "));
  EXPECT_FALSE(ParseFailure("{\"format\": 3}", "a.json").ok());
  EXPECT_FALSE(ParseFailure("[1, 2]", "a.json").ok());
  std::string text = FormatFailure(Example());
  text.replace(text.find("-3"), 2, "5000000000");
  EXPECT_THAT(std::string(ParseFailure(text, "a.json").status().message()),
              HasSubstr("a value that is no int32"));
}

}  // namespace
}  // namespace concord
