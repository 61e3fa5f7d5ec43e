// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// What launches ask for and what they leave: shared memory, grids, clusters,
// blocks that wait for each other, memory that is kept from call to call.

#include <cooperative_groups.h>
#include <cuda_runtime.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <string>

#include "concord/backends/cuda/cluster.cuh"
#include "concord/backends/cuda/cluster_launch.cuh"
#include "concord/backends/cuda/cooperative_launch.cuh"
#include "concord/backends/cuda/cuda_backend.h"
#include "concord/backends/cuda/cuda_status.h"
#include "concord/backends/cuda/dependent_launch.cuh"
#include "concord/backends/cuda/launch.cuh"
#include "concord/backends/cuda/scratch.cuh"
#include "concord/core/backend.h"
#include "concord/core/host_array.h"
#include "concord/core/implementation.h"
#include "concord/testing/support/named_backends.h"

namespace concord {
namespace {

using ::testing::HasSubstr;

__global__ void Nothing() {}

__global__ void Write(unsigned char* to, unsigned char value) { *to = value; }

// Each block sends its number to the next one, which writes it down.
__global__ void TellNextBlock(uint32_t* heard) {
#if __CUDA_ARCH__ >= 900
  __shared__ uint32_t told;
  __shared__ ClusterMbarrier arrived;
  if (threadIdx.x == 0) {
    arrived.Init(1);
    FenceMbarrierInit();
    arrived.ArriveExpecting(sizeof(told));
  }
  ArriveAtCluster();
  WaitForArrivals();
  const uint32_t next = (BlockOfCluster() + 1) % BlocksOfCluster();
  if (threadIdx.x == 0) {
    Send(AddressInBlock(SharedAddress(&told), next), 100 + BlockOfCluster(),
         AddressInBlock(SharedAddress(&arrived), next));
    arrived.WaitForCluster(0);
    heard[blockIdx.x] = told;
  }
#endif
}

// Each block's number becomes one more than that of the block before, which the
// grid before has written.
__global__ void TakeFromBlockBefore(uint32_t* numbers) {
#if __CUDA_ARCH__ >= 900
  __shared__ uint32_t told;
  ArriveAtCluster();
  StartBesideGridBefore();
  const uint32_t number = numbers[blockIdx.x];
  WaitForArrivals();
  if (threadIdx.x == 0) {
    const uint32_t next = (BlockOfCluster() + 1) % BlocksOfCluster();
    *PointerInBlock(&told, next) = number + 1;
  }
  ArriveAtCluster();
  WaitForArrivals();
  if (threadIdx.x == 0) numbers[blockIdx.x] = told;
#endif
}

__global__ void OfLargeBlocks() {}

void NoKernel() {}

// Each block sees what all blocks have added.
__global__ void AddAndSee(uint32_t* sum, uint32_t* seen) {
  if (threadIdx.x == 0) atomicAdd(sum, 1u);
  cooperative_groups::this_grid().sync();
  if (threadIdx.x == 0) seen[blockIdx.x] = *sum;
}

class LaunchTest : public testing::Test {
 protected:
  void SetUp() override {
    const std::shared_ptr<Backend> cuda = OpenOrSkip("cuda");
    if (cuda == nullptr) return;
    backend_ = AsCuda(cuda);
    ASSERT_TRUE(backend_->Activate().ok());
  }

  std::shared_ptr<CudaBackend> backend_;
};

// The limit of a kernel is one for all who launch it.
TEST_F(LaunchTest, NobodyTakesSharedMemoryFromAnother) {
  DependentLauncher one(backend_), other(backend_);
  const LaunchShape large = {1, dim3(32), 60 << 10};
  const LaunchShape small = {1, dim3(32), 50 << 10};
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(one.Queue("large", Nothing, large), absl::OkStatus());
    EXPECT_EQ(other.Queue("small", Nothing, small), absl::OkStatus());
    EXPECT_EQ(QueueKernel(*backend_, "small", Nothing, small),
              absl::OkStatus());
  }
  EXPECT_EQ(backend_->Synchronize(), absl::OkStatus());
}

TEST_F(LaunchTest, GridsThatAreTooLargeAreRefusedInWords) {
  const std::int64_t most = LaunchShape::kMostBlocks;
  for (const LaunchShape& shape :
       {LaunchShape{most + 1, dim3(32)},
        // Of which an int would keep one block.
        LaunchShape{(std::int64_t{1} << 32) + 1, dim3(32)},
        LaunchShape{1, dim3(32), 0, LaunchShape::kMostRows + 1}}) {
    const absl::Status queued =
        QueueKernel(*backend_, "a test", Nothing, shape);
    EXPECT_EQ(queued.code(), absl::StatusCode::kResourceExhausted);
    EXPECT_THAT(std::string(queued.message()),
                HasSubstr("CUDA's have at most 2147483647 by 65535"));
    EXPECT_EQ(DependentLauncher(backend_).Queue("a test", Nothing, shape),
              queued);
    // By those that look at the status of the launch alone.
    EXPECT_FALSE(TryCuda(LaunchKernel(backend_->stream(), Nothing, shape)));
  }
  EXPECT_EQ(QueueKernel(*backend_, "a test", Nothing,
                        {1, dim3(32), 0, LaunchShape::kMostRows}),
            absl::OkStatus());
  EXPECT_EQ(backend_->Synchronize(), absl::OkStatus());
}

// The runtime keeps an error of the thread's until somebody asks for it.
TEST_F(LaunchTest, WhatTheCallerFailedAtBeforeIsNoFailureOfALaunch) {
  const Array there = *backend_->Allocate(ElementType::kUInt8, 100);
  void* memory = nullptr;
  ASSERT_EQ(cudaMalloc(&memory, std::size_t{1} << 60),
            cudaErrorMemoryAllocation);
  const LaunchShape shape = {1, dim3(1)};
  EXPECT_EQ(QueueKernel(*backend_, "a test", Write, shape,
                        there.data<unsigned char>(), 7),
            absl::OkStatus());
  EXPECT_EQ(DependentLauncher(backend_).Queue("a test", Nothing, shape),
            absl::OkStatus());
  EXPECT_EQ(QueueCooperative(*backend_, "a test", Nothing, shape),
            absl::OkStatus());
  EXPECT_EQ(backend_->ReadOnce(there.view()), absl::OkStatus());
  EXPECT_EQ(backend_->Synchronize(), absl::OkStatus());
  // The caller can still ask.
  EXPECT_EQ(cudaGetLastError(), cudaErrorMemoryAllocation);

  unsigned char written = 0;
  ASSERT_EQ(backend_->Copy(there.view().Slice(0, 1),
                           ArrayView(absl::MakeSpan(&written, 1))),
            absl::OkStatus());
  EXPECT_EQ(written, 7);
}

TEST_F(LaunchTest, BlocksOfAClusterSendToEachOther) {
  ClusterLauncher clusters(backend_);
  const int most = clusters.MostBlocks(TellNextBlock, dim3(32), 0);
  if (backend_->architecture() < 90) {
    EXPECT_EQ(most, 0);
    return;
  }
  ASSERT_GE(most, kPortableClusterBlocks);
  EXPECT_EQ(clusters.MostBlocks(TellNextBlock, dim3(32), 0), most);
  for (const int blocks : {2, kPortableClusterBlocks, most}) {
    HostArray heard(ElementType::kUInt32, {blocks});
    const Array there =
        *backend_->Allocate(ElementType::kUInt32, std::int64_t{blocks});
    ASSERT_EQ(clusters.Queue("a test", TellNextBlock, {blocks, dim3(32)},
                             there.data<std::uint32_t>()),
              absl::OkStatus());
    ASSERT_EQ(backend_->Copy(there.view(), heard.view()), absl::OkStatus());
    for (int block = 0; block < blocks; ++block) {
      EXPECT_EQ(heard.data<std::uint32_t>()[block],
                100 + (block + blocks - 1) % blocks);
    }
  }
}

TEST_F(LaunchTest, ClustersStartBesideTheGridBefore) {
  if (backend_->architecture() < 90) GTEST_SKIP() << "there are no clusters";
  ClusterLauncher clusters(backend_);
  constexpr int kLaunches = 50;
  for (int blocks = 2; blocks <= kPortableClusterBlocks; ++blocks) {
    HostArray numbers(ElementType::kUInt32, {blocks});
    std::iota(numbers.data<uint32_t>(), numbers.data<uint32_t>() + blocks, 0);
    const Array there = *backend_->Allocate(ElementType::kUInt32, blocks);
    ASSERT_EQ(backend_->Copy(numbers.view(), there.view()), absl::OkStatus());
    for (int i = 0; i < kLaunches; ++i) {
      ASSERT_EQ(
          clusters.QueueDependent("a test", TakeFromBlockBefore,
                                  {blocks, dim3(32)}, there.data<uint32_t>()),
          absl::OkStatus());
    }
    ASSERT_EQ(backend_->Copy(there.view(), numbers.view()), absl::OkStatus());
    for (int block = 0; block < blocks; ++block) {
      const int first = (block + kLaunches * (blocks - 1)) % blocks;
      EXPECT_EQ(numbers.data<uint32_t>()[block], first + kLaunches)
          << blocks << " blocks";
    }
  }
}

TEST_F(LaunchTest, AKernelThatNoClusterCanHaveHasNone) {
  ClusterLauncher clusters(backend_);
  EXPECT_EQ(clusters.MostBlocks(OfLargeBlocks, dim3(32), 1 << 20), 0);
  // No kernel at all.
  EXPECT_EQ(clusters.MostBlocks(NoKernel, dim3(32), 0), 0);
  // What was found out leaves no error behind.
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

TEST_F(LaunchTest, BlocksOfACooperativeGridWaitForEachOther) {
  const int blocks = backend_->multiprocessors();
  HostArray seen(ElementType::kUInt32, {blocks});
  Scratch sum(backend_);
  ASSERT_EQ(sum.Reserve<uint32_t>(1), absl::OkStatus());
  const Array seen_there = *backend_->Allocate(ElementType::kUInt32, blocks);
  ASSERT_EQ(QueueCooperative(*backend_, "a test", AddAndSee, {blocks, dim3(64)},
                             sum.data<uint32_t>(), seen_there.data<uint32_t>()),
            absl::OkStatus());
  ASSERT_EQ(backend_->Copy(seen_there.view(), seen.view()), absl::OkStatus());
  for (int block = 0; block < blocks; ++block) {
    EXPECT_EQ(seen.data<std::uint32_t>()[block], blocks);
  }
  // More than can run at a time.
  EXPECT_FALSE(QueueCooperative(*backend_, "a test", AddAndSee,
                                {blocks * 1000, dim3(64)}, sum.data<uint32_t>(),
                                seen_there.data<uint32_t>())
                   .ok());
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

// A call that fails midway leaves what it has written so far.
TEST_F(LaunchTest, ScratchIsZeroAgainAfterACallThatFailed) {
  Scratch scratch(backend_);
  unsigned char seen = 0;
  const ArrayView host(absl::MakeSpan(&seen, 1));
  const auto reserved = [&] {
    EXPECT_EQ(scratch.Reserve(1), absl::OkStatus());
    const ConstArrayView there(scratch.data<unsigned char>(), 1,
                               backend_->memory());
    EXPECT_EQ(backend_->Copy(there, host), absl::OkStatus());
    return seen;
  };
  const auto write = [&] {
    EXPECT_EQ(QueueKernel(*backend_, "a test", Write, {1, dim3(1)},
                          scratch.data<unsigned char>(), 7),
              absl::OkStatus());
  };
  EXPECT_EQ(reserved(), 0);
  write();
  EXPECT_EQ(reserved(), 7);
  FailedCalls::Count();
  EXPECT_EQ(reserved(), 0);
  // Not while a call is on its way: only the next one.
  {
    const FailedCalls::DuringCall during_call;
    write();
    FailedCalls::Count();
    EXPECT_EQ(reserved(), 7);
  }
  EXPECT_EQ(reserved(), 0);
}

}  // namespace
}  // namespace concord
