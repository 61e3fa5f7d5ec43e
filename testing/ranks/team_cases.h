// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_TESTING_RANKS_TEAM_CASES_H_
#define CONCORD_TESTING_RANKS_TEAM_CASES_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "concord/backends/mpi/team_backend.h"
#include "concord/core/registry.h"
#include "concord/core/spec.h"
#include "concord/testing/engine/expectations.h"
#include "concord/testing/engine/recipe.h"
#include "concord/testing/ranks/faulty_team.h"

namespace concord {

// Cases of this size and more are for processes of their own: every member of a
// thread team has each of them in full.
inline constexpr std::int64_t kMostElements = 300000;

// A case with all that members share of it.
struct Prepared {
  Trial trial;
  std::vector<OutputSpec> outputs;
  Expectations expected;
};

// An implementation under test.
struct Candidate {
  const AlgorithmSpec* spec;
  ImplementationInfo info;
};

// All implementations for ranks.
std::vector<Candidate> Subjects();

// The edge catalogue of one.
std::vector<Prepared> CasesOf(const Candidate& subject);

// `local` is what each member computes on, as TeamBackend::Open takes it, or
// where its stretches lie, as OpenElsewhere does.
inline constexpr absl::string_view kElsewhere = "elsewhere@uneven";

absl::StatusOr<std::shared_ptr<TeamBackend>> OpenTeam(
    std::shared_ptr<Team> team, absl::string_view local);

// Runs the cases on a team of so many members. Each that is wrong is a failure
// of the test.
void ExpectRight(int members, absl::string_view local, const Candidate& subject,
                 const std::vector<Prepared>& cases);

// Whether one of the cases shows the fault: some member finds a wrong result,
// or fails with a reason of its own. The others may then wait in vain for that
// one. If all members do nothing but wait, nobody has noticed what is wrong.
bool IsCaught(int members, absl::string_view local, const Candidate& subject,
              const std::vector<Prepared>& cases, TeamFault fault);

}  // namespace concord

#endif  // CONCORD_TESTING_RANKS_TEAM_CASES_H_
