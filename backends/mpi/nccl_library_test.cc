// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/backends/mpi/nccl_library.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <future>
#include <string>

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

}  // namespace
}  // namespace concord
