// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/backends/mpi/team.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "concord/backends/mpi/stretches.h"
#include "concord/backends/mpi/thread_team.h"

namespace concord {
namespace {

using ::testing::ElementsAre;

TEST(ShareOf, SharesMakeUpTheRange) {
  for (const Range range : {Range{0, 0}, Range{3, 10}, Range{5, 1'000'005}}) {
    for (const std::int64_t count : {1, 3, 8}) {
      std::int64_t next = range.first;
      for (std::int64_t k = 0; k < count; ++k) {
        const Range share = ShareOf(range, k, count);
        EXPECT_EQ(share.first, next);
        EXPECT_GE(share.size(), range.size() / count);
        EXPECT_LE(share.size(), range.size() / count + 1);
        next = share.last;
      }
      EXPECT_EQ(next, range.last);
    }
  }
}

TEST(Team, GathersInOrderOfRanks) {
  RunThreadTeam(7, [](const std::shared_ptr<Team>& team) {
    const auto all = team->AllGather(10 * team->rank());
    ASSERT_TRUE(all.ok());
    EXPECT_THAT(*all, ElementsAre(0, 10, 20, 30, 40, 50, 60));
  });
}

TEST(Team, GoesOnWhenAllAreFine) {
  RunThreadTeam(7, [](const std::shared_ptr<Team>& team) {
    EXPECT_TRUE(team->AgreeOn("scan", absl::OkStatus()).ok());
  });
}

TEST(Team, TellsAllOfTheFailureOfTheLowestRankAndGoesOn) {
  RunThreadTeam(7, [](const std::shared_ptr<Team>& team) {
    const absl::Status mine =
        team->rank() == 2 || team->rank() == 5
            ? absl::ResourceExhaustedError(
                  absl::StrCat("rank ", team->rank(), " has no memory"))
            : absl::OkStatus();
    EXPECT_EQ(
        team->AgreeOn("scan", mine),
        absl::ResourceExhaustedError("rank 2 of 7: rank 2 has no memory"));
    EXPECT_TRUE(team->Agree(absl::OkStatus()).ok());
  });
}

TEST(Team, OneThatWaitedInVainIsNotTheReason) {
  RunThreadTeam(4, [](const std::shared_ptr<Team>& team) {
    const absl::Status in_vain = absl::DeadlineExceededError("nobody came");
    const absl::Status torn = absl::DataLossError("torn");
    const bool knows_why = team->rank() == 2;
    EXPECT_EQ(team->Agree(knows_why ? torn : in_vain),
              absl::DataLossError("rank 2 of 4: torn"));
    EXPECT_EQ(team->Agree(knows_why ? absl::OkStatus() : in_vain),
              absl::DeadlineExceededError("rank 0 of 4: nobody came"));
  });
}

// All members bring what they have agreed on to the next meeting.
TEST(Team, NamesTheRankOfAFailureOnce) {
  RunThreadTeam(3, [](const std::shared_ptr<Team>& team) {
    absl::Status status =
        team->Agree(team->rank() == 1 ? absl::NotFoundError("no such thing")
                                      : absl::OkStatus());
    for (int again = 0; again < 2; ++again) status = team->Agree(status);
    EXPECT_EQ(status, absl::NotFoundError("rank 1 of 3: no such thing"));
    const absl::Status other = absl::InternalError("rank 1 of 4: of others");
    EXPECT_EQ(team->Agree(other).message(),
              "rank 0 of 3: rank 1 of 4: of others");
  });
}

TEST(Team, ARankThatCallsSomethingElseIsNamedToAll) {
  RunThreadTeam(7, [](const std::shared_ptr<Team>& team) {
    EXPECT_EQ(
        team->AgreeOn(team->rank() == 3 ? "reduce" : "scan", absl::OkStatus()),
        absl::InvalidArgumentError(
            "rank 3 of 7 calls reduce, but rank 0 scan"));
  });
}

TEST(Team, ARankThatOnlyMeetsOrTellsSizesIsNamedToo) {
  RunThreadTeam(3, [](const std::shared_ptr<Team>& team) {
    const auto calls = [&]() -> absl::Status {
      switch (team->rank()) {
        case 0:
          return team->AgreeOn("scan", absl::OkStatus());
        case 1:
          return team->Meet();
        default:
          return team->AgreeOnSizes("names", 5).status();
      }
    };
    EXPECT_EQ(calls(), absl::InvalidArgumentError(
                           "rank 1 of 3 calls a meeting, but rank 0 scan"));
    const auto sizes = team->AgreeOnSizes("names", 10 * team->rank());
    ASSERT_TRUE(sizes.ok()) << sizes.status();
    EXPECT_EQ(*sizes, (std::vector<std::int64_t>{0, 10, 20}));
  });
}

TEST(Team, AMemberThatDoesNotComeEndsTheWait) {
  const auto member = [](const std::shared_ptr<Team>& team) {
    if (team->rank() == 1) return;
    EXPECT_EQ(team->Meet().code(), absl::StatusCode::kDeadlineExceeded);
    EXPECT_EQ(team->Meet().code(), absl::StatusCode::kDeadlineExceeded);
  };
  RunThreadTeam(3, member, /*patience=*/0.2);
}

// What every member of a team has after it got what it wants of 0, 1, 2, ...
void CheckRedistribution(const Ranges& held, const Ranges& wanted) {
  RunThreadTeam(
      static_cast<int>(held.size()), [&](const std::shared_ptr<Team>& team) {
        const auto self = static_cast<std::size_t>(team->rank());
        std::vector<int> from;
        for (std::int64_t i = held[self].first; i < held[self].last; ++i) {
          from.push_back(static_cast<int>(i));
        }
        std::vector<int> to(wanted[self].size(), -1);
        ASSERT_TRUE(Redistribute(*team, held, from.data(), wanted, to.data(),
                                 sizeof(int))
                        .ok());
        for (std::int64_t i = 0; i < wanted[self].size(); ++i) {
          EXPECT_EQ(to[i], wanted[self].first + i);
        }
      });
}

TEST(Stretches, AreRedistributedWhereverTheyAreCut) {
  const std::vector<Ranges> cuts = {{{0, 10}, {10, 20}, {20, 30}},
                                    {{0, 0}, {0, 30}, {30, 30}},
                                    {{0, 29}, {29, 29}, {29, 30}},
                                    {{0, 1}, {1, 2}, {2, 30}}};
  for (const Ranges& held : cuts) {
    for (const Ranges& wanted : cuts) CheckRedistribution(held, wanted);
    CheckRedistribution(held, AllOf(30, 3));
    // Not everything, and some of it twice.
    CheckRedistribution(held, {{5, 8}, {7, 20}, {9, 9}});
  }
}

TEST(Stretches, MakeUpTheArrayAndKeepElementsWhole) {
  for (const Layout layout : {Layout::kEven, Layout::kUneven}) {
    for (const int members : {1, 2, 3, 7}) {
      for (const std::int64_t bytes :
           {std::int64_t{1}, std::int64_t{8}, std::int64_t{8300},
            std::int64_t{1} << 20, (std::int64_t{1} << 40) + 3}) {
        const Ranges stretches = CutBytes(bytes, members, layout);
        ASSERT_EQ(stretches.size(), static_cast<std::size_t>(members));
        EXPECT_EQ(stretches.front().first, 0);
        EXPECT_EQ(stretches.back().last, bytes);
        for (int r = 0; r < members; ++r) {
          EXPECT_LE(stretches[r].first, stretches[r].last);
          EXPECT_EQ(stretches[r].first % 8 * stretches[r].size(), 0);
          EXPECT_EQ(stretches[r].first, r == 0 ? 0 : stretches[r - 1].last);
          if (layout == Layout::kEven) {
            EXPECT_NEAR(static_cast<double>(stretches[r].size()),
                        static_cast<double>(bytes) / members, 2 * 4096);
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace concord
