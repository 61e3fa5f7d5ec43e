// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/backends/mpi/nccl_team.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "concord/backends/mpi/gpu_ways.h"
#include "concord/backends/mpi/thread_team.h"
#include "concord/testing/support/plain_backend.h"

namespace concord {
namespace {

using ::testing::Each;
using ::testing::Ne;

constexpr int kMembers = 2;

// A communicator of the library that stands in for NCCL. It moves nothing.
struct Comm {
  // Those that have sent and received since this was empty.
  std::vector<std::thread::id> threads;
  std::atomic<int> destroyed{0};
  std::atomic<int> aborted{0};
};

// Those of each test, by rank. They outlive it, as threads do that go on
// waiting.
std::deque<std::array<Comm, kMembers>>& AllComms() {
  static auto* const all = new std::deque<std::array<Comm, kMembers>>;
  return *all;
}

// Of the current test.
Comm& CommOf(int rank) {
  return AllComms().back()[static_cast<std::size_t>(rank)];
}

NcclResult CallBy(NcclComm comm) {
  static_cast<Comm*>(comm)->threads.push_back(std::this_thread::get_id());
  return 0;
}

[[noreturn]] void WaitForEver() {
  std::promise<void> never;
  never.get_future().wait();
  std::abort();
}

NcclLibrary StandIn() {
  AllComms().emplace_back();
  NcclLibrary nccl = {};
  nccl.GetErrorString = [](NcclResult) { return "out of luck"; };
  nccl.GetUniqueId = [](NcclId*) { return 0; };
  nccl.CommInitRank = [](NcclComm* comm, int, NcclId, int rank) {
    *comm = &CommOf(rank);
    return 0;
  };
  nccl.CommDestroy = [](NcclComm comm) {
    ++static_cast<Comm*>(comm)->destroyed;
    return 0;
  };
  nccl.CommAbort = [](NcclComm comm) {
    ++static_cast<Comm*>(comm)->aborted;
    return 0;
  };
  nccl.CommGetAsyncError = [](NcclComm, NcclResult*) { return 0; };
  nccl.GroupStart = [] { return 0; };
  nccl.GroupEnd = [] { return 0; };
  nccl.Send = [](const void*, std::size_t, int, int, NcclComm comm,
                 cudaStream_t) { return CallBy(comm); };
  nccl.Recv = [](void*, std::size_t, int, int, NcclComm comm, cudaStream_t) {
    return CallBy(comm);
  };
  return nccl;
}

using Made = absl::StatusOr<std::shared_ptr<Team>>;

// Calls it as each member, with the member's team and what NCCL's has come to.
// `is_done`: whether what a member has to get has come.
void OnEachMember(
    const NcclLibrary& nccl, double patience,
    const std::function<void(Team& team, Made made)>& member,
    const std::function<bool(int rank)>& is_done = [](int) { return true; }) {
  setenv("CONCORD_PATIENCE", std::to_string(patience).c_str(), 1);
  RunThreadTeam(
      kMembers,
      [&](const std::shared_ptr<Team>& team) {
        const auto local =
            std::make_shared<PlainBackend>("cuda", Memory("elsewhere"));
        member(*team, MakeNcclTeam(team, local,
                                   {&nccl, nullptr, [&, rank = team->rank()] {
                                      return is_done(rank);
                                    }}));
      },
      patience);
  unsetenv("CONCORD_PATIENCE");
}

// A byte from each member to the other, where bytes(from, to) says so.
absl::Status Exchange(Team& carrier,
                      const std::function<bool(int, int)>& bytes) {
  const int self = carrier.rank();
  std::array<char, kMembers> sent = {};
  std::array<char, kMembers> got = {};
  std::vector<Parcel> parcels;
  std::vector<Slot> slots;
  for (int r = 0; r < kMembers; ++r) {
    const auto other = static_cast<std::size_t>(r);
    parcels.push_back({&sent[other], bytes(self, r) ? 1 : 0});
    slots.push_back({&got[other], bytes(r, self) ? 1 : 0});
  }
  return carrier.Exchange(parcels, slots);
}

bool ToTheOther(int from, int to) { return from != to; }

// NCCL connects there, and waits for the other one without a limit.
TEST(NcclTeam, TheFirstBytesOfEachDirectionAreLeftToAThread) {
  OnEachMember(StandIn(), 20, [](Team& team, Made made) {
    ASSERT_TRUE(made.ok()) << made.status();
    std::vector<std::thread::id>& threads = CommOf(team.rank()).threads;
    const auto self = std::this_thread::get_id();
    for (const int first : {0, 1}) {
      threads.clear();
      EXPECT_TRUE(Exchange(**made, [&](int from, int to) {
                    return from == first && to != first;
                  }).ok());
      EXPECT_EQ(threads.size(), 1u);
      EXPECT_THAT(threads, Each(Ne(self))) << "from " << first;
    }
    threads.clear();
    EXPECT_TRUE(Exchange(**made, ToTheOther).ok());
    EXPECT_EQ(threads, std::vector<std::thread::id>(2, self));
  });
}

TEST(NcclTeam, EndsItsCommunicatorOnce) {
  OnEachMember(StandIn(), 20, [](Team& team, Made made) {
    ASSERT_TRUE(made.ok()) << made.status();
    EXPECT_TRUE(Exchange(**made, ToTheOther).ok());
    made = Made(nullptr);
    EXPECT_EQ(CommOf(team.rank()).destroyed, 1);
    EXPECT_EQ(CommOf(team.rank()).aborted, 0);
  });
}

TEST(NcclTeam, TheEndOfOneIsWaitedForWithALimit) {
  NcclLibrary nccl = StandIn();
  nccl.CommDestroy = [](NcclComm) -> NcclResult { WaitForEver(); };
  // Comes to an end.
  OnEachMember(nccl, 4, [](Team&, const Made& made) {
    ASSERT_TRUE(made.ok()) << made.status();
  });
}

// The one that fails comes to the end of the step long before the other.
TEST(NcclTeam, WhyOneFailedIsToldToThoseThatWaitForIt) {
  NcclLibrary nccl = StandIn();
  nccl.Send = [](const void*, std::size_t, int, int to, NcclComm,
                 cudaStream_t) {
    if (to == 0) return 5;
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    return 0;
  };
  nccl.CommAbort = [](NcclComm comm) -> NcclResult {
    ++static_cast<Comm*>(comm)->aborted;
    WaitForEver();
  };
  const auto is_done = [](int) { return false; };
  OnEachMember(
      nccl, 4,
      [](Team& team, Made made) {
        ASSERT_TRUE(made.ok()) << made.status();
        const absl::Status why =
            absl::AbortedError("rank 1 of 2: sending by NCCL: out of luck");
        EXPECT_EQ(Exchange(**made, ToTheOther), why);
        EXPECT_EQ(Exchange(**made, ToTheOther), why);
        made = Made(nullptr);
        EXPECT_EQ(CommOf(team.rank()).aborted, 1);
        EXPECT_EQ(CommOf(team.rank()).destroyed, 0);
      },
      is_done);
}

TEST(NcclTeam, IsAbortedWhereAMemberDoesNotCome) {
  OnEachMember(StandIn(), 4, [](Team& team, Made made) {
    ASSERT_TRUE(made.ok()) << made.status();
    if (team.rank() == 0) {
      EXPECT_TRUE(absl::IsDeadlineExceeded(Exchange(**made, ToTheOther)));
      made = Made(nullptr);
      EXPECT_EQ(CommOf(0).aborted, 1);
      EXPECT_EQ(CommOf(0).destroyed, 0);
    }
  });
}

TEST(NcclTeam, IsAbortedWhereAMemberDoesNotComeToUseIt) {
  OnEachMember(StandIn(), 4, [](Team& team, Made made) {
    ASSERT_TRUE(made.ok()) << made.status();
    if (team.rank() == 1) return;
    const auto first = FirstThatWorks(team, {{GpuWay::kNccl}, ""},
                                      [&](GpuWay) { return std::move(made); });
    EXPECT_TRUE(absl::IsDeadlineExceeded(first.status())) << first.status();
    EXPECT_EQ(CommOf(0).aborted, 1);
    EXPECT_EQ(CommOf(0).destroyed, 0);
  });
}

TEST(NcclTeam, WhatOneMemberAloneHasIsAborted) {
  NcclLibrary nccl = StandIn();
  nccl.CommInitRank = [](NcclComm* comm, int, NcclId, int rank) {
    *comm = &CommOf(rank);
    return rank == 1 ? 5 : 0;
  };
  OnEachMember(nccl, 20, [](Team& team, const Made& made) {
    EXPECT_EQ(
        made.status(),
        absl::AbortedError("rank 1 of 2: a communicator by NCCL: out of luck"));
    EXPECT_EQ(CommOf(team.rank()).aborted, team.rank() == 0 ? 1 : 0);
    EXPECT_EQ(CommOf(team.rank()).destroyed, 0);
  });
}

}  // namespace
}  // namespace concord
