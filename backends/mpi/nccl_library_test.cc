// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/backends/mpi/nccl_library.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
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

}  // namespace
}  // namespace concord
