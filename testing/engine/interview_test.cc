// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/testing/engine/interview.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "concord/core/file.h"
#include "concord/testing/engine/failure_file.h"

namespace concord {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

// Letters that are cut into parts, a weight for each of `t` columns of two
// rows, and the option t.
Description Ragged() {
  Description description;
  description.name = "ragged";
  description.inputs = {
      {"letters", {ElementType::kUInt8}, {"n"}, 0.0, 3.0, ""},
      {"starts", {ElementType::kInt64}, {"parts"}, {}, {}, "n"},
      {"weights", {ElementType::kInt32}, {"2", "t"}, -5.0, 5.0, ""}};
  description.options = {
      {OptionSpec::Number("t", "", 1, 1, 4), {"1", "2", "4"}},
      {OptionSpec::Switch("fast", ""), {"no", "yes"}}};
  description.largest_size = 200;
  return description;
}

Description OneArray() {
  Description description;
  description.name = "one_array";
  description.inputs = {
      {"x", {ElementType::kInt32, ElementType::kFloat64}, {"n"}, {}, {}, ""}};
  return description;
}

std::unique_ptr<DescribedSpec> SpecOf(Description description) {
  return *DescribedSpec::Create(std::move(description));
}

// Fails, as a wrong value, exactly when `bad` says so. Gives how many cases
// there were.
int Answer(Interview& interview, const std::function<bool(const Case&)>& bad) {
  int asked = 0;
  while (const std::optional<Case> test_case = interview.Next()) {
    ++asked;
    std::optional<Failure> failure;
    if (bad(*test_case)) failure = Failure{FailureKind::kValue, "bad"};
    interview.Answer(std::move(failure));
  }
  return asked;
}

InterviewOptions WithoutFiles() {
  InterviewOptions options;
  options.investigation.save = false;
  return options;
}

template <typename T>
std::vector<T> ValuesOf(const Case& test_case, const std::string& input) {
  const auto values = test_case.inputs.at(input).span<T>();
  return {values.begin(), values.end()};
}

TEST(Interview, AsksAboutCasesOfTheDescriptionAlone) {
  Interview interview(SpecOf(Ragged()), WithoutFiles());
  std::set<std::size_t> sizes;
  std::set<std::string> options;
  const int asked = Answer(interview, [&](const Case& test_case) {
    EXPECT_TRUE(interview.spec().OutputsOf(test_case).ok())
        << interview.spec().OutputsOf(test_case).status();
    sizes.insert(ValuesOf<std::uint8_t>(test_case, "letters").size());
    options.insert(ToString(test_case.options));
    return false;
  });
  EXPECT_FALSE(interview.found().has_value());
  EXPECT_EQ(interview.progress().executed, asked);
  EXPECT_EQ(interview.progress().planned, asked);
  EXPECT_THAT(sizes, ::testing::IsSupersetOf({0u, 1u, 2u, 127u, 128u, 129u}));
  EXPECT_EQ(options.size(), 6);
}

TEST(Interview, ShrinksAlongExtentsOffsetsAndOptions) {
  Interview interview(SpecOf(Ragged()), WithoutFiles());
  // Some part has two letters, and is not the first.
  Answer(interview, [](const Case& test_case) {
    const auto starts = ValuesOf<std::int64_t>(test_case, "starts");
    for (std::size_t i = 2; i < starts.size(); ++i) {
      if (starts[i] - starts[i - 1] >= 2) return true;
    }
    return false;
  });
  ASSERT_TRUE(interview.found().has_value());
  const Case& smallest = interview.found()->record.trial.test_case;
  EXPECT_THAT(ValuesOf<std::uint8_t>(smallest, "letters"), ElementsAre(0, 0));
  EXPECT_THAT(ValuesOf<std::int64_t>(smallest, "starts"), ElementsAre(0, 0, 2));
  EXPECT_THAT(ValuesOf<std::int32_t>(smallest, "weights"), ElementsAre(0, 0));
  EXPECT_EQ(smallest.options.at("t"), "1");
  EXPECT_EQ(smallest.options.at("fast"), "no");
  EXPECT_FALSE(interview.found()->limited);
}

TEST(Interview, ShrinksColumnsTogetherWithTheirOption) {
  Interview interview(SpecOf(Ragged()), WithoutFiles());
  Answer(interview, [](const Case& test_case) {
    return test_case.inputs.at("weights").shape()[1] >= 2 &&
           NumberOption(test_case.options, "t") >= 2;
  });
  const Case& smallest = interview.found()->record.trial.test_case;
  EXPECT_EQ(smallest.options.at("t"), "2");
  EXPECT_THAT(smallest.inputs.at("weights").shape(), ElementsAre(2, 2));
}

// The function may know no other, such as its sizes of blocks.
TEST(Interview, CallsWithTheValuesOfOptionsAlone) {
  Description description = OneArray();
  description.options = {
      {OptionSpec::Number("block", "", 32, 32, 128), {"128", "32", "64"}},
      {OptionSpec::Switch("fast", ""), {"yes"}}};
  for (const std::int64_t least : {32, 64, 128}) {
    Interview interview(SpecOf(description), WithoutFiles());
    std::set<std::int64_t> blocks;
    Answer(interview, [&](const Case& test_case) {
      EXPECT_EQ(test_case.options.at("fast"), "yes");
      const std::int64_t block = NumberOption(test_case.options, "block");
      blocks.insert(block);
      return block >= least && test_case.inputs.at("x").size() > 2;
    });
    EXPECT_THAT(blocks, ElementsAre(32, 64, 128));
    const Case& smallest = interview.found()->record.trial.test_case;
    EXPECT_EQ(NumberOption(smallest.options, "block"), least);
    EXPECT_EQ(smallest.inputs.at("x").size(), 3);
  }
}

TEST(Interview, ShrinksColumnsToTheValuesOfTheirOption) {
  Description description = Ragged();
  description.options[0] = {OptionSpec::Number("t", "", 3, 3, 17),
                            {"3", "5", "11", "17"}};
  for (const std::int64_t least : {3, 5, 11}) {
    Interview interview(SpecOf(description), WithoutFiles());
    Answer(interview, [&](const Case& test_case) {
      const std::int64_t t = NumberOption(test_case.options, "t");
      EXPECT_THAT(t, ::testing::AnyOf(3, 5, 11, 17));
      // The failure is in the last column.
      return t >= least && ValuesOf<std::int32_t>(test_case, "weights").back();
    });
    const Case& smallest = interview.found()->record.trial.test_case;
    EXPECT_EQ(NumberOption(smallest.options, "t"), least);
    EXPECT_THAT(smallest.inputs.at("weights").shape(), ElementsAre(2, least));
  }
}

TEST(Interview, KeepsValuesBetweenTheirBoundsWhileItShrinks) {
  Description description = Ragged();
  description.inputs[0].least = 2;
  Interview interview(SpecOf(description), WithoutFiles());
  Answer(interview, [](const Case& test_case) {
    const auto letters = ValuesOf<std::uint8_t>(test_case, "letters");
    for (const std::uint8_t letter : letters) EXPECT_GE(letter, 2);
    return std::count(letters.begin(), letters.end(), 3) > 0;
  });
  EXPECT_THAT(ValuesOf<std::uint8_t>(interview.found()->record.trial.test_case,
                                     "letters"),
              ElementsAre(3));
}

TEST(Interview, TriesEachTypeAndTheBoundaries) {
  Description description = OneArray();
  description.boundaries = {77};
  Interview interview(SpecOf(description), WithoutFiles());
  std::set<std::int64_t> sizes;
  std::set<ElementType> types;
  Answer(interview, [&](const Case& test_case) {
    sizes.insert(test_case.inputs.at("x").size());
    types.insert(test_case.inputs.at("x").type());
    return false;
  });
  EXPECT_EQ(types.size(), 2);
  EXPECT_THAT(sizes, ::testing::IsSupersetOf({76, 77, 78}));
}

TEST(Interview, SaysThatAFailureDoesNotComeAgain) {
  Interview interview(SpecOf(OneArray()), WithoutFiles());
  int asked = 0;
  Answer(interview, [&](const Case&) { return ++asked == 5; });
  EXPECT_THAT(interview.found()->Report(), HasSubstr("does not fail when run"));
}

TEST(Interview, SavedFailureIsAskedAboutAgain) {
  const std::string folder = ::testing::TempDir() + "/interview";
  const auto bad = [](const Case& test_case) {
    return test_case.inputs.at("x").size() >= 3;
  };
  InterviewOptions options;
  options.investigation.folder = folder;
  options.investigation.repeat = "again $FILE";
  std::string path;
  {
    Interview interview(SpecOf(OneArray()), options);
    Answer(interview, bad);
    path = interview.found()->path;
    EXPECT_THAT(interview.found()->Report(), HasSubstr("again " + path));
  }
  const auto spec = SpecOf(OneArray());
  const absl::StatusOr<FailureRecord> record = ParseFailureOf(
      {spec.get(), spec->AsImplementation()},
      FormatFailure(*ParseFailureOf({spec.get(), spec->AsImplementation()},
                                    *ReadFile(path), path)),
      "text");
  ASSERT_TRUE(record.ok()) << record.status();
  InterviewOptions again = WithoutFiles();
  again.replay = record->trial;
  again.investigation.limits.attempts = 0;
  Interview interview(SpecOf(OneArray()), again);
  EXPECT_GT(Answer(interview, bad), 0);
  EXPECT_EQ(interview.progress().executed, 1);
  EXPECT_EQ(interview.found()->size, 3);
}

TEST(Counterexample, ItsPathIsAWordOfAShells) {
  Counterexample found;
  found.repeat = "again --replay=$FILE";
  found.path = "/tmp/a_b-c.d/1.json";
  EXPECT_THAT(found.Report(),
              HasSubstr("again --replay=/tmp/a_b-c.d/1.json\n"));
  found.path = "/tmp/my cat's $1/1.json";
  EXPECT_THAT(found.Report(),
              HasSubstr("again --replay='/tmp/my cat'\\''s $1/1.json'\n"));
  // In another language.
  found.repeat = "again('$FILE')";
  found.path = "/tmp/a b/1.json";
  EXPECT_THAT(found.Report(), HasSubstr("again('/tmp/a b/1.json')\n"));
}

// Rows of so many columns take a thousand terabytes, if there are any.
TEST(Interview, SaysThatThereWasNoMemoryForACase) {
  Description description = OneArray();
  const std::int64_t many = std::int64_t{1} << 50;
  description.inputs[0].types = {ElementType::kInt8};
  description.inputs[0].shape = {"n", "t"};
  description.options = {
      {OptionSpec::Number("t", "", 1, 1, many), {"1", std::to_string(many)}}};
  Interview right(SpecOf(description), WithoutFiles());
  EXPECT_GT(Answer(right, [](const Case&) { return false; }), 0);
  EXPECT_EQ(right.status().code(), absl::StatusCode::kResourceExhausted)
      << right.status();
  // A failure is one nevertheless.
  Interview wrong(SpecOf(description), WithoutFiles());
  Answer(wrong, [](const Case& test_case) {
    return test_case.inputs.at("x").size() >= 100;
  });
  EXPECT_EQ(wrong.status(), absl::OkStatus());
  EXPECT_EQ(wrong.found()->size, 100);
}

TEST(Interview, EndsWhenItIsStopped) {
  Interview interview(SpecOf(OneArray()), WithoutFiles());
  ASSERT_TRUE(interview.Next().has_value());
  interview.Stop();
  EXPECT_FALSE(interview.Next().has_value());
  interview.Answer(Failure{FailureKind::kValue, "too late"});
  EXPECT_FALSE(interview.found().has_value());
  // Nobody asks what is next: its destructor does not wait for that.
  Interview unheard(SpecOf(OneArray()), WithoutFiles());
}

bool HasThree(const Case& test_case) {
  return test_case.inputs.at("x").size() >= 3;
}

// What is not asked any more has not passed.
TEST(Interview, IsNotThroughWithACaseWhenItIsStopped) {
  for (const int failures : {1, 2}) {
    Interview interview(SpecOf(OneArray()), WithoutFiles());
    int failed = 0;
    Answer(interview, [&](const Case& test_case) {
      if (failed == failures) interview.Stop();
      if (HasThree(test_case)) ++failed;
      return HasThree(test_case);
    });
    ASSERT_TRUE(interview.found().has_value()) << failures;
    EXPECT_TRUE(interview.found()->limited) << failures;
    EXPECT_THAT(interview.found()->Report(),
                Not(HasSubstr("does not fail when run")))
        << failures;
  }
}

TEST(Interview, KeepsToItsTimeWhileItShrinks) {
  InterviewOptions options = WithoutFiles();
  options.seconds = 1;
  Interview interview(SpecOf(OneArray()), options);
  int late = 0;
  Answer(interview, [&](const Case& test_case) {
    if (interview.progress().seconds > options.seconds) ++late;
    while (interview.progress().failures > 0 &&
           interview.progress().seconds <= options.seconds) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return HasThree(test_case);
  });
  ASSERT_TRUE(interview.found().has_value());
  EXPECT_EQ(late, 0);
  EXPECT_TRUE(interview.found()->limited);
  EXPECT_THAT(interview.found()->Report(),
              Not(HasSubstr("does not fail when run")));
}

// Another thread may stop the interview while a case is tried.
TEST(Interview, ACaseOutlivesItsInterview) {
  Description description = OneArray();
  description.inputs[0] = {"x", {ElementType::kUInt8}, {"1048576"}, 7.0, 7.0,
                           ""};
  std::optional<Case> asked;
  {
    Interview interview(SpecOf(description), WithoutFiles());
    asked = interview.Next();
    interview.Stop();
  }
  ASSERT_TRUE(asked.has_value());
  EXPECT_THAT(ValuesOf<std::uint8_t>(*asked, "x"), Each(7));
}

TEST(DescribedSpec, RefusesWhatHasNoMeaning) {
  const auto refusal = [](const std::function<void(Description&)>& spoil) {
    Description description = Ragged();
    spoil(description);
    return std::string(
        DescribedSpec::Create(std::move(description)).status().message());
  };
  EXPECT_EQ(refusal([](Description&) {}), "");
  EXPECT_THAT(refusal([](Description& d) { d.inputs.clear(); }),
              HasSubstr("no input"));
  EXPECT_THAT(refusal([](Description& d) { d.inputs[1].name = "letters"; }),
              HasSubstr("twice"));
  EXPECT_THAT(refusal([](Description& d) { d.inputs[0].shape = {"-1"}; }),
              HasSubstr("'-1' as an extent"));
  EXPECT_THAT(refusal([](Description& d) { d.inputs[0].types.clear(); }),
              HasSubstr("no type"));
  EXPECT_THAT(refusal([](Description& d) { d.inputs[0].least = 9; }),
              HasSubstr("from 9 to 3"));
  EXPECT_THAT(refusal([](Description& d) { d.inputs[1].offsets_of = "m"; }),
              HasSubstr("both have to be extents"));
  EXPECT_THAT(refusal([](Description& d) { d.inputs[1].shape = {"n"}; }),
              HasSubstr("both have to be extents"));
  EXPECT_THAT(refusal([](Description& d) {
                d.inputs[0].least = 2.5, d.inputs[0].most = 2.75;
              }),
              HasSubstr("uint8 has none"));
  EXPECT_THAT(refusal([](Description& d) {
                d.inputs[0].most = -1;
                d.inputs[0].least = {};
              }),
              HasSubstr("from the least to -1, and uint8 has none"));
  EXPECT_THAT(
      refusal([](Description& d) { d.inputs[1].types = {ElementType::kInt8}; }),
      HasSubstr("up to 200 and more than int8 holds"));
  EXPECT_THAT(refusal([](Description& d) { d.options[0].spec.least = -1; }),
              HasSubstr("the option 't' as an extent, which is -1"));
  EXPECT_THAT(refusal([](Description& d) { d.largest_size = 0; }),
              HasSubstr("the largest size is 0"));
  EXPECT_THAT(
      refusal([](Description& d) { d.largest_size = std::int64_t{1} << 62; }),
      HasSubstr("from 1 to"));
  EXPECT_THAT(refusal([](Description& d) {
                d.boundaries = {64, -2};
              }),
              HasSubstr("a boundary is -2"));
  EXPECT_THAT(refusal([](Description& d) {
                d.boundaries = {std::numeric_limits<std::int64_t>::max()};
              }),
              HasSubstr("a boundary is 9223372036854775807"));
}

TEST(DescribedSpec, RefusesOtherValuesOfOptions) {
  const std::unique_ptr<DescribedSpec> spec = SpecOf(Ragged());
  const Case test_case = *spec->Generate(
      {3, ElementType::kUInt8, "uniform", {{"t", "2"}, {"fast", "yes"}}, 1});
  const auto check = [&](OptionMap options) {
    return spec->Check(options, InputsOf(test_case));
  };
  EXPECT_EQ(check(test_case.options), absl::OkStatus());
  EXPECT_EQ(check({{"t", "3"}, {"fast", "yes"}}).message(),
            "the option 't' is 3 and has the values 1, 2, 4");
}

// Its neighbours are the same float64.
TEST(DescribedSpec, RefusesValuesBesideWholeBounds) {
  const std::int64_t bound = (std::int64_t{1} << 62) + 1;
  Description description = OneArray();
  description.inputs = {{"x", {ElementType::kInt64}, {"n"}, bound, bound, ""}};
  const std::unique_ptr<DescribedSpec> spec = SpecOf(description);
  Case test_case = *spec->Generate({1, ElementType::kInt64, "uniform", {}, 1});
  const auto check = [&](std::int64_t value) {
    test_case.inputs.at("x").span<std::int64_t>()[0] = value;
    return std::string(spec->Check({}, InputsOf(test_case)).message());
  };
  EXPECT_EQ(check(bound), "");
  EXPECT_EQ(check(bound - 1), "'x' has a value under 4611686018427387905");
  EXPECT_EQ(check(bound + 1), "'x' has a value over 4611686018427387905");
}

TEST(DescribedSpec, PicksAmongVeryManyCombinationsOfOptions) {
  Description description = OneArray();
  for (int i = 0; i < 70; ++i) {
    description.options.push_back(
        {OptionSpec::Switch(std::to_string(i), ""), {"no", "yes"}});
  }
  description.options.push_back({OptionSpec::Choice("text", "", "0", {}), {}});
  for (int i = 0; i < 2000; ++i) {
    description.options.back().values.push_back(std::to_string(i));
  }
  const std::vector<OptionMap> combinations =
      SpecOf(description)->OptionCombinations(ElementType::kInt32);
  EXPECT_EQ(combinations.size(), 2000u);
  std::map<std::string, std::set<std::string>> values;
  for (const OptionMap& combination : combinations) {
    for (const auto& [name, value] : combination) values[name].insert(value);
  }
  EXPECT_EQ(values.size(), 71u);
  for (const auto& [name, all] : values) {
    EXPECT_EQ(all.size(), name == "text" ? 2000u : 2u) << name;
  }
}

void ExpectCasesOfTheDescription(const Description& description) {
  const std::unique_ptr<DescribedSpec> spec = SpecOf(description);
  Interview interview(SpecOf(description), WithoutFiles());
  Answer(interview, [&](const Case& test_case) {
    EXPECT_EQ(spec->Check(test_case.options, InputsOf(test_case)),
              absl::OkStatus())
        << test_case.label;
    return false;
  });
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    const auto size = static_cast<std::int64_t>(seed % 4);
    const auto test_case =
        spec->Generate({size, ElementType::kInt32, "uniform", {}, seed});
    ASSERT_TRUE(test_case.ok()) << test_case.status();
    EXPECT_EQ(spec->Check({}, InputsOf(*test_case)), absl::OkStatus())
        << test_case->label;
  }
}

// Such as a result for each row of ragged ones.
TEST(DescribedSpec, CutsNothingIntoNoParts) {
  Description description = OneArray();
  description.inputs = {
      {"y", {ElementType::kInt32}, {"rows"}, {}, {}, ""},
      {"x", {ElementType::kInt32}, {"n"}, {}, {}, ""},
      {"offsets", {ElementType::kInt64}, {"rows"}, {}, {}, "n"}};
  ExpectCasesOfTheDescription(description);
  // Parts that are cut into parts themselves, the last of them first.
  description.inputs.back().shape = {"words"};
  description.inputs.push_back(
      {"words", {ElementType::kInt64}, {"rows"}, {}, {}, "words"});
  ExpectCasesOfTheDescription(description);
}

// The difference between the bounds is more than the type holds.
TEST(DescribedSpec, DrawsFromAllBetweenWideBounds) {
  for (const auto& [type, most] : {std::pair(ElementType::kFloat32, 3e38),
                                   std::pair(ElementType::kFloat64, 1.5e308)}) {
    Description description = OneArray();
    description.inputs = {{"x", {type}, {"n"}, -most, most, ""}};
    const std::unique_ptr<DescribedSpec> spec = SpecOf(description);
    const Case test_case = *spec->Generate({1000, type, "uniform", {}, 1});
    EXPECT_EQ(spec->Check({}, InputsOf(test_case)), absl::OkStatus());
    const HostArray& x = test_case.inputs.at("x");
    Dispatch(type, [&, bound = most](auto tag) {
      const auto values = x.span<typename decltype(tag)::type>();
      const auto inner =
          std::count_if(values.begin(), values.end(), [&](auto value) {
            return std::fabs(static_cast<double>(value)) < bound / 2;
          });
      EXPECT_NEAR(static_cast<double>(inner), 500, 100);
    });
  }
}

// Bounds need not be values of the type, and what is drawn lies inside.
TEST(DescribedSpec, DrawsBetweenBoundsThatAreNoValues) {
  const double tenth = 0.1;  // float32 has none such, but one beyond
  for (const auto& [type, least, most] :
       {std::tuple(ElementType::kInt32, 0.5, 2.5),
        std::tuple(ElementType::kInt64, -2.5, -0.5),
        std::tuple(ElementType::kFloat32, 0.0, tenth),
        std::tuple(ElementType::kFloat32, -tenth, 0.0)}) {
    Description description = OneArray();
    description.inputs[0].types = {type};
    description.inputs[0].least = least;
    description.inputs[0].most = most;
    const std::unique_ptr<DescribedSpec> spec = SpecOf(description);
    Interview interview(SpecOf(description), WithoutFiles());
    while (const std::optional<Case> test_case = interview.Next()) {
      Inputs inputs;
      inputs.emplace("x", test_case->inputs.at("x").view());
      EXPECT_EQ(spec->Check(test_case->options, inputs), absl::OkStatus())
          << test_case->label;
      interview.Answer(std::nullopt);
    }
  }
}

}  // namespace
}  // namespace concord
