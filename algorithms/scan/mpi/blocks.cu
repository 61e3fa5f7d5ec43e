// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Blocks of a rank's stretch on its GPU, by Blelloch's up- and downsweep as it
// stands in scan.h: each thread over its own elements, and the threads of a
// block over what these amount to. No block waits for another, because what
// precedes each is known before.

#include <cuda_runtime.h>

#include <cstdint>
#include <memory>
#include <utility>

#include "concord/algorithms/scan/mpi/blocks.h"
#include "concord/algorithms/scan/scan.h"
#include "concord/backends/cuda/cuda_backend.h"
#include "concord/backends/cuda/launch.cuh"
#include "concord/backends/cuda/operator_traits.cuh"
#include "concord/core/errors.h"
#include "concord/core/registry.h"

namespace concord::scan {
namespace {

constexpr int kThreads = 256;
constexpr int kElements = static_cast<int>(kBlock) / kThreads;  // of a thread

// Elements of neighbouring threads lie in different banks of shared memory.
template <typename T>
struct Tile {
  T elements[kBlock + kThreads];

  __device__ T& operator[](int i) { return elements[i + i / kElements]; }
};

// Brings a block; what is not there becomes the identity.
template <typename Op, typename T = typename Op::Element>
__device__ void Fetch(const T* in, int64_t count, Tile<T>& tile) {
#pragma unroll
  for (int k = 0; k < kElements; ++k) {
    const int i = k * kThreads + static_cast<int>(threadIdx.x);
    tile[i] = i < count ? in[i] : Op::Identity();
  }
  __syncthreads();
}

// nodes[i] becomes the total of the largest node that ends with it.
template <typename Op, int kCount, typename T>
__device__ void SweepUp(T (&nodes)[kCount]) {
#pragma unroll
  for (int half = 1; half < kCount; half *= 2) {
#pragma unroll
    for (int i = 2 * half - 1; i < kCount; i += 2 * half) {
      nodes[i] = Op()(nodes[i - half], nodes[i]);
    }
  }
}

// And then what precedes it.
template <typename Op, int kCount, typename T>
__device__ void SweepDown(T (&nodes)[kCount], T before) {
  nodes[kCount - 1] = before;
#pragma unroll
  for (int half = kCount / 2; half > 0; half /= 2) {
#pragma unroll
    for (int i = 2 * half - 1; i < kCount; i += 2 * half) {
      const T left = nodes[i - half];
      nodes[i - half] = nodes[i];
      nodes[i] = Op()(nodes[i], left);
    }
  }
}

// The same by all threads of the block, each of which has a node.
template <typename Op, typename T>
__device__ void SweepUpTogether(T (&nodes)[kThreads]) {
  const int i = static_cast<int>(threadIdx.x);
#pragma unroll
  for (int half = 1; half < kThreads; half *= 2) {
    __syncthreads();
    if (i % (2 * half) == 2 * half - 1) {
      nodes[i] = Op()(nodes[i - half], nodes[i]);
    }
  }
  __syncthreads();
}
template <typename Op, typename T>
__device__ void SweepDownTogether(T (&nodes)[kThreads], T before) {
  const int i = static_cast<int>(threadIdx.x);
  if (i == kThreads - 1) nodes[i] = before;
#pragma unroll
  for (int half = kThreads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (i % (2 * half) == 2 * half - 1) {
      const T left = nodes[i - half];
      nodes[i - half] = nodes[i];
      nodes[i] = Op()(nodes[i], left);
    }
  }
  __syncthreads();
}

// The thread's elements, and the total of the block in the last of `nodes`.
template <typename Op, typename T = typename Op::Element>
__device__ void TotalTile(Tile<T>& tile, T (&mine)[kElements],
                          T (&nodes)[kThreads]) {
#pragma unroll
  for (int k = 0; k < kElements; ++k) {
    mine[k] = tile[static_cast<int>(threadIdx.x) * kElements + k];
  }
  SweepUp<Op>(mine);
  nodes[threadIdx.x] = mine[kElements - 1];
  SweepUpTogether<Op>(nodes);
}

template <typename Op, typename T = typename Op::Element>
__global__ void __launch_bounds__(kThreads)
    TotalBlocks(const T* in, T* totals) {
  __shared__ Tile<T> tile;
  __shared__ T nodes[kThreads];
  Fetch<Op>(in + int64_t{blockIdx.x} * kBlock, kBlock, tile);
  T mine[kElements];
  TotalTile<Op>(tile, mine, nodes);
  if (threadIdx.x == 0) totals[blockIdx.x] = nodes[kThreads - 1];
}

template <typename Op, typename T = typename Op::Element>
__global__ void __launch_bounds__(kThreads)
    ScanBlocks(const T* in, int64_t n, const T* before, T* out,
               bool inclusive) {
  __shared__ Tile<T> tile;
  __shared__ T nodes[kThreads];
  const int64_t first = int64_t{blockIdx.x} * kBlock;
  const int64_t count = min(kBlock, n - first);
  Fetch<Op>(in + first, count, tile);
  T mine[kElements];
  TotalTile<Op>(tile, mine, nodes);
  SweepDownTogether<Op>(nodes, before[blockIdx.x]);
  SweepDown<Op>(mine, nodes[threadIdx.x]);
#pragma unroll
  for (int k = 0; k < kElements; ++k) {
    T& element = tile[static_cast<int>(threadIdx.x) * kElements + k];
    element = CanonicalNan(inclusive ? Op()(mine[k], element) : mine[k]);
  }
  __syncthreads();
#pragma unroll
  for (int k = 0; k < kElements; ++k) {
    const int i = k * kThreads + static_cast<int>(threadIdx.x);
    if (i < count) out[first + i] = tile[i];
  }
}

class BlocksOnCuda : public Blocks {
 public:
  explicit BlocksOnCuda(std::shared_ptr<Backend> backend)
      : backend_(AsCuda(std::move(backend))) {}

  absl::Status Total(ConstArrayView in, Scan::Op op,
                     ArrayView totals) override {
    if (in.empty()) return absl::OkStatus();
    RETURN_IF_ERROR(backend_->Activate());
    return DispatchScan(op, in.type(), [&](auto any_op) {
      using Op = SignFree<decltype(any_op)>;
      using T = typename Op::Element;
      return QueueKernel(*backend_, kName, TotalBlocks<Op>,
                         {totals.size(), kThreads}, in.data<T>(),
                         totals.data<T>());
    });
  }

  absl::Status Run(ConstArrayView in, ConstArrayView before, ArrayView out,
                   const Scan::Options& options) override {
    if (in.empty()) return absl::OkStatus();
    RETURN_IF_ERROR(backend_->Activate());
    return DispatchScan(options.op, in.type(), [&](auto any_op) {
      using Op = SignFree<decltype(any_op)>;
      using T = typename Op::Element;
      return QueueKernel(*backend_, kName, ScanBlocks<Op>,
                         {before.size(), kThreads}, in.data<T>(), in.size(),
                         before.data<T>(), out.data<T>(),
                         options.kind == Scan::Kind::kInclusive);
    });
  }

 private:
  const std::shared_ptr<CudaBackend> backend_;
};

const bool kBlocksRegistered = Registry<Blocks>::Get().Add<BlocksOnCuda>(
    "cuda", "sweeps", /*rank=*/10, "up- and downsweep in each block",
    Contract());

}  // namespace
}  // namespace concord::scan
