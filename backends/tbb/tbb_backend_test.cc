// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/backends/tbb/tbb_backend.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "concord/backends/tbb/available_cpus.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace concord {
namespace {

using ::testing::HasSubstr;

// How many threads work at the same time when there is plenty to do: each of
// `tasks` tasks waits, for a while, until `wanted` of them are under way.
int ThreadsAtOnce(TbbBackend& backend, int wanted) {
  std::atomic<int> inside{0};
  std::atomic<int> most{0};
  backend.ForEach(4 * wanted, [&](std::int64_t) {
    const int now = ++inside;
    for (int seen = most; seen < now;) {
      most.compare_exchange_weak(seen, now);
    }
    const auto deadline =
        std::chrono::steady_clock::now() + std::chrono::seconds(2);
    while (most < wanted && std::chrono::steady_clock::now() < deadline) {
      std::this_thread::yield();
    }
    --inside;
  });
  return most;
}

TEST(TbbBackend, UsesAsManyThreadsAsTheSpecSays) {
  // More than there are CPUs, fewer, and back: one does not limit the next.
  for (int threads : {1, 5, 2, 8}) {
    const auto backend = OpenBackend(absl::StrCat("tbb:", threads));
    ASSERT_TRUE(backend.ok());
    EXPECT_EQ(AsTbb(*backend)->threads(), threads);
    EXPECT_EQ(ThreadsAtOnce(*AsTbb(*backend), threads), threads);
  }
}

TEST(TbbBackend, LoopsCoverTheirRangesOnce) {
  const auto backend = OpenBackend("tbb:3");
  ASSERT_TRUE(backend.ok());
  for (const std::int64_t n : {0, 1, 2, 1000}) {
    std::vector<int> calls(n), pieces(n);
    AsTbb(*backend)->ForEach(n, [&](std::int64_t i) { ++calls[i]; });
    AsTbb(*backend)->ForEachRange(n, 64,
                                  [&](std::int64_t first, std::int64_t last) {
                                    EXPECT_LE(last - first, 64);
                                    for (std::int64_t i = first; i < last; ++i)
                                      ++pieces[i];
                                  });
    EXPECT_THAT(calls, ::testing::Each(1));
    EXPECT_THAT(pieces, ::testing::Each(1));
  }
}

TEST(TbbBackend, WhatALoopThatThrowsHasWrittenCanBeRead) {
  // What is wrong with the order of writing and reading, ThreadSanitizer tells.
  const auto backend = OpenBackend("tbb:3");
  ASSERT_TRUE(backend.ok());
  std::vector<int> calls(1000);
  EXPECT_THROW(AsTbb(*backend)->ForEach(1000,
                                        [&](std::int64_t i) {
                                          ++calls[i];
                                          if (i % 100 == 99) throw i;
                                        }),
               std::int64_t);
  for (const int count : calls) EXPECT_LE(count, 1);
  EXPECT_GE(std::count(calls.begin(), calls.end(), 1), 1);
}

TEST(TbbBackend, OneThreadOrOneCallStaysInPlace) {
  for (const int threads : {1, 3}) {
    const auto backend = OpenBackend(absl::StrCat("tbb:", threads));
    ASSERT_TRUE(backend.ok());
    std::vector<std::thread::id> ids;
    AsTbb(*backend)->ForEach(threads == 1 ? 1000 : 1, [&](std::int64_t) {
      ids.push_back(std::this_thread::get_id());
    });
    EXPECT_EQ(ids.size(), threads == 1 ? 1000u : 1u);
    EXPECT_THAT(ids, ::testing::Each(std::this_thread::get_id()));
  }
}

TEST(TbbBackend, LoopsWithinFindItsThreads) {
  for (const int threads : {1, 5}) {
    const auto backend = OpenBackend(absl::StrCat("tbb:", threads));
    ASSERT_TRUE(backend.ok());
    int found = 0;
    AsTbb(*backend)->Execute(
        [&] { found = oneapi::tbb::this_task_arena::max_concurrency(); });
    EXPECT_EQ(found, threads);
  }
}

TEST(TbbBackend, BackendsOfDifferentWidthCanBeOpenTogether) {
  const auto narrow = OpenBackend("tbb:2");
  const auto wide = OpenBackend("tbb:6");
  ASSERT_TRUE(narrow.ok() && wide.ok());
  EXPECT_EQ(ThreadsAtOnce(*AsTbb(*wide), 6), 6);
  EXPECT_EQ(ThreadsAtOnce(*AsTbb(*narrow), 2), 2);
}

TEST(TbbBackend, NeverRunsMoreThreadsThanAsked) {
  const auto backend = OpenBackend("tbb:2");
  ASSERT_TRUE(backend.ok());
  std::mutex mutex;
  std::set<std::thread::id> threads;
  AsTbb(*backend)->ForEach(1000, [&](std::int64_t) {
    const std::lock_guard<std::mutex> lock(mutex);
    threads.insert(std::this_thread::get_id());
  });
  EXPECT_LE(threads.size(), 2u);
}

TEST(TbbBackend, TakesTheAvailableCpusByDefault) {
  const auto backend = OpenBackend("tbb");
  ASSERT_TRUE(backend.ok());
  EXPECT_EQ(AsTbb(*backend)->threads(), AvailableCpus());
  EXPECT_EQ((*backend)->info().spec, absl::StrCat("tbb:", AvailableCpus()));
}

TEST(TbbBackend, RefusesThreadCountsThatMakeNoSense) {
  for (const char* spec :
       {"tbb:0", "tbb:-1", "tbb:two", "tbb:1x", "tbb:5000"}) {
    const auto backend = OpenBackend(spec);
    EXPECT_EQ(backend.status().code(), absl::StatusCode::kInvalidArgument)
        << spec;
    EXPECT_THAT(std::string(backend.status().message()), HasSubstr(spec));
  }
}

}  // namespace
}  // namespace concord
