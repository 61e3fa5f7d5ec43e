// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Every algorithm that is registered through every door: `concord run` from and
// to files and pipes, `compare`, `verify --replay`, a row of the benchmarks,
// and a call from host data.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "concord/core/output_file.h"
#include "concord/core/spec.h"
#include "concord/testing/door_fixture.h"
#include "concord/testing/engine/failure_file.h"
#include "nlohmann/json.hpp"

namespace concord {
namespace {

using Json = nlohmann::json;
using testing::AnyOf;
using testing::Eq;
using testing::HasSubstr;

TEST_P(Doors, RunFromFilesToFiles) {
  for (const Case& test_case : Cases()) {
    SCOPED_TRACE(
        absl::StrCat(test_case.label, " ", ToString(test_case.options)));
    const Expectations expected = Expected(test_case);
    const Arguments inputs = WriteInputs(test_case);
    for (const std::string& backend : BackendsOf(spec())) {
      SCOPED_TRACE(backend);
      Arguments outputs = {absl::StrCat("--output=", File("out.npy"))};
      for (const auto& [option, output] : WantedOutputs(test_case)) {
        outputs.push_back(
            absl::StrCat("--", option, "=", File(output + ".npy")));
      }
      const std::string printed = folder().Concord(
          Joined({{"run", spec().name(), "--backend=" + backend},
                  OptionsOf(test_case),
                  inputs,
                  outputs}));
      EXPECT_EQ(printed, "");
      ExpectRightOutput(File("out.npy"), expected);
      for (const auto& [option, output] : WantedOutputs(test_case)) {
        ExpectRightFile(File(output + ".npy"), output, expected);
      }
    }
  }
}

TEST_P(Doors, RunFromStandardInputToStandardOutput) {
  for (const Case& test_case : Cases()) {
    SCOPED_TRACE(
        absl::StrCat(test_case.label, " ", ToString(test_case.options)));
    const std::optional<std::string> text = TextOf(test_case);
    if (!text.has_value()) continue;
    ASSERT_EQ(WriteFile(File("in.txt"), *text), absl::OkStatus());
    const Expectations expected = Expected(test_case);
    const Arguments inputs = WriteOtherInputs(test_case);
    for (const std::string& backend : BackendsOf(spec())) {
      SCOPED_TRACE(backend);
      folder().Concord(
          Joined({{"run", spec().name(), "--backend=" + backend, "--input=-",
                   absl::StrCat("--type=", Name(FirstInput(test_case).type()))},
                  OptionsOf(test_case),
                  inputs}),
          File("in.txt"));
      ExpectRightOutput(File("stdout"), expected);
    }
  }
}

TEST_P(Doors, VerifyReplaysARecord) {
  for (const std::string& backend : BackendsOf(spec())) {
    FailureRecord record;
    for (const ImplementationInfo& info : spec().implementations()) {
      if (info.backend != backend || !record.implementation.empty()) continue;
      record.implementation = info.name();
    }
    record.kind = "value";
    record.trial.test_case = Cases().front();
    record.trial.backend = backend;
    ASSERT_EQ(WriteFile(File("record.json"), FormatFailure(record)),
              absl::OkStatus());
    // Status 0 is that it does not fail any more.
    EXPECT_THAT(folder().Concord({"verify", "--replay=" + File("record.json")}),
                HasSubstr(record.implementation));
  }
}

TEST_P(Doors, CallsFromHostData) {
  for (const Case& test_case : Cases()) {
    SCOPED_TRACE(
        absl::StrCat(test_case.label, " ", ToString(test_case.options)));
    const Expectations expected = Expected(test_case);
    Sources sources;
    for (const auto& [name, value] : test_case.inputs) {
      sources.emplace(name, SourceOf(value));
    }
    for (const std::string& backend : BackendsOf(spec())) {
      SCOPED_TRACE(backend);
      std::map<std::string, HostArraySink> arrays;
      Sinks sinks;
      for (const OutputText& output : signature().outputs) {
        sinks.emplace(output.name, &arrays[output.name]);
      }
      absl::StatusOr<Call> call =
          Call::Create(spec().algorithm(), *OpenBackend(backend), "",
                       test_case.options, sources, sinks);
      ASSERT_TRUE(call.ok()) << call.status();
      ASSERT_EQ(call->Launch(), absl::OkStatus());
      ASSERT_EQ(call->Finish(), absl::OkStatus());
      for (auto& [name, array] : arrays) {
        EXPECT_EQ(array.taken(), expected.count(name) > 0) << name;
        if (array.taken()) ExpectRight(array.value(), name, expected);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, Doors, testing::ValuesIn(AllDoors()), DoorName);

// These take longer, and are for an algorithm as a whole.
class SlowDoors : public Doors {};

TEST_P(SlowDoors, Compare) {
  const Case test_case = Cases().back();
  SCOPED_TRACE(test_case.label);
  Arguments outputs;
  for (const auto& [option, output] : WantedOutputs(test_case)) {
    outputs.push_back(absl::StrCat("--", option));
  }
  const Json table = Json::parse(
      folder().Concord(
          Joined({{"compare", spec().name(), "--repetitions=1", "--json"},
                  OptionsOf(test_case),
                  WriteInputs(test_case),
                  outputs})),
      nullptr, /*allow_exceptions=*/false);
  ASSERT_TRUE(table.is_object());
  std::set<std::string> compared;
  for (const Json& row : table.at("rows")) {
    EXPECT_THAT(row.at("status"), AnyOf(Eq("ok"), Eq("skipped"))) << row;
    EXPECT_EQ(row.at("status") == "skipped", row.at("reason") != "") << row;
    if (row.at("status") == "ok") compared.insert(row.at("backend"));
  }
  for (const std::string& backend : BackendsOf(spec())) {
    EXPECT_EQ(compared.count(backend), 1) << backend << " in " << table;
  }
}

TEST_P(SlowDoors, RowsOfTheBenchmarks) {
  const std::string record = File("rows.json");
  const std::vector<ElementType> types = spec().element_types();
  folder().OutputOf(
      "benchmarks/concord_bench",
      {"--algorithms=" + spec().name(),
       "--backends=" + absl::StrJoin(BackendsOf(spec()), ","),
       absl::StrCat("--types=", absl::StrJoin(NamesOf(types), ",")),
       "--sizes=64", "--scopes=call", "--caches=hot", "--repetitions=1",
       "--max_seconds=0", "--benchmark_out=" + record});
  const Json rows = Json::parse(Content(record), nullptr, false);
  ASSERT_TRUE(rows.is_object());
  // "scan/tbb/one_pass/int32/...": without the variant.
  std::set<std::string> timed;
  for (const Json& row : rows.at("benchmarks")) {
    EXPECT_FALSE(row.value("error_occurred", false)) << row;
    const std::vector<std::string> name =
        absl::StrSplit(row.at("name").get<std::string>(), '/');
    timed.insert(absl::StrCat(name.at(1), " ", name.at(3)));
  }
  for (const std::string& backend : BackendsOf(spec())) {
    for (const ElementType type : types) {
      EXPECT_EQ(timed.count(absl::StrCat(backend, " ", Name(type))), 1)
          << backend << " " << Name(type);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, SlowDoors, testing::ValuesIn(LastDoors()),
                         DoorName);

}  // namespace
}  // namespace concord
