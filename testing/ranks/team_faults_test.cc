// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Faults that only several members can have: of the distribution, which the
// edge catalogue has to notice, and a rank that decides differently.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "concord/backends/mpi/team_backend.h"
#include "concord/backends/mpi/thread_team.h"
#include "concord/core/spec.h"
#include "concord/testing/engine/staging.h"
#include "concord/testing/ranks/faulty_team.h"
#include "concord/testing/ranks/team_cases.h"

namespace concord {
namespace {

TEST(TeamFaults, FaultsOfDistributionAreCaught) {
  // Where some of the members alone notice a fault, the others wait for them.
  setenv("CONCORD_PATIENCE", "5", 1);
  for (const Candidate& subject : Subjects()) {
    const std::vector<Prepared> cases = CasesOf(subject);
    for (const TeamFault fault :
         {TeamFault::kForgetsTheFirst, TeamFault::kKeepsItsParcels,
          TeamFault::kIsOffByOne}) {
      for (const int members : {2, 3}) {
        SCOPED_TRACE(absl::StrCat(subject.info.name(), ", fault ",
                                  static_cast<int>(fault), ", ", members,
                                  " members"));
        EXPECT_TRUE(IsCaught(members, "serial@uneven", subject, cases, fault));
      }
    }
  }
  unsetenv("CONCORD_PATIENCE");
}

TEST(TeamFaults, WaitingInVainCatchesNothing) {
  setenv("CONCORD_PATIENCE", "1", 1);
  const Candidate subject = Subjects().front();
  EXPECT_FALSE(IsCaught(2, "serial@uneven", subject, CasesOf(subject),
                        TeamFault::kDoesNotCome));
  unsetenv("CONCORD_PATIENCE");
}

// An option that only says of which type an output is makes no other call.
bool AreAlike(const std::vector<OutputSpec>& some,
              const std::vector<OutputSpec>& others) {
  return std::equal(some.begin(), some.end(), others.begin(), others.end(),
                    [](const OutputSpec& a, const OutputSpec& b) {
                      return a.type == b.type && a.shape == b.shape;
                    });
}

// What an implementation is called with: neither settings for tuning, which are
// each rank's own affair, nor those that only say which arrays a caller brings.
OptionMap WithoutTheCallers(const Candidate& subject,
                            const OptionMap& options) {
  OptionMap called = WithoutTuning(options, subject.spec->implementations());
  if (subject.spec->name() == "run_length_decode") {
    called.erase("limit");
    called.erase("length-type");
  }
  return called;
}

// Another setting of the options than the case has, for arrays of the same
// sizes.
std::optional<OptionMap> OtherOptions(const Candidate& subject,
                                      const Prepared& prepared) {
  const Case& test_case = prepared.trial.test_case;
  std::vector<OptionMap> settings =
      subject.spec->OptionCombinations(test_case.type);
  // A window that no sequence fills leaves all sizes as they are.
  settings.push_back(test_case.options);
  const auto window = settings.back().find("window");
  if (window != settings.back().end()) {
    window->second = absl::StrCat(kMostElements);
  }
  const OptionMap wanted = WithoutTheCallers(subject, test_case.options);
  for (const OptionMap& options : settings) {
    Case other = test_case;
    other.options = options;
    const auto outputs = subject.spec->OutputsOf(other);
    if (WithoutTheCallers(subject, options) != wanted && outputs.ok() &&
        AreAlike(*outputs, prepared.outputs)) {
      return options;
    }
  }
  return std::nullopt;
}

// What two ranks are about to do, by arrays of the same bytes.
struct Disagreement {
  const Prepared* one = nullptr;
  const Prepared* other = nullptr;
  OptionMap other_options;
};

bool HaveEqualBytes(const Prepared& one, const Prepared& other) {
  const auto& a = one.trial.test_case.inputs;
  const auto& b = other.trial.test_case.inputs;
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const auto& x, const auto& y) {
                      return x.second.view().bytes() == y.second.view().bytes();
                    }) &&
         std::equal(one.outputs.begin(), one.outputs.end(),
                    other.outputs.begin(), other.outputs.end(),
                    [](const OutputSpec& x, const OutputSpec& y) {
                      return CapacityBytes(x) == CapacityBytes(y);
                    });
}

// About the options if there are any, otherwise about the type of elements.
Disagreement FindDisagreement(const Candidate& subject,
                              const std::vector<Prepared>& cases) {
  for (auto found = cases.rbegin(); found != cases.rend(); ++found) {
    const std::optional<OptionMap> options = OtherOptions(subject, *found);
    if (options.has_value()) return {&*found, &*found, *options};
  }
  for (const Prepared& one : cases) {
    for (const Prepared& other : cases) {
      const Case& a = one.trial.test_case;
      const Case& b = other.trial.test_case;
      if (a.type != b.type && HaveEqualBytes(one, other)) {
        return {&one, &other, b.options};
      }
    }
  }
  return {};
}

TEST(TeamFaults, ARankThatDecidesDifferentlyIsNamedToAll) {
  for (const Candidate& subject : Subjects()) {
    SCOPED_TRACE(subject.info.name());
    const std::vector<Prepared> cases = CasesOf(subject);
    const Disagreement found = FindDisagreement(subject, cases);
    ASSERT_NE(found.one, nullptr);
    RunThreadTeam(3, [&](const std::shared_ptr<Team>& team) {
      const auto backend = TeamBackend::Open(team, "serial");
      ASSERT_TRUE(backend.ok());
      const auto runner =
          subject.spec->NewRunner(*backend, subject.info.variant);
      ASSERT_TRUE(runner.ok());
      const bool is_other = team->rank() == 2;
      const Prepared& mine = is_other ? *found.other : *found.one;
      const auto staging = Staging::Create(**backend, mine.trial.test_case,
                                           mine.outputs, Placements().front());
      ASSERT_TRUE(staging.ok());
      ASSERT_TRUE((*runner)
                      ->Configure(is_other ? found.other_options
                                           : mine.trial.test_case.options)
                      .ok());
      const absl::Status status =
          (*runner)->Run(staging->inputs(), staging->outputs());
      EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
      EXPECT_THAT(std::string(status.message()),
                  testing::StartsWith("rank 2 of 3 calls "));
      // And they go on.
      EXPECT_TRUE(team->Agree(absl::OkStatus()).ok());
    });
  }
}

}  // namespace
}  // namespace concord
