// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/backends/tbb/available_cpus.h"

#include <sched.h>

#include <thread>

#include "gtest/gtest.h"

namespace concord {
namespace {

TEST(AvailableCpus, QuotaOfCgroupVersion2IsRoundedUp) {
  EXPECT_EQ(CpusOfCpuMax("max 100000\n"), std::nullopt);
  EXPECT_EQ(CpusOfCpuMax("200000 100000\n"), 2);
  EXPECT_EQ(CpusOfCpuMax("150000 100000\n"), 2);
  EXPECT_EQ(CpusOfCpuMax("10000 100000\n"), 1);
  EXPECT_EQ(CpusOfCpuMax(""), std::nullopt);
}

TEST(AvailableCpus, QuotaOfCgroupVersion1) {
  EXPECT_EQ(CpusOfCfsQuota("-1\n", "100000\n"), std::nullopt);
  EXPECT_EQ(CpusOfCfsQuota("350000\n", "100000\n"), 4);
  EXPECT_EQ(CpusOfCfsQuota("", ""), std::nullopt);
}

TEST(AvailableCpus, KeepsToTheAffinityMask) {
  // In a thread of its own: the mask belongs to the thread.
  std::thread([] {
    cpu_set_t all;
    ASSERT_EQ(sched_getaffinity(0, sizeof(all), &all), 0);
    int first = 0;
    while (!CPU_ISSET(first, &all)) ++first;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    ASSERT_EQ(sched_setaffinity(0, sizeof(one), &one), 0);
    EXPECT_EQ(AvailableCpus(), 1);
  }).join();
}

}  // namespace
}  // namespace concord
