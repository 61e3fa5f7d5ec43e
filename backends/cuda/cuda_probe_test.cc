// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstddef>

#include "absl/strings/str_cat.h"

#include "concord/core/backend.h"
#include "concord/testing/support/named_backends.h"

namespace concord {
namespace {

std::size_t CudaDevices() {
  for (const BackendStatus& status : ListBackends()) {
    if (status.name == "cuda") return status.devices.size();
  }
  return 0;
}

// Whether this process has a context on the device, by what the driver says.
bool HasContext(int device) {
  void* const driver = dlopen("libcuda.so.1", RTLD_LAZY);
  using GetState = int (*)(int device, unsigned* flags, int* active);
  const auto get_state = reinterpret_cast<GetState>(
      dlsym(driver, "cuDevicePrimaryCtxGetState"));
  unsigned flags = 0;
  int active = 0;
  EXPECT_EQ(get_state(device, &flags, &active), 0) << "device " << device;
  dlclose(driver);
  return active != 0;
}

// A context takes hundreds of megabytes of its device, for each process.
TEST(CudaProbe, LeavesDevicesLikeTheFirstOneAlone) {
  const std::size_t devices = CudaDevices();
  if (devices < 2) GTEST_SKIP() << "there are not two GPUs";
  EXPECT_TRUE(HasContext(0));
  for (std::size_t device = 1; device < devices; ++device) {
    EXPECT_FALSE(HasContext(static_cast<int>(device)));
  }
  const auto last = static_cast<int>(devices) - 1;
  EXPECT_NE(Open(absl::StrCat("cuda:", last)), nullptr);
  EXPECT_TRUE(HasContext(last));
}

}  // namespace
}  // namespace concord
