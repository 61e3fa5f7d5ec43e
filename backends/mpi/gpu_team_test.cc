// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/backends/mpi/gpu_team.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "concord/backends/mpi/gpu_link.h"
#include "concord/backends/mpi/thread_team.h"

namespace concord {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(GpuTeam, IsWhatIsCalledCuda) {
  EXPECT_TRUE(AsksForGpus("cuda"));
  EXPECT_TRUE(AsksForGpus("cuda@ipc"));
  EXPECT_FALSE(AsksForGpus(""));
  EXPECT_FALSE(AsksForGpus("cudas"));
  EXPECT_FALSE(AsksForGpus("tbb:2@uneven"));
}

TEST(GpuTeam, TellsWhatItTakes) {
  RunThreadTeam(2, [](const std::shared_ptr<Team>& team) {
    for (const char* const argument :
         {"cuda@", "cuda@mpi", "cuda@ipc@staged", "cuda@uneven@uneven"}) {
      const auto parts = OpenOnGpus(team, argument);
      EXPECT_EQ(parts.status().code(), absl::StatusCode::kInvalidArgument)
          << argument;
      EXPECT_THAT(std::string(parts.status().message()),
                  HasSubstr("'@ipc', '@nccl' and '@staged'"));
    }
  });
}

TEST(GpuTeam, WithoutAGpuItIsUnavailableAndSaysWhy) {
  const BackendStatus cuda = ProbeGpus();
  if (cuda.available()) GTEST_SKIP() << "there is a GPU";
  RunThreadTeam(2, [&](const std::shared_ptr<Team>& team) {
    const auto parts = OpenOnGpus(team, "cuda@staged");
    EXPECT_EQ(parts.status().code(), absl::StatusCode::kUnavailable);
    EXPECT_THAT(std::string(parts.status().message()),
                StartsWith("rank 0 of 2: cuda is not available"));
    EXPECT_THAT(std::string(parts.status().message()), HasSubstr(cuda.reason));
  });
}

}  // namespace
}  // namespace concord
