// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/testing/ranks/team_cases.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <functional>
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

absl::Status CheckDamage(const Staging& staging) {
  const absl::StatusOr<Staging::Damage> damage = staging.FindDamage();
  if (!damage.ok()) return damage.status();
  if (!damage->to_guards.empty()) return absl::InternalError(damage->to_guards);
  return damage->to_inputs.empty() ? absl::OkStatus()
                                   : absl::InternalError(damage->to_inputs);
}

// What is wrong of one case on one member. DeadlineExceeded: it has waited for
// another one in vain.
absl::Status RunCase(TeamBackend& backend, FaultyTeam& team, Runner& runner,
                     const Candidate& subject, const Prepared& prepared,
                     TeamFault fault) {
  absl::StatusOr<Staging> staging =
      Staging::Create(backend, prepared.trial.test_case, prepared.outputs,
                      *FindPlacement(prepared.trial.placement));
  if (!staging.ok()) return staging.status();
  const bool is_off = fault == TeamFault::kIsOffByOne &&
                      !absl::StartsWith(prepared.trial.placement, "in_place");
  if (is_off) ShiftStretch(backend, staging->inputs(), /*back=*/false);
  team.set_armed(true);
  const absl::Status run = staging->Run(runner);
  team.set_armed(false);
  if (is_off) ShiftStretch(backend, staging->inputs(), /*back=*/true);
  const absl::Status agreed = team.Agree(run);
  if (!run.ok()) return run;
  if (!agreed.ok()) return agreed;
  if (absl::Status status = CheckDamage(*staging); !status.ok()) return status;
  const std::optional<Failure> failure = CompareOutputs(
      *subject.spec, *staging, prepared.expected,
      subject.info.contract.determinism == Determinism::kBitwiseAcrossBackends,
      FailureKind::kValue, "");
  return failure.has_value() ? absl::InternalError(failure->message)
                             : absl::OkStatus();
}

// Calls `wrong(rank, case, what)` on each member for each case that is wrong
// there, until it returns false. Members find the same, unless some wait for
// others.
void RunCases(int members, absl::string_view local, const Candidate& subject,
              const std::vector<Prepared>& cases, TeamFault fault,
              const std::function<bool(int, const Prepared&,
                                       const absl::Status&)>& wrong) {
  RunThreadTeam(members, [&](const std::shared_ptr<Team>& plain) {
    const auto team = std::make_shared<FaultyTeam>(plain, fault);
    const auto backend = OpenTeam(team, local);
    ASSERT_TRUE(backend.ok()) << backend.status();
    const auto runner = subject.spec->NewRunner(*backend, subject.info.variant);
    ASSERT_TRUE(runner.ok()) << runner.status();
    for (const Prepared& prepared : cases) {
      const absl::Status what =
          RunCase(**backend, *team, **runner, subject, prepared, fault);
      if (!what.ok() && !wrong(team->rank(), prepared, what)) break;
    }
  });
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

void ExpectRight(int members, absl::string_view local, const Candidate& subject,
                 const std::vector<Prepared>& cases) {
  RunCases(members, local, subject, cases, TeamFault::kNone,
           [](int rank, const Prepared& prepared, const absl::Status& what) {
             if (rank == 0) {
               ADD_FAILURE() << Describe(prepared.trial) << ": " << what;
             }
             return true;
           });
}

bool IsCaught(int members, absl::string_view local, const Candidate& subject,
              const std::vector<Prepared>& cases, TeamFault fault) {
  std::atomic<bool> is_caught{false};
  RunCases(members, local, subject, cases, fault,
           [&](int, const Prepared&, const absl::Status& what) {
             if (!absl::IsDeadlineExceeded(what)) is_caught = true;
             return false;
           });
  return is_caught;
}

}  // namespace concord
