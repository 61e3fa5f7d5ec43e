// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Saved failures of every algorithm, whole and damaged in every field: what can
// be examined still is examined, and everything else is refused in one line.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "concord/core/spec.h"
#include "concord/testing/engine/counterexample.h"
#include "concord/testing/engine/failure_file.h"
#include "concord/testing/engine/record_check.h"
#include "nlohmann/json.hpp"

namespace concord {
namespace {

using Json = nlohmann::json;
using testing::AnyOf;
using testing::Eq;
using testing::StartsWith;

constexpr std::int64_t kSmall = 12;

FailureRecord RecordOf(const AlgorithmSpec& spec, Case test_case) {
  FailureRecord record;
  for (const ImplementationInfo& info : spec.implementations()) {
    if (info.backend == kReferenceBackend) record.implementation = info.name();
  }
  record.kind = std::string(Name(FailureKind::kValue));
  record.trial.test_case = std::move(test_case);
  record.trial.backend = kReferenceBackend;
  return record;
}

// A case for each setting of the options, in turn of each distribution.
std::vector<Case> CasesOf(const AlgorithmSpec& spec, ElementType type) {
  const std::vector<std::string> distributions = spec.Distributions(type);
  std::vector<Case> cases;
  for (const OptionMap& options : spec.OptionCombinations(type)) {
    const std::size_t i = cases.size();
    const absl::StatusOr<Case> made = spec.Generate(
        {kSmall, type, distributions[i % distributions.size()], options, i});
    EXPECT_TRUE(made.ok()) << spec.name() << ": " << made.status();
    if (made.ok()) cases.push_back(*made);
  }
  return cases;
}

// A few records that have all fields between them.
std::vector<FailureRecord> Samples(const AlgorithmSpec& spec) {
  const std::vector<ElementType> types = spec.element_types();
  const ElementType type = types.at(types.size() - 1);
  const std::vector<Case> cases = CasesOf(spec, type);
  std::vector<FailureRecord> samples;
  for (const std::size_t i :
       {std::size_t{0}, std::size_t{1}, cases.size() - 1}) {
    if (i < cases.size()) samples.push_back(RecordOf(spec, cases[i]));
  }
  for (const Law& law : spec.laws()) {
    samples.push_back(samples.front());
    samples.back().trial.law = law.name;
  }
  samples.front().trial.also_on = {kReferenceBackend};
  samples.front().trial.repetitions = 2;
  // Saved as the request.
  samples.push_back(RecordOf(spec, Case()));
  samples.back().trial.request =
      CaseRequest{kSmall, type, spec.Distributions(type).front(),
                  spec.OptionCombinations(type).front(), 1};
  return samples;
}

class DamagedRecords : public testing::TestWithParam<const AlgorithmSpec*> {
 protected:
  const AlgorithmSpec& spec() const { return *GetParam(); }
};

TEST_P(DamagedRecords, WholeOnesAreExamined) {
  std::vector<Case> cases = spec().SpecialCases();
  for (const ElementType type : spec().element_types()) {
    for (Case& made : CasesOf(spec(), type)) cases.push_back(std::move(made));
  }
  for (Case& test_case : cases) {
    if (spec().SizeOfCase(test_case) > 1000) continue;
    const FailureRecord record = RecordOf(spec(), std::move(test_case));
    SCOPED_TRACE(Describe(record.trial));
    const auto loaded = ParseFailure(FormatFailure(record), "whole.json");
    ASSERT_TRUE(loaded.ok()) << loaded.status();
    EXPECT_EQ(loaded->trial.test_case.inputs, record.trial.test_case.inputs);
    // The reference has no options for tuning.
    EXPECT_EQ(loaded->trial.test_case.options,
              *CompleteOptions(spec().options(),
                               WithoutTuning(record.trial.test_case.options,
                                             spec().implementations())));
    EXPECT_EQ(CheckTrial(*FindSubject(loaded->implementation), loaded->trial,
                         /*sound=*/true),
              absl::OkStatus());
  }
  for (const FailureRecord& record : Samples(spec())) {
    const auto loaded = ParseFailure(FormatFailure(record), "whole.json");
    ASSERT_TRUE(loaded.ok()) << loaded.status();
    const auto failure = Replay(*loaded);
    ASSERT_TRUE(failure.ok()) << failure.status();
    EXPECT_FALSE(failure->has_value()) << (*failure)->message;
  }
}

// --- Damage ---

// Of everything in the document, of long lists the ends alone.
void AddPlaces(const Json& json, const Json::json_pointer& here,
               std::vector<Json::json_pointer>& places) {
  if (json.is_object()) {
    for (const auto& [key, value] : json.items()) {
      places.push_back(here / key);
      AddPlaces(value, here / key, places);
    }
  } else if (json.is_array() && !json.empty()) {
    for (const std::size_t i : {std::size_t{0}, json.size() - 1}) {
      places.push_back(here / i);
      AddPlaces(json[i], here / i, places);
    }
  }
}

// Options are text, and so may be anything; elements of the type have one way
// to be written, which the comparison below relies on.
std::vector<Json> ReplacementsAt(const std::string& place) {
  std::vector<Json> replacements = {
      nullptr, true, -1, 0, 1.5,
      // More than any memory that tests run in, so that nothing takes long.
      std::int64_t{1} << 43, INT64_MAX, UINT64_MAX, 1e300, "", "unknown", "-1",
      "1e999", "nan", "a\nb", Json::array(), Json::array({-1, -1}),
      Json::array({std::int64_t{1} << 32, std::int64_t{1} << 32}),
      Json::array({"unknown"}), Json::object()};
  if (absl::StrContains(place, "/options/")) {
    replacements.emplace_back(absl::StrCat(INT64_MAX));
  }
  return replacements;
}

// Options that are not there are as they are by default.
Json WithoutOptions(Json record) {
  record["case"].erase("options");
  return record;
}

// Refused in one line, or understood to the last bit and examined.
void Try(const std::string& text) {
  const auto record = ParseFailure(text, "damaged.json");
  absl::Status status = record.status();
  if (record.ok()) {
    const Json damaged = Json::parse(text);
    if (damaged.contains("case")) {
      EXPECT_EQ(WithoutOptions(Json::parse(FormatFailure(*record))),
                WithoutOptions(damaged));
    }
    status = Replay(*record).status();
  } else {
    EXPECT_THAT(std::string(status.message()), StartsWith("'damaged.json' "));
  }
  if (!status.ok()) {
    EXPECT_THAT(status.code(), AnyOf(Eq(absl::StatusCode::kInvalidArgument),
                                     Eq(absl::StatusCode::kNotFound),
                                     Eq(absl::StatusCode::kOutOfRange)))
        << status;
  }
}

TEST_P(DamagedRecords, DamageIsRefusedOrUnderstood) {
  for (const FailureRecord& sample : Samples(spec())) {
    const Json whole = Json::parse(FormatFailure(sample));
    std::vector<Json::json_pointer> places;
    AddPlaces(whole, Json::json_pointer(), places);
    for (const Json::json_pointer& place : places) {
      SCOPED_TRACE(
          absl::StrCat(sample.implementation, " at ", place.to_string()));
      for (const Json& replacement : ReplacementsAt(place.to_string())) {
        SCOPED_TRACE(replacement.dump());
        Json damaged = whole;
        damaged[place] = replacement;
        Try(damaged.dump());
      }
      Json damaged = whole;
      Json& parent = damaged[place.parent_pointer()];
      if (parent.is_array()) {
        parent.erase(parent.begin());
      } else {
        parent.erase(place.back());
        parent["another"] = whole[place];
      }
      Try(damaged.dump());
    }
  }
}

TEST_P(DamagedRecords, WhatEndsEarlyIsRefused) {
  for (const FailureRecord& sample : Samples(spec())) {
    const std::string whole = FormatFailure(sample);
    // Without its last line break it is whole.
    for (std::size_t length = 0; length + 1 < whole.size(); ++length) {
      const auto record = ParseFailure(whole.substr(0, length), "damaged.json");
      EXPECT_EQ(record.status().code(), absl::StatusCode::kInvalidArgument)
          << length;
    }
  }
}

TEST_P(DamagedRecords, InputsOfAnyLengthAreRefusedOrExamined) {
  for (const FailureRecord& sample : Samples(spec())) {
    for (const auto& [name, value] : sample.trial.test_case.inputs) {
      SCOPED_TRACE(name);
      for (const std::int64_t size : {std::int64_t{0}, value.size() + 1}) {
        FailureRecord record = sample;
        HostArray& input = record.trial.test_case.inputs.at(name);
        input = HostArray(value.type(), {size});
        std::fill_n(input.data<char>(), input.view().bytes(), 1);
        Try(FormatFailure(record));
      }
    }
  }
}

TEST_P(DamagedRecords, RequestsNeedNotSayOptions) {
  const ElementType type = spec().element_types().front();
  const absl::StatusOr<Case> made = spec().Generate(
      {kSmall, type, spec().Distributions(type).front(), {}, 1});
  ASSERT_TRUE(made.ok()) << made.status();
  EXPECT_EQ(made->options, *CompleteOptions(spec().options(), {}));
  const FailureRecord record = RecordOf(spec(), *made);
  EXPECT_TRUE(ParseFailure(FormatFailure(record), "whole.json").ok());
}

// Fields of which only a few values can be examined at all.
TEST_P(DamagedRecords, UnknownCircumstancesAreRefused) {
  const FailureRecord whole = Samples(spec()).front();
  const auto refuses = [&](const char* what, const auto& damage) {
    FailureRecord record = whole;
    damage(record);
    EXPECT_THAT(Replay(record).status().code(),
                AnyOf(Eq(absl::StatusCode::kInvalidArgument),
                      Eq(absl::StatusCode::kNotFound)))
        << what;
  };
  EXPECT_TRUE(Replay(whole).ok());
  refuses("algorithm", [](auto& r) { r.implementation = "alchemy/serial/x"; });
  refuses("variant", [&](auto& r) { r.implementation += "x"; });
  refuses("no variant", [&](auto& r) { r.implementation = spec().name(); });
  refuses("placement", [](auto& r) { r.trial.placement = "sideways"; });
  refuses("law", [](auto& r) { r.trial.law = "of the jungle"; });
  refuses("backend", [](auto& r) { r.trial.backend = "abacus"; });
  refuses("no backend", [](auto& r) { r.trial.backend = ""; });
  refuses("another backend", [](auto& r) { r.trial.backend = "tbb"; });
  refuses("threads", [](auto& r) { r.trial.also_on = {"tbb:0"}; });
  refuses("no runs", [](auto& r) { r.trial.repetitions = 0; });
  refuses("many runs", [](auto& r) { r.trial.repetitions = 1001; });
  refuses("no inputs", [](auto& r) { r.trial.test_case.inputs.clear(); });
  refuses("a further input", [](auto& r) {
    r.trial.test_case.inputs.emplace("more", HostArray());
  });
  refuses("no options", [](auto& r) {
    r.trial.test_case.options = {{"unknown", ""}};
  });
  for (const std::size_t dimensions : {0, 3}) {
    refuses("dimensions", [dimensions](auto& r) {
      for (auto& [name, value] : r.trial.test_case.inputs) {
        value =
            HostArray(value.type(), std::vector<std::int64_t>(dimensions, 1));
      }
    });
  }
}

TEST_P(DamagedRecords, RequestsOfImpossibleSizesAreRefused) {
  for (const std::int64_t size :
       {std::int64_t{-1}, std::int64_t{1} << 40, INT64_MAX}) {
    FailureRecord sample = Samples(spec()).back();
    sample.trial.request->size = size;
    EXPECT_THAT(
        ParseFailure(FormatFailure(sample), "damaged.json").status().code(),
        Eq(absl::StatusCode::kInvalidArgument))
        << size;
  }
}

INSTANTIATE_TEST_SUITE_P(All, DamagedRecords, testing::ValuesIn(AllSpecs()),
                         [](const auto& info) { return info.param->name(); });

}  // namespace
}  // namespace concord
