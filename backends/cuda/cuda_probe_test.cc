// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include <cstddef>

#include "absl/strings/str_cat.h"
#include "concord/core/backend.h"
#include "concord/testing/support/cuda_context.h"
#include "concord/testing/support/named_backends.h"

namespace concord {
namespace {

std::size_t CudaDevices() {
  for (const BackendStatus& status : ListBackends()) {
    if (status.name == "cuda") return status.devices.size();
  }
  return 0;
}

TEST(CudaProbe, LeavesDevicesLikeTheFirstOneAlone) {
  const std::size_t devices = CudaDevices();
  if (devices < 2) GTEST_SKIP() << "there are not two GPUs";
  EXPECT_TRUE(HasCudaContext(0));
  for (std::size_t device = 1; device < devices; ++device) {
    EXPECT_FALSE(HasCudaContext(static_cast<int>(device)));
  }
  const auto last = static_cast<int>(devices) - 1;
  EXPECT_NE(Open(absl::StrCat("cuda:", last)), nullptr);
  EXPECT_TRUE(HasCudaContext(last));
}

}  // namespace
}  // namespace concord
