// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/testing/ranks/team_cases.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "concord/backends/mpi/elsewhere.h"
#include "concord/backends/mpi/thread_team.h"
#include "concord/testing/engine/staging.h"

namespace concord {
namespace {

// Moves the elements that the last member has of the first input around by one,
// forwards or back.
void ShiftStretch(TeamBackend& backend, const Inputs& inputs, bool back) {
  const ConstArrayView input = inputs.begin()->second;
  const auto stretches = backend.Stretches(input);
  if (!stretches.ok() || backend.team().rank() != backend.team().size() - 1) {
    return;
  }
  const ConstArrayView mine = backend.Here(input, backend.Mine(*stretches));
  if (mine.size() < 2) return;
  char* const first = const_cast<char*>(mine.data<char>());
  char* const last = first + mine.bytes();
  const std::int64_t width = SizeOf(mine.type());
  std::rotate(first, back ? last - width : first + width, last);
}

// What is wrong of one case on one member; "" when nothing is.
std::string RunCase(TeamBackend& backend, FaultyTeam& team, Runner& runner,
                    const Candidate& subject, const Prepared& prepared,
                    TeamFault fault) {
  absl::StatusOr<Staging> staging =
      Staging::Create(backend, prepared.trial.test_case, prepared.outputs,
                      *FindPlacement(prepared.trial.placement));
  if (!staging.ok()) return std::string(staging.status().message());
  const bool is_off = fault == TeamFault::kIsOffByOne &&
                      !absl::StartsWith(prepared.trial.placement, "in_place");
  if (is_off) ShiftStretch(backend, staging->inputs(), /*back=*/false);
  team.set_armed(true);
  absl::Status status = staging->Run(runner);
  team.set_armed(false);
  if (is_off) ShiftStretch(backend, staging->inputs(), /*back=*/true);
  status = team.Agree(status);
  if (!status.ok()) return std::string(status.message());
  const absl::StatusOr<Staging::Damage> damage = staging->FindDamage();
  if (!damage.ok()) return std::string(damage.status().message());
  if (!damage->to_guards.empty()) return damage->to_guards;
  if (!damage->to_inputs.empty()) return damage->to_inputs;
  const std::optional<Failure> failure = CompareOutputs(
      *staging, prepared.expected,
      subject.info.contract.determinism == Determinism::kBitwiseAcrossBackends,
      FailureKind::kValue, "");
  return failure.has_value() ? failure->message : "";
}

}  // namespace

std::vector<Candidate> Subjects() {
  std::vector<Candidate> subjects;
  for (const AlgorithmSpec* spec : AllSpecs()) {
    for (const ImplementationInfo& info : spec->implementations()) {
      if (info.backend == "mpi") subjects.push_back({spec, info});
    }
  }
  return subjects;
}

std::vector<Prepared> CasesOf(const Candidate& subject) {
  std::vector<Prepared> cases;
  for (const Recipe& recipe :
       EdgeCatalogue({subject.spec, subject.info, {"mpi"}}, /*seed=*/1)) {
    if (recipe.request.size > kMostElements) continue;
    absl::StatusOr<Trial> trial = CarryOut(recipe, *subject.spec);
    EXPECT_TRUE(trial.ok()) << trial.status();
    absl::StatusOr<std::vector<OutputSpec>> outputs =
        subject.spec->OutputsOf(trial->test_case);
    absl::StatusOr<Expectations> expected =
        subject.spec->Expected(trial->test_case);
    EXPECT_TRUE(outputs.ok() && expected.ok());
    cases.push_back(
        {*std::move(trial), *std::move(outputs), *std::move(expected)});
  }
  return cases;
}

absl::StatusOr<std::shared_ptr<TeamBackend>> OpenTeam(
    std::shared_ptr<Team> team, absl::string_view local) {
  return local == kElsewhere ? OpenElsewhere(std::move(team), Layout::kUneven)
                             : TeamBackend::Open(std::move(team), local);
}

int CountWrong(int members, absl::string_view local, const Candidate& subject,
               const std::vector<Prepared>& cases, TeamFault fault) {
  std::atomic<int> wrong{0};
  RunThreadTeam(members, [&](const std::shared_ptr<Team>& plain) {
    const auto team = std::make_shared<FaultyTeam>(plain, fault);
    const auto backend = OpenTeam(team, local);
    ASSERT_TRUE(backend.ok()) << backend.status();
    const auto runner = subject.spec->NewRunner(*backend, subject.info.variant);
    ASSERT_TRUE(runner.ok()) << runner.status();
    for (const Prepared& prepared : cases) {
      const std::string what =
          RunCase(**backend, *team, **runner, subject, prepared, fault);
      // All members see the same results, and so find the same.
      if (what.empty()) continue;
      if (team->rank() == 0) ++wrong;
      // A fault is caught by one case.
      if (fault != TeamFault::kNone) break;
      if (team->rank() == 0) {
        ADD_FAILURE() << Describe(prepared.trial) << ": " << what;
      }
    }
  });
  return wrong;
}

}  // namespace concord
