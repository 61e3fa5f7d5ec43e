// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// A program that has CUDA code of its own calls an algorithm on its own stream
// and its own device pointers, between two kernels of its own, without a copy
// and without waiting.

#include <cuda_runtime.h>

#include <vector>

#include "concord/algorithms/scan/scan.h"
#include "concord/backends/cuda/cuda_backend.h"
#include "concord/core/registry.h"
#include "concord/testing/support/program.h"
#include "gtest/gtest.h"

namespace concord {
namespace {

constexpr int kSize = 1 << 20;

// The caller's own kernels, launched as any CUDA program does it.
__global__ void Fill(int* data) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  data[i] = i % 7;
}

__global__ void Double(int* data) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  data[i] *= 2;
}

TEST(CallerStream, WorkIsQueuedInOrderOnTheCallersStreamAndPointers) {
  cudaStream_t stream = nullptr;
  if (cudaStreamCreate(&stream) != cudaSuccess) {
    cudaGetLastError();
    return SkipOrFail("cuda", WrapCudaStream(nullptr, 0).status().message());
  }
  int* in = nullptr;
  int* out = nullptr;
  ASSERT_EQ(cudaMalloc(&in, kSize * sizeof(int)), cudaSuccess);
  ASSERT_EQ(cudaMalloc(&out, kSize * sizeof(int)), cudaSuccess);
  {
    const auto backend = WrapCudaStream(stream, /*device=*/0);
    ASSERT_TRUE(backend.ok()) << backend.status();
    EXPECT_EQ(AsCuda(*backend)->stream(), stream);
    auto scan = Registry<Scan>::Get().Create(*backend);
    ASSERT_TRUE(scan.ok()) << scan.status();

    const Memory memory = (*backend)->memory();
    Fill<<<kSize / 256, 256, 0, stream>>>(in);
    const absl::Status status = (*scan)->Run(ConstArrayView(in, kSize, memory),
                                             ArrayView(out, kSize, memory), {});
    ASSERT_TRUE(status.ok()) << status;
    Double<<<kSize / 256, 256, 0, stream>>>(out);
    ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  }
  // The caller's stream and pointers are still the caller's.
  std::vector<int> result(kSize);
  ASSERT_EQ(cudaMemcpyAsync(result.data(), out, kSize * sizeof(int),
                            cudaMemcpyDefault, stream),
            cudaSuccess);
  ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  int sum = 0;
  for (int i = 0; i < kSize; ++i) {
    ASSERT_EQ(result[i], 2 * sum) << i;
    sum += i % 7;
  }
  EXPECT_EQ(cudaFree(in), cudaSuccess);
  EXPECT_EQ(cudaFree(out), cudaSuccess);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
}

}  // namespace
}  // namespace concord
