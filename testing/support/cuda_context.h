// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_TESTING_SUPPORT_CUDA_CONTEXT_H_
#define CONCORD_TESTING_SUPPORT_CUDA_CONTEXT_H_

#include <dlfcn.h>
#include <gtest/gtest.h>

namespace concord {

// Whether this process has a context on the device, by what the driver says,
// which is there. A context takes hundreds of megabytes of its device, for each
// process.
inline bool HasCudaContext(int device) {
  void* const driver = dlopen("libcuda.so.1", RTLD_LAZY);
  using GetState = int (*)(int device, unsigned* flags, int* active);
  const auto get_state =
      reinterpret_cast<GetState>(dlsym(driver, "cuDevicePrimaryCtxGetState"));
  unsigned flags = 0;
  int active = 0;
  EXPECT_EQ(get_state(device, &flags, &active), 0) << "device " << device;
  dlclose(driver);
  return active != 0;
}

}  // namespace concord

#endif  // CONCORD_TESTING_SUPPORT_CUDA_CONTEXT_H_
