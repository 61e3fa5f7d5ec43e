// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Every algorithm that is registered through every door, on every backend that
// can run here: `concord run` from and to files and pipes, `compare`, `verify
// --replay`, a row of the benchmarks, a call from sources to sinks, and what
// the functions for callers with host data are made of.

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
#include "concord/testing/engine/required.h"
#include "nlohmann/json.hpp"

namespace concord {
namespace {

using Json = nlohmann::json;
using testing::AnyOf;
using testing::Eq;
using testing::HasSubstr;

// Absent is not passed.
TEST(DoorsThemselves, LeadToEveryBackendThatIsRequired) {
  ASSERT_EQ(CheckRequiredBackends(), absl::OkStatus());
  for (const std::string& backend : RequiredBackends()) {
    EXPECT_EQ(BackendsHere().count(backend), 1) << backend;
  }
}

TEST_P(Doors, RunFromFilesToFiles) {
  const std::vector<Case> cases = Cases();
  for (const Case& test_case : cases) {
    SCOPED_TRACE(
        absl::StrCat(test_case.label, " ", ToString(test_case.options)));
    const Expectations expected = Expected(test_case);
    const Arguments inputs = WriteInputs(test_case);
    const auto run = [&](const std::string& backend,
                         const std::string& suffix) {
      SCOPED_TRACE(backend + " to " + suffix);
      Arguments outputs = {"--output=" + File("out" + suffix)};
      for (const auto& [option, output] : WantedOutputs(test_case)) {
        outputs.push_back(
            absl::StrCat("--", option, "=", File(output + suffix)));
      }
      const std::string printed = folder().Concord(
          Joined({{"run", spec().name(), "--backend=" + backend},
                  OptionsOf(test_case),
                  inputs,
                  outputs}));
      EXPECT_EQ(printed, "");
      ExpectRightOutput(File("out" + suffix), expected);
      for (const auto& [option, output] : WantedOutputs(test_case)) {
        ExpectRightFile(File(output + suffix), output, expected);
      }
    };
    for (const std::string& backend : BackendsFor(test_case, cases)) {
      run(backend, ".npy");
    }
    // Whatever has computed the arrays.
    run("serial", ".txt");
  }
}

TEST_P(Doors, RunFromStandardInputToStandardOutput) {
  const std::vector<Case> cases = Cases();
  for (const Case& test_case : cases) {
    SCOPED_TRACE(
        absl::StrCat(test_case.label, " ", ToString(test_case.options)));
    const std::optional<std::string> text = TextOf(test_case);
    if (!text.has_value()) continue;
    ASSERT_EQ(WriteFile(File("in.txt"), *text), absl::OkStatus());
    const Expectations expected = Expected(test_case);
    const Arguments inputs = WriteOtherInputs(test_case);
    for (const std::string& backend : BackendsFor(test_case, cases)) {
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
  for (const std::string& backend : Backends()) {
    FailureRecord record;
    record.implementation = DefaultOn(spec(), backend, type())->name();
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

TEST_P(Doors, Calls) {
  for (const Case& test_case : Cases()) {
    SCOPED_TRACE(
        absl::StrCat(test_case.label, " ", ToString(test_case.options)));
    const Expectations expected = Expected(test_case);
    Sources sources;
    for (const auto& [name, value] : test_case.inputs) {
      sources.emplace(name, SourceOf(value));
    }
    for (const std::string& backend : Backends()) {
      SCOPED_TRACE(backend);
      absl::StatusOr<Results> results =
          RunCall(spec().algorithm(), BackendsHere().at(backend), "",
                  test_case.options, sources);
      ASSERT_TRUE(results.ok()) << results.status();
      EXPECT_EQ(results->size(), expected.size());
      for (auto& [name, array] : *results) {
        EXPECT_EQ(expected.count(name), 1) << name;
        ExpectRight(array, name, expected);
      }
    }
  }
}

// By what ComputeX is for each algorithm X.
TEST_P(Doors, ComputeFromHostData) {
  for (const Case& test_case : Cases()) {
    SCOPED_TRACE(
        absl::StrCat(test_case.label, " ", ToString(test_case.options)));
    const Expectations expected = Expected(test_case);
    absl::StatusOr<std::vector<OutputSpec>> specs = spec().OutputsOf(test_case);
    ASSERT_TRUE(specs.ok()) << specs.status();
    const Inputs inputs = InputsOf(test_case);
    for (const std::string& backend : Backends()) {
      SCOPED_TRACE(backend);
      std::map<std::string, HostArray> arrays;
      Outputs outputs;
      for (const OutputSpec& output : *specs) {
        HostArray& array =
            arrays.emplace(output.name, HostArray(output.type, output.shape))
                .first->second;
        outputs.emplace(output.name, array.view());
      }
      ASSERT_EQ(spec().ComputeOnHost(BackendsHere().at(backend), "",
                                     test_case.options, inputs, outputs),
                absl::OkStatus());
      EXPECT_EQ(arrays.size(), expected.size());
      for (const OutputSpec& output : *specs) {
        std::vector<std::int64_t> shape = output.shape;
        if (!output.size_in.empty()) {
          shape[0] = *arrays.at(output.size_in).data<std::int64_t>();
          ASSERT_LE(shape[0], output.shape[0]);
        }
        HostArray& array = arrays.at(output.name);
        array.Cut(shape);
        ExpectRight(array, output.name, expected);
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
  for (const std::string& backend : Backends()) {
    EXPECT_EQ(compared.count(backend), 1) << backend << " in " << table;
  }
}

TEST_P(SlowDoors, RowsOfTheBenchmarks) {
  const std::string record = File("rows.json");
  const std::vector<ElementType> types = spec().element_types();
  folder().OutputOf(
      "benchmarks/concord_bench",
      {"--algorithms=" + spec().name(),
       "--backends=" + absl::StrJoin(Backends(), ","),
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
  for (const std::string& backend : Backends()) {
    for (const ElementType type : types) {
      if (!DefaultOn(spec(), backend, type).has_value()) continue;
      EXPECT_EQ(timed.count(absl::StrCat(backend, " ", Name(type))), 1)
          << backend << " " << Name(type);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, SlowDoors, testing::ValuesIn(LastDoors()),
                         DoorName);

}  // namespace
}  // namespace concord
