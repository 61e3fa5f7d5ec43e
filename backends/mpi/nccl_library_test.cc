// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/backends/mpi/nccl_library.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <future>
#include <memory>
#include <new>
#include <string>
#include <thread>

namespace concord {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

// What it says where NCCL is to be this library.
std::string ReasonWithout(const char* library) {
  setenv("CONCORD_NCCL", library, 1);
  const absl::StatusOr<const NcclLibrary*> nccl = LoadNccl();
  unsetenv("CONCORD_NCCL");
  EXPECT_EQ(nccl.status().code(), absl::StatusCode::kUnavailable);
  return std::string(nccl.status().message());
}

TEST(NcclLibrary, SaysWhyItCannotBeHad) {
  const std::string absent = ReasonWithout("/nowhere/libnccl.so.2");
  EXPECT_THAT(absent, StartsWith("NCCL cannot be loaded: "));
  EXPECT_THAT(absent, HasSubstr("/nowhere/libnccl.so.2"));
  EXPECT_EQ(ReasonWithout("libm.so.6"),
            "libm.so.6 is not NCCL of 2.7 or later: it lacks ncclGetVersion");
}

NcclLibrary StandIn() {
  NcclLibrary nccl = {};
  nccl.GetErrorString = [](NcclResult) { return "out of luck"; };
  nccl.CommInitRank = [](NcclComm* comm, int size, NcclId id, int rank) {
    *comm = reinterpret_cast<NcclComm>(std::intptr_t{100} * id.bytes[0] +
                                       std::intptr_t{10} * size + rank);
    return 0;
  };
  return nccl;
}

absl::StatusOr<NcclComm> Start(const NcclLibrary& nccl, double patience,
                               const absl::Status& activated = {}) {
  return StartNccl(
      nccl, /*size=*/3, NcclId{{7}}, /*rank=*/2, [=] { return activated; },
      patience);
}

TEST(StartNccl, GivesTheCommunicatorOrWhatFailed) {
  NcclLibrary nccl = StandIn();
  const absl::StatusOr<NcclComm> comm = Start(nccl, 300);
  ASSERT_TRUE(comm.ok()) << comm.status();
  EXPECT_EQ(reinterpret_cast<std::intptr_t>(*comm), 732);
  EXPECT_EQ(Start(nccl, 300, absl::DataLossError("no GPU")).status(),
            absl::DataLossError("no GPU"));
  nccl.CommInitRank = [](NcclComm*, int, NcclId, int) { return 5; };
  EXPECT_EQ(Start(nccl, 300).status(),
            absl::AbortedError("a communicator by NCCL: out of luck"));
}

TEST(StartNccl, OthersThatDoNotComeAreAwaitedWithALimit) {
  // As long as some member is missing. The thread outlives the test.
  static auto& missing = *new std::promise<void>();
  NcclLibrary nccl = StandIn();
  nccl.CommInitRank = [](NcclComm*, int, NcclId, int) {
    missing.get_future().wait();
    return 0;
  };
  EXPECT_EQ(Start(nccl, 0.1).status(),
            absl::DeadlineExceededError(
                "waited 0.1 seconds for a communicator of NCCL's "
                "(CONCORD_PATIENCE)"));
  missing.set_value();
}

TEST(WaitWithin, GivesWhatTheCallReturns) {
  EXPECT_EQ(
      WaitWithin(300, "rank 1", [] { return absl::DataLossError("torn"); }),
      absl::DataLossError("torn"));
}

TEST(WaitWithin, GivesWhatTheCallThrows) {
  EXPECT_EQ(WaitWithin(300, "rank 1",
                       []() -> absl::Status { throw std::bad_alloc(); })
                .code(),
            absl::StatusCode::kResourceExhausted);
}

void Sleep(double seconds) {
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
}

TEST(WaitWithin, WhatTheCallHoldsHasEndedWhenItReturns) {
  static std::atomic<bool> has_ended{false};
  const auto end = [](int*) {
    Sleep(0.1);
    has_ended = true;
  };
  EXPECT_TRUE(
      WaitWithin(300, "rank 1", [held = std::shared_ptr<int>(nullptr, end)] {
        return absl::OkStatus();
      }).ok());
  EXPECT_TRUE(has_ended);
}

// Another process stops this one soon, for so long.
void StopSoon(double seconds) {
  const pid_t stopped = getpid();
  if (fork() != 0) return;
  Sleep(0.2);
  kill(stopped, SIGSTOP);
  Sleep(seconds);
  kill(stopped, SIGCONT);
  _exit(0);
}

TEST(WaitWithinDeathTest, TimeInWhichTheProcessStoodStillCountsLittle) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto wait = [] {
    StopSoon(3);
    const absl::Status status = WaitWithin(2, "rank 1", [] {
      for (int i = 0; i < 5; ++i) Sleep(0.1);
      return absl::OkStatus();
    });
    _exit(status.ok() ? 0 : 1);
  };
  EXPECT_EXIT(wait(), ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace concord
