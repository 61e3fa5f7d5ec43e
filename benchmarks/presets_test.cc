// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "concord/benchmarks/axes.h"
#include "concord/benchmarks/flags.h"
#include "concord/core/backend.h"
#include "concord/core/spec.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace concord {
namespace {

// The backends that this program was built with.
std::vector<std::string> CompiledBackends() {
  std::vector<std::string> names;
  for (const BackendStatus& status : ListBackends()) {
    if (status.stage != BackendStage::kNotCompiled) {
      names.push_back(status.name);
    }
  }
  return names;
}

bool NamesOnly(const std::vector<std::string>& known, const Axes& axes) {
  return std::all_of(
      axes.backends.begin(), axes.backends.end(), [&](const auto& name) {
        return std::find(known.begin(), known.end(), name) != known.end();
      });
}

TEST(PresetsTest, NameNothingThatIsNotThere) {
  const std::vector<std::string> backends = CompiledBackends();
  for (const Preset& preset : Presets()) {
    for (const Axes& axes : preset.axes) {
      // Variants of a backend that was left out are not there to be named.
      if (!NamesOnly(backends, axes)) continue;
      const absl::Status status =
          Expand(axes, AllSpecs(), backends, /*seed=*/1).status();
      EXPECT_TRUE(status.ok()) << preset.name << ": " << status;
    }
  }
}

TEST(PresetsTest, HaveAllThatAlgorithmsSayOfTheirRows) {
  std::size_t said = 0;
  for (const AlgorithmSpec* spec : AllSpecs()) {
    said += spec->preset_rows().size();
  }
  std::size_t there = 0;
  for (const Preset& preset : Presets()) {
    for (const Axes& axes : preset.axes) there += axes.algorithms.size();
  }
  EXPECT_EQ(there, said);
}

TEST(PresetsTest, GivenAlgorithmsHaveTheRowsThatTheyHaveInIt) {
  Flags flags;
  flags.preset = "recorded";
  const std::vector<std::string> backends = {"serial"};
  const auto all = ChosenRows(flags, backends);
  ASSERT_TRUE(all.ok()) << all.status();
  std::map<std::string, std::vector<std::string>> rows;
  for (const Row& row : *all) {
    rows[row.spec->name()].push_back(row.name());
  }
  EXPECT_GT(rows.size(), 3u);
  for (const auto& [algorithm, expected] : rows) {
    flags.axes.algorithms = {algorithm};
    const auto given = ChosenRows(flags, backends);
    ASSERT_TRUE(given.ok()) << given.status();
    std::vector<std::string> names;
    for (const Row& row : *given) names.push_back(row.name());
    EXPECT_EQ(names, expected);
  }
}

TEST(PresetsTest, AnAlgorithmThatIsNotThereIsNamed) {
  for (const Preset& preset : Presets()) {
    Flags flags;
    flags.preset = preset.name;
    flags.axes.algorithms = {"reduce", "sortt"};
    EXPECT_THAT(ChosenRows(flags, {"serial"}).status().message(),
                ::testing::HasSubstr("'sortt'"));
  }
}

// Functions of the user's are rows of the algorithm that runs them, beside
// those of named operators.
TEST(FunctionsTest, AreRowsOfTheAlgorithmThatRunsThem) {
  Axes axes;
  axes.algorithms = {"reduce"};
  axes.variants = {"reference"};
  axes.options = {"op:max", "op:min(a, b) > 0 ? a : b"};
  axes.sizes = {7};
  const auto rows = Expand(axes, AllSpecs(), {"serial"}, /*seed=*/1);
  ASSERT_TRUE(rows.ok()) << rows.status();
  std::set<std::string> names;
  for (const Row& row : *rows) {
    names.insert(row.name());
    // A recorded row can be asked for again.
    const auto again = AxesOfRow(row.name());
    ASSERT_TRUE(again.ok()) << again.status();
    const auto same = Expand(*again, AllSpecs(), {"serial"}, /*seed=*/1);
    ASSERT_TRUE(same.ok()) << same.status();
    EXPECT_EQ(same->front().name(), row.name());
  }
  EXPECT_EQ(names,
            (std::set<std::string>{
                "reduce/serial/reference/int32/n:7/op:max/uniform/kernel/hot",
                "sequence/serial/reference/int32/n:7/program:reduce min(a, b) "
                "> 0 ? a : b/uniform/kernel/hot"}));
}

}  // namespace
}  // namespace concord
