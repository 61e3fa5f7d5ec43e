// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/backends/mpi/gpu_ways.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "concord/backends/mpi/thread_team.h"
#include "concord/core/errors.h"

namespace concord {
namespace {

using ::testing::ElementsAre;

GpuOffer Offer(std::uint64_t host, unsigned char gpu,
               const char* no_nccl = "") {
  GpuOffer offer = {};
  offer.host = host;
  offer.gpu[15] = gpu;
  std::strcpy(offer.no_nccl, no_nccl);
  return offer;
}

TEST(GpuWays, AreFoundByTheirNames) {
  for (const GpuWay way : {GpuWay::kIpc, GpuWay::kNccl, GpuWay::kStaged}) {
    EXPECT_EQ(FindGpuWay(Name(way)), way);
  }
  EXPECT_EQ(FindGpuWay("mpi"), std::nullopt);
  EXPECT_EQ(FindGpuWay(""), std::nullopt);
}

TEST(GpuWays, OnOneHostHandlesAreTriedFirst) {
  const auto plan = PlanWays({Offer(1, 0), Offer(1, 1), Offer(1, 2)}, {});
  ASSERT_TRUE(plan.ok());
  EXPECT_THAT(plan->ways,
              ElementsAre(GpuWay::kIpc, GpuWay::kNccl, GpuWay::kStaged));
  EXPECT_EQ(plan->reasons, "");
}

TEST(GpuWays, BetweenHostsItIsNccl) {
  const auto plan = PlanWays({Offer(1, 0), Offer(1, 1), Offer(2, 2)}, {});
  ASSERT_TRUE(plan.ok());
  EXPECT_THAT(plan->ways, ElementsAre(GpuWay::kNccl, GpuWay::kStaged));
  EXPECT_EQ(plan->reasons, "ipc: ranks 0 and 2 are not on one host");
}

TEST(GpuWays, OneMemberWithoutNcclLetsAllDoWithoutIt) {
  const auto plan = PlanWays({Offer(1, 0), Offer(2, 1, "not there")}, {});
  ASSERT_TRUE(plan.ok());
  EXPECT_THAT(plan->ways, ElementsAre(GpuWay::kStaged));
  EXPECT_EQ(plan->reasons,
            "ipc: ranks 0 and 1 are not on one host; "
            "nccl: rank 1: not there");
}

TEST(GpuWays, NcclTakesOneRankForEachGpu) {
  const auto plan = PlanWays({Offer(1, 0), Offer(1, 1), Offer(1, 0)}, {});
  ASSERT_TRUE(plan.ok());
  EXPECT_THAT(plan->ways, ElementsAre(GpuWay::kIpc, GpuWay::kStaged));
  EXPECT_EQ(plan->reasons,
            "nccl: ranks 0 and 2 have the same GPU, and NCCL takes one rank "
            "each");
}

TEST(GpuWays, WhatIsForcedIsTheOnlyOneOrRefused) {
  const std::vector<GpuOffer> offers = {Offer(1, 0), Offer(2, 1, "not there")};
  const auto staged = PlanWays(offers, GpuWay::kStaged);
  ASSERT_TRUE(staged.ok());
  EXPECT_THAT(staged->ways, ElementsAre(GpuWay::kStaged));
  EXPECT_EQ(staged->reasons, "");
  EXPECT_EQ(PlanWays(offers, GpuWay::kIpc).status(),
            absl::UnavailableError("ipc: ranks 0 and 1 are not on one host"));
  EXPECT_EQ(PlanWays(offers, GpuWay::kNccl).status(),
            absl::UnavailableError("nccl: rank 1: not there"));
}

// What members get where member 1 cannot go the ways of `broken`.
void ExpectFirst(const GpuPlan& plan, const std::vector<GpuWay>& broken,
                 const absl::StatusOr<std::string>& wanted) {
  RunThreadTeam(3, [&](const std::shared_ptr<Team>& team) {
    const auto first = FirstThatWorks(
        *team, plan, [&](GpuWay way) -> absl::StatusOr<std::shared_ptr<Team>> {
          for (const GpuWay one : broken) {
            if (one == way && team->rank() == 1) {
              return InternalError("no ", Name(way));
            }
          }
          return team;
        });
    ASSERT_EQ(first.status(), wanted.status());
    if (!wanted.ok()) return;
    EXPECT_EQ(first->way, *wanted);
    EXPECT_EQ(first->team, team);
    // And they go on.
    EXPECT_TRUE(team->Meet().ok());
  });
}

TEST(GpuWays, WhatOneMemberCannotDoNobodyDoes) {
  const GpuPlan all = {{GpuWay::kIpc, GpuWay::kNccl, GpuWay::kStaged}, ""};
  ExpectFirst(all, {}, std::string("ipc"));
  ExpectFirst(all, {GpuWay::kNccl}, std::string("ipc"));
  ExpectFirst(all, {GpuWay::kIpc},
              std::string("nccl (ipc: rank 1 of 3: no ipc)"));
  ExpectFirst(all, {GpuWay::kIpc, GpuWay::kNccl},
              std::string("staged (ipc: rank 1 of 3: no ipc; nccl: rank 1 of "
                          "3: no nccl)"));
  ExpectFirst({{GpuWay::kStaged}, "ipc: far"}, {},
              std::string("staged (ipc: far)"));
  ExpectFirst({{GpuWay::kIpc}, ""}, {GpuWay::kIpc},
              absl::UnavailableError("ipc: rank 1 of 3: no ipc"));
}

TEST(GpuWays, AMemberThatDoesNotComeEndsTheSearch) {
  RunThreadTeam(
      2,
      [&](const std::shared_ptr<Team>& team) {
        if (team->rank() == 1) return;
        int tried = 0;
        const auto first = FirstThatWorks(
            *team, {{GpuWay::kIpc, GpuWay::kStaged}, ""},
            [&](GpuWay) -> absl::StatusOr<std::shared_ptr<Team>> {
              ++tried;
              return team;
            });
        EXPECT_TRUE(absl::IsDeadlineExceeded(first.status()));
        EXPECT_EQ(tried, 1);
      },
      /*patience=*/0.05);
}

}  // namespace
}  // namespace concord
