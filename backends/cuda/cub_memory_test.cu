// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The memory that peers keep for CUB, by a stand-in that wants what a test
// says, and errors of others.

#include <gtest/gtest.h>

#include <cstddef>
#include <memory>
#include <stdexcept>

#include "absl/status/status.h"
#include "concord/backends/cuda/cub_peer.cuh"
#include "concord/backends/cuda/cuda_backend.h"
#include "concord/backends/cuda/thrust_calls.cuh"
#include "concord/core/backend.h"
#include "concord/testing/support/named_backends.h"

namespace concord {
namespace {

class CubMemoryTest : public testing::Test {
 protected:
  void SetUp() override {
    const std::shared_ptr<Backend> cuda = OpenOrSkip("cuda");
    if (cuda == nullptr) return;
    memory_ = std::make_unique<CubMemory>(AsCuda(cuda));
  }

  // An algorithm that wants so many bytes.
  absl::Status Run(std::size_t wanted) {
    return memory_->Run("test", [&](void* memory, std::size_t& bytes) {
      if (memory == nullptr) {
        ++questions_;
        bytes = wanted;
        return cudaSuccess;
      }
      if (bytes < wanted) return cudaErrorInvalidValue;
      ++runs_;
      return cudaSuccess;
    });
  }

  std::unique_ptr<CubMemory> memory_;
  int questions_ = 0;
  int runs_ = 0;
};

TEST_F(CubMemoryTest, AsksForMoreMemoryAlone) {
  for (const std::size_t wanted : {1000, 10, 1000, 2000, 1500}) {
    ASSERT_TRUE(Run(wanted).ok());
  }
  EXPECT_EQ(runs_, 5);
  EXPECT_EQ(questions_, 2);
}

TEST_F(CubMemoryTest, RunsAgainAfterMemoryThatCouldNotBeHad) {
  ASSERT_TRUE(Run(1000).ok());
  EXPECT_EQ(Run(std::size_t{1} << 60).code(),
            absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(runs_, 1);
  ASSERT_TRUE(Run(1000).ok());
  EXPECT_EQ(runs_, 2);
}

// CUB and Thrust ask for the last error after their launches.
TEST_F(CubMemoryTest, WhatTheCallerFailedAtBeforeIsNoFailureOfCubOrThrust) {
  const auto fail = [] {
    void* memory = nullptr;
    ASSERT_EQ(cudaMalloc(&memory, std::size_t{1} << 60),
              cudaErrorMemoryAllocation);
  };
  int runs = 0;
  // Once with memory that is kept, too.
  for (int i = 0; i < 2; ++i) {
    fail();
    EXPECT_EQ(memory_->Run("test",
                           [&](void* memory, std::size_t& bytes) {
                             if (memory == nullptr) bytes = 1000;
                             if (memory != nullptr) ++runs;
                             return cudaPeekAtLastError();
                           }),
              absl::OkStatus());
  }
  EXPECT_EQ(runs, 2);
  fail();
  EXPECT_EQ(ThrustStatus("test",
                         [] {
                           if (cudaPeekAtLastError() == cudaSuccess) return;
                           throw std::runtime_error("a launch failed");
                         }),
            absl::OkStatus());
}

}  // namespace
}  // namespace concord
