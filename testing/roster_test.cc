// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The golden list of all implementations: none can appear, vanish or change its
// name without a line of testing/roster.txt saying so.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_split.h"
#include "concord/core/backend.h"
#include "concord/core/spec.h"

namespace concord {
namespace {

std::vector<std::string> Roster() {
  std::ifstream file("testing/roster.txt");
  EXPECT_TRUE(file.is_open());
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) {
    if (!line.empty() && line[0] != '#') lines.push_back(line);
  }
  return lines;
}

std::set<std::string> BackendsNotCompiled() {
  std::set<std::string> names;
  for (const BackendStatus& status : ListBackends()) {
    if (status.stage == BackendStage::kNotCompiled) names.insert(status.name);
  }
  return names;
}

std::string BackendOf(const std::string& implementation) {
  const std::vector<std::string> names = absl::StrSplit(implementation, '/');
  return names.size() == 3 ? names[1] : "";
}

TEST(Roster, IsSortedAndWithoutDuplicates) {
  const std::vector<std::string> roster = Roster();
  std::vector<std::string> sorted = roster;
  std::sort(sorted.begin(), sorted.end());
  EXPECT_EQ(roster, sorted);
  EXPECT_EQ(std::set<std::string>(roster.begin(), roster.end()).size(),
            roster.size());
}

TEST(Roster, EveryLineNamesABackendOfTheProgram) {
  std::set<std::string> backends;
  for (const BackendStatus& status : ListBackends()) {
    backends.insert(status.name);
  }
  for (const std::string& line : Roster()) {
    EXPECT_THAT(backends, testing::Contains(BackendOf(line))) << line;
  }
}

// Peers that only another CCCL than the toolkit's has (CONCORD_CCCL).
const std::set<std::string> kWithNewerLibraries = {"scan/cuda/cub_tuned"};

TEST(Roster, IsTheRegistry) {
  std::vector<std::string> registered;
  for (const AlgorithmSpec* spec : AllSpecs()) {
    for (const ImplementationInfo& info : spec->implementations()) {
      EXPECT_EQ(info.algorithm, spec->name());
      registered.push_back(info.name());
    }
  }
  const std::set<std::string> absent = BackendsNotCompiled();
  std::vector<std::string> expected;
  for (const std::string& line : Roster()) {
    const bool missing =
        absent.count(BackendOf(line)) > 0 ||
        (kWithNewerLibraries.count(line) > 0 &&
         std::count(registered.begin(), registered.end(), line) == 0);
    if (!missing) expected.push_back(line);
  }
  // A duplicate in the registry shows here, too.
  EXPECT_THAT(registered, testing::UnorderedElementsAreArray(expected));
}

TEST(Roster, NoContractIsWiderThanItsSignature) {
  for (const AlgorithmSpec* spec : AllSpecs()) {
    for (const ImplementationInfo& info : spec->implementations()) {
      EXPECT_THAT(info.contract.element_types,
                  testing::Each(testing::AnyOfArray(spec->element_types())))
          << info.name();
    }
  }
}

TEST(Roster, EveryAlgorithmHasAReference) {
  for (const AlgorithmSpec* spec : AllSpecs()) {
    EXPECT_THAT(spec->implementations(),
                testing::Contains(testing::Field(&ImplementationInfo::backend,
                                                 std::string("serial"))))
        << spec->name();
  }
}

}  // namespace
}  // namespace concord
