// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/backends/cuda/kept_memory.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

namespace concord {
namespace {

TEST(KeptMemoryTest, AllThatAreThereGiveBack) {
  int first = 0;
  int second = 0;
  const KeptMemory one([&first] { ++first; });
  {
    const KeptMemory two([&second] { ++second; });
    KeptMemory::AllGiveBack();
  }
  KeptMemory::AllGiveBack();
  EXPECT_EQ(first, 2);
  EXPECT_EQ(second, 1);
}

// What `give_back` refers to goes right after the object itself.
TEST(KeptMemoryTest, NoneIsAskedOnceItIsGone) {
  std::atomic<bool> done = {false};
  std::atomic<int> late = {0};
  std::thread asking([&done] {
    while (!done) KeptMemory::AllGiveBack();
  });
  for (int i = 0; i < 1000; ++i) {
    std::atomic<bool> alive = {true};
    {
      const KeptMemory kept([&] { late += alive ? 0 : 1; });
    }
    alive = false;
  }
  done = true;
  asking.join();
  EXPECT_EQ(late, 0);
}

}  // namespace
}  // namespace concord
