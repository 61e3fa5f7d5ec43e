// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Runs by the C interface: strides, events and threads.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

#include "concord/tools/bindings/concord.h"
#include "concord/tools/bindings/tests/interface_fixture.h"

namespace concord {
namespace {

using Runs = Interface;

// A row or a column of one element may have any stride.
TEST_F(Runs, TakesStridesThatSayNothing) {
  std::vector<std::int32_t> values = {3};
  std::vector<std::int32_t> results = {9};
  const std::int64_t shape[] = {1, 1};
  const std::int64_t strides[] = {77, 5};
  concord_array in = ArrayOf("in", values, shape[0]);
  concord_array out = ArrayOf("out", results, shape[0]);
  in.dimensions = 2;
  in.shape = shape;
  in.strides = strides;
  out.dimensions = 0;
  out.shape = nullptr;
  EXPECT_EQ(MessageOf(concord_kernel_run(scan_, &in, 1, &out, 1)), "");
  EXPECT_EQ(results[0], 0);
}

TEST_F(Runs, EventsOutliveWhatTheyAreOf) {
  std::vector<std::int32_t> values = {3, 1, 4};
  std::vector<std::int32_t> results(3);
  const std::int64_t size = 3;
  const concord_array in = ArrayOf("in", values, size);
  const concord_array out = ArrayOf("out", results, size);
  concord_event* event = nullptr;
  ASSERT_EQ(MessageOf(concord_kernel_start(scan_, &in, 1, &out, 1, &event)),
            "");
  concord_kernel_free(scan_);
  scan_ = nullptr;
  concord_backend_free(backend_);
  backend_ = nullptr;
  double seconds = -1;
  EXPECT_EQ(MessageOf(concord_event_seconds(event, &seconds)), "");
  EXPECT_GE(seconds, 0);
  concord_event_free(event);
  EXPECT_THAT(results, testing::ElementsAre(0, 3, 4));
}

// One kernel serves one thread at a time, and its callers need not know.
TEST_F(Runs, ThreadsTakeTurns) {
  std::atomic<int> wrong{0};
  const auto work = [&](std::int32_t element) {
    std::vector<std::int32_t> values(1000, element);
    std::vector<std::int32_t> results(1000);
    const std::int64_t size = 1000;
    const concord_array in = ArrayOf("in", values, size);
    const concord_array out = ArrayOf("out", results, size);
    for (int i = 0; i < 200; ++i) {
      if (!MessageOf(concord_kernel_run(scan_, &in, 1, &out, 1)).empty() ||
          results.back() != 999 * element) {
        ++wrong;
      }
    }
  };
  std::vector<std::thread> threads;
  for (const std::int32_t element : {1, 2, 3, 4}) {
    threads.emplace_back(work, element);
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace concord
