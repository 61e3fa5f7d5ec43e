// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/backends/mpi/gpu_link.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>

#include "concord/core/backend.h"
#include "concord/testing/support/cuda_context.h"
#include "concord/testing/support/named_backends.h"

namespace concord {
namespace {

// Before any test that makes one. Whoever opens `mpi` asks this, also a rank
// that computes on CPUs.
TEST(GpuLink, SeesAGpuWithoutAContext) {
  if (!HasGpu()) return SkipOrFail("cuda", "there is no GPU");
  EXPECT_FALSE(HasCudaContext(0));
}

// Another process may have a window open when its team is done with it.
TEST(GpuLink, KeepsTheMemoryOfWindows) {
  const std::shared_ptr<Backend> gpu = OpenOrSkip("cuda");
  if (gpu == nullptr) return;
  constexpr std::int64_t kBytes = 3 << 20;
  GpuWindow first = ValueOf(MakeWindow(*gpu, kBytes));
  const char* const memory = first.data.get();
  const GpuHandle handle = first.handle;
  ASSERT_NE(memory, nullptr);
  // Not while a team has it, nor for another size.
  const GpuWindow second = ValueOf(MakeWindow(*gpu, kBytes));
  EXPECT_NE(second.data.get(), memory);
  first.data.reset();
  EXPECT_NE(ValueOf(MakeWindow(*gpu, 2 * kBytes)).data.get(), memory);
  const GpuWindow third = ValueOf(MakeWindow(*gpu, kBytes));
  EXPECT_EQ(third.data.get(), memory);
  EXPECT_EQ(third.handle, handle);
}

}  // namespace
}  // namespace concord
