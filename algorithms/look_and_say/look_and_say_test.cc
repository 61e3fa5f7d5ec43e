// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/algorithms/look_and_say/look_and_say.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "concord/algorithms/look_and_say/look_and_say_atoms.h"
#include "concord/core/backend.h"
#include "concord/core/registry.h"
#include "concord/core/spec.h"
#include "concord/testing/support/differential.h"
#include "concord/testing/support/named_backends.h"

namespace concord::look_and_say {
namespace {

using ::testing::HasSubstr;
using Counts = LookAndSay::Counts;
using Options = LookAndSay::Options;

const bool kDifferential = AddDifferentialSuite("look_and_say");

Options Steps(std::int64_t steps, Counts counts = Counts::kDecimal) {
  Options options;
  options.steps = steps;
  options.counts = counts;
  return options;
}

Options LengthAfter(std::int64_t steps) {
  Options options = Steps(steps);
  options.length_only = true;
  return options;
}

// Every CPU implementation: "tbb:3/atoms".
class LookAndSayOn : public ::testing::TestWithParam<std::string> {
 protected:
  absl::StatusOr<std::string> Try(absl::string_view digits,
                                  const Options& options) {
    return ComputeLookAndSay(Open(BackendIn(GetParam())), digits, options,
                             VariantIn(GetParam()));
  }
  std::string Say(absl::string_view digits, const Options& options) {
    return ValueOf(Try(digits, options));
  }
  std::unique_ptr<LookAndSay> Implementation() {
    return *Registry<LookAndSay>::Get().Create(Open(BackendIn(GetParam())),
                                               VariantIn(GetParam()));
  }
};

INSTANTIATE_TEST_SUITE_P(Implementations, LookAndSayOn,
                         ::testing::Values("serial/reference", "tbb:1/atoms",
                                           "tbb:3/atoms", "tbb:1/steps",
                                           "tbb:3/steps"),
                         NameOfParameter);

// OEIS A005150.
TEST_P(LookAndSayOn, FirstTermsOfTheSequence) {
  const char* const terms[] = {"1",      "11",     "21",       "1211",
                               "111221", "312211", "13112221", "1113213211"};
  for (int i = 0; i < 8; ++i) EXPECT_EQ(Say("1", Steps(i)), terms[i]);
}

// OEIS A005341: how many digits term n has.
TEST_P(LookAndSayOn, LengthsOfTheSequence) {
  const int lengths[] = {1,  2,  2,  4,  6,   6,   8,   10,  14,  20, 26,
                         34, 46, 62, 78, 102, 134, 176, 226, 302, 408};
  for (int i = 0; i < 21; ++i) {
    EXPECT_EQ(Say("1", LengthAfter(i)), std::to_string(lengths[i])) << i + 1;
    EXPECT_EQ(Say("1", Steps(i)).size(), lengths[i]) << i + 1;
  }
  EXPECT_EQ(Say("1", LengthAfter(48)), "686646");
  EXPECT_EQ(Say("1", LengthAfter(49)), "894810");
  EXPECT_EQ(Say("1", Steps(49)).size(), 894'810u);
}

// Advent of Code 2015, day 10: lengths after 40 and 50 steps, for the inputs of
// several people; its example, and the one of "Look-and-say: [Alea.]CUDA".
TEST_P(LookAndSayOn, AdventOfCode) {
  EXPECT_EQ(Say("1113122113", Steps(1)), "311311222113");
  const char* const lengths[][3] = {{"1113222113", "252594", "3579328"},
                                    {"1113122113", "360154", "5103798"},
                                    {"3113322113", "329356", "4666278"},
                                    {"1321131112", "492982", "6989950"}};
  for (const auto& [seed, after_40, after_50] : lengths) {
    EXPECT_EQ(Say(seed, LengthAfter(40)), after_40);
    EXPECT_EQ(Say(seed, LengthAfter(50)), after_50);
  }
}

TEST_P(LookAndSayOn, TwentyTwoStaysAndNothingStaysNothing) {
  EXPECT_EQ(Say("22", Steps(100)), "22");
  EXPECT_EQ(Say("", Steps(100)), "");
  EXPECT_EQ(Say("", LengthAfter(3)), "0");
  EXPECT_EQ(Say("4711", Steps(0)), "4711");
}

TEST_P(LookAndSayOn, CountsOfTenAndMore) {
  const std::string twelve(12, '1');
  EXPECT_EQ(Say(twelve + "20", Steps(1)), "1211210");
  EXPECT_EQ(Say(twelve + "20", Steps(1, Counts::kSymbol)), "12 1 1 2 1 0");
  EXPECT_EQ(Say(std::string(100'000, '0'), Steps(1)), "1000000");
}

// A number of that many ones is itself a run of so many that its count has two
// digits.
TEST_P(LookAndSayOn, CountsOfTheSecondStepCanHaveTwoDigits) {
  std::string ones(11'111'111, '1');
  EXPECT_EQ(Say(ones + "2", Steps(2)), "10112");
}

TEST_P(LookAndSayOn, PartsOfTheResult) {
  Options options = Steps(7);
  options.from = 2;
  options.count = 5;
  EXPECT_EQ(Say("1", options), "13213");
  options.count = LookAndSay::kAll;
  EXPECT_EQ(Say("1", options), "13213211");
  options.from = 10;
  EXPECT_EQ(Say("1", options), "");
}

TEST_P(LookAndSayOn, RefusesWhatItsInterfaceSays) {
  EXPECT_THAT(
      Try("1", Steps(-1)).status().message(),
      HasSubstr("--steps takes a whole number from 0 to 10000, not '-1'"));
  EXPECT_THAT(Try("12x", Steps(1)).status().message(),
              HasSubstr("character 3 is 'x', not a digit"));
  EXPECT_THAT(
      Try(std::string(300, '1'), Steps(1, Counts::kSymbol)).status().message(),
      HasSubstr("a run of 300 equal digits"));
  Options options = Steps(7);
  options.from = 11;
  EXPECT_THAT(Try("1", options).status().message(),
              HasSubstr("the result has 10 digits; none is at 11"));

  const std::unique_ptr<LookAndSay> implementation = Implementation();
  const std::vector<std::uint8_t> in = {1};
  for (const int steps : {3, 30}) {
    std::vector<std::uint8_t> out(5);
    EXPECT_THAT(
        implementation
            ->Run(absl::MakeConstSpan(in), absl::MakeSpan(out), Steps(steps))
            .message(),
        HasSubstr("'out' must have"));
    EXPECT_THAT(implementation
                    ->Run(absl::MakeConstSpan(in), absl::MakeSpan(out),
                          LengthAfter(steps))
                    .message(),
                HasSubstr("'out' must have elements of type int64"));
  }
  // Room for all digits, of which three are wanted.
  options.from = 0;
  options.count = 3;
  std::vector<std::uint8_t> all(10);
  EXPECT_THAT(
      implementation->Run(absl::MakeConstSpan(in), absl::MakeSpan(all), options)
          .message(),
      HasSubstr("'out' must have 3 elements, not 10"));
}

// Nothing is looked at: only one of the digits is there.
TEST_P(LookAndSayOn, RefusesAStepThatMemoryHasNoRoomFor) {
  // The output lies before the digits, which would go on for 2^45 bytes.
  std::uint8_t bytes[2] = {0, 1};
  const ConstArrayView in(&bytes[1], std::int64_t{1} << 45, Memory::Host());
  const absl::Status status = Implementation()->Run(
      in, ArrayView(&bytes[0], 1, Memory::Host()), Steps(19));
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(status.message(),
              HasSubstr("after 0 of 19 steps there are 35184372088832 digits, "
                        "more than memory has room to go on with"));
}

TEST(LookAndSaySpec, ComputesNothingInVain) {
  const AlgorithmSpec& spec = **FindSpec("look_and_say");
  const Case test_case = MakeCase(
      "",
      *CompleteOptions(spec.options(),
                       {{"steps", "200"}, {"from", "50"}, {"count", "20"}}),
      HostArray::Of<std::uint8_t>({1}));
  EXPECT_TRUE(spec.OutputsOf(test_case).ok());
  const absl::Status status = spec.Expected(test_case).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(status.message(),
              HasSubstr("after 200 of 200 steps there are more than 2^63 - 1 "
                        "digits, more than memory has room"));
}

// Conway, "The weird and wonderful chemistry of audioactive decay": what the
// element uranium, "3", decays into are the 92 elements, all of them.
TEST(Atoms, ThereAreNinetyTwoElements) {
  for (const Counts counts : {Counts::kDecimal, Counts::kSymbol}) {
    AtomTable table(counts);
    const std::vector<std::uint8_t> uranium = {3};
    ASSERT_TRUE(table.Split(uranium).has_value());
    EXPECT_EQ(table.size(), 92);
    // And two for each digit past 3.
    for (const std::uint8_t digit : {0, 4, 5, 6, 7, 8, 9}) {
      std::vector<std::uint8_t> plutonium =
          *ParseDigits("31221132221222112112322211");
      plutonium.push_back(digit);
      ASSERT_TRUE(table.Split(plutonium).has_value());
    }
    EXPECT_EQ(table.size(), 92 + 2 * 7);
  }
}

// The theorem's bound on how long that takes is 24 steps.
TEST(Atoms, EverythingBecomesElements) {
  AtomTable elements(Counts::kDecimal);
  ASSERT_TRUE(elements.Split(std::vector<std::uint8_t>{3}).has_value());
  AtomTable table(Counts::kDecimal);
  for (const char* seed : {"1", "121333221123", "1111111111113", "333123331"}) {
    const std::vector<std::uint8_t> digits = *ParseDigits(seed);
    const auto plan = LookAndSayPlan::Make(digits, 60, table);
    ASSERT_TRUE(plan.has_value());
    for (const int atom : plan->AtomsAfter(24)) {
      const int known = elements.size();
      ASSERT_TRUE(elements.Split(table.DigitsOf(atom)).has_value());
      EXPECT_EQ(elements.size(), known) << seed;
    }
  }
}

// OEIS A005341 up to term 71; term 100, and a length past 64 bits, by the same
// sequence's growth: the ratio of neighbours is Conway's constant.
TEST(LookAndSayAtoms, LengthsOfDistantTerms) {
  const auto length = [](std::int64_t term) {
    return *ComputeLookAndSay(Open("tbb"), "1", LengthAfter(term - 1));
  };
  EXPECT_EQ(length(60), "12680852");
  EXPECT_EQ(length(70), "179691598");
  EXPECT_EQ(length(71), "234241786");
  EXPECT_EQ(length(100), "511247092564");
  const std::string long_one = length(1000);
  EXPECT_EQ(long_one.size(), 116u);
  EXPECT_NEAR(std::stod(length(1001)) / std::stod(long_one), 1.3035772690342963,
              1e-12);
}

TEST(LookAndSayAtoms, PartOfATermThatNoMemoryHolds) {
  // Term 103 has 1.1e12 digits, and its first ones are those of any term three
  // or six steps earlier (Conway's starting theorem).
  Options options = Steps(102);
  options.count = 1'000'000;
  const std::string far = *ComputeLookAndSay(Open("tbb"), "1", options);
  options = Steps(60);
  options.count = 1'000'000;
  EXPECT_EQ(far, *ComputeLookAndSay(Open("tbb"), "1", options));

  // Neighbouring parts overlap where they should.
  options = Steps(102);
  options.from = 1'000'000'000'000;
  options.count = 300'000;
  const std::string part = *ComputeLookAndSay(Open("tbb"), "1", options);
  options.from += 123'456;
  options.count -= 123'456;
  EXPECT_EQ(part.substr(123'456),
            *ComputeLookAndSay(Open("tbb"), "1", options));
}

TEST(LookAndSayAtoms, NoPartGoesPastWhatInt64Counts) {
  Options options = Steps(200);
  options.from = LookAndSay::kAll - 7;
  options.count = 7;
  const std::string last = *ComputeLookAndSay(Open("tbb"), "1", options);
  EXPECT_EQ(last.size(), 7u);
  const std::unique_ptr<LookAndSay> atoms =
      *Registry<LookAndSay>::Get().Create(Open("tbb"), "atoms");
  const std::vector<std::uint8_t> in = {1};
  std::vector<std::uint8_t> out(7);
  const std::int64_t from = options.from;
  using Part = std::pair<std::int64_t, std::int64_t>;
  for (const auto& [first, count] :
       {Part{from, 8}, {from, LookAndSay::kAll}, {0, LookAndSay::kAll}}) {
    options.from = first;
    options.count = count;
    for (const absl::Status& status :
         {OutputOfLookAndSay(in, options).status(),
          ComputeLookAndSay(Open("tbb"), "1", options).status(),
          atoms->Run(absl::MakeConstSpan(in), absl::MakeSpan(out), options)}) {
      EXPECT_EQ(status.code(), absl::StatusCode::kOutOfRange);
      EXPECT_THAT(status.message(),
                  HasSubstr("the result has more than 2^63 - 1 digits"));
    }
  }
}

}  // namespace
}  // namespace concord::look_and_say
