// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Scans by any operator in the order of algorithms/sequence/order.h: the nodes
// of an up- and downsweep (algorithms/scan/scan.h). The elements of a block are
// a node. A sweep finds the totals of blocks, which are the elements of the
// level above, and so on until one block is left; what precedes each node then
// goes down from level to level.

#include <cuda_runtime.h>

#include <cstdint>

#include "concord/algorithms/sequence/spliced/places.cuh"
#include "concord/algorithms/sequence/spliced/shapes.h"
#include "concord/backends/cuda/spliced/arguments.h"

namespace concord::sequence {

// The nodes of a block's elements, in shared memory: the elements, then pairs
// of these, and so on. A block of all threads goes up, then down.
class BlockNodes {
 public:
  __device__ explicit BlockNodes(State* nodes) : nodes_(nodes) {}

  // Gives each element's state to its thread. Returns, in thread 0, what all of
  // them amount to.
  __device__ State GoUp(const State& x) {
    const int j = static_cast<int>(threadIdx.x);
    nodes_[j] = x;
    int from = 0;
#pragma unroll 1
    for (int pairs = kScanChunk / 2; pairs > 0; pairs /= 2) {
      __syncthreads();
      const int to = from + 2 * pairs;
      if (j < pairs) {
        nodes_[to + j] =
            Combined(nodes_[from + 2 * j], nodes_[from + 2 * j + 1]);
      }
      from = to;
    }
    return nodes_[kRoot];
  }

  // What precedes each element, if `prefix` precedes the first: `preceded` says
  // whether anything does. The first thread's result means nothing otherwise.
  __device__ State GoDown(const State& prefix, bool preceded) {
    const int j = static_cast<int>(threadIdx.x);
    if (j == 0) nodes_[kRoot] = prefix;
    int from = kRoot;
#pragma unroll 1
    for (int pairs = 1; pairs < kScanChunk; pairs *= 2) {
      __syncthreads();
      const int to = from - 2 * pairs;
      if (j < pairs) {
        const State before = nodes_[from + j];
        const State first = nodes_[to + 2 * j];
        nodes_[to + 2 * j] = before;
        nodes_[to + 2 * j + 1] =
            preceded || j > 0 ? Combined(before, first) : first;
      }
      from = to;
    }
    __syncthreads();
    return nodes_[j];
  }

 private:
  static constexpr int kRoot = 2 * kScanChunk - 2;

  State* nodes_;
};

// The element of a thread.
__device__ __forceinline__ int64_t ElementOfThread() {
  return int64_t{blockIdx.x} * kScanChunk + threadIdx.x;
}

// What precedes the block's elements, where anything does.
__device__ __forceinline__ State BeforeBlock(const State* before) {
  return blockIdx.x > 0 ? before[blockIdx.x] : Beginning();
}

// A block for each chunk but the last, which may not be whole and precedes
// nothing.
extern "C" __global__ void __launch_bounds__(kScanChunk)
    concord_scan_totals(const __grid_constant__ spliced::Arguments arguments,
                        State* totals) {
  __shared__ State nodes[2 * kScanChunk];
  const State total = BlockNodes(nodes).GoUp(BegunWith(ElementOfThread()));
  if (threadIdx.x == 0) totals[blockIdx.x] = total;
}

// The same of totals.
extern "C" __global__ void __launch_bounds__(kScanChunk)
    concord_scan_totals_of(const __grid_constant__ spliced::Arguments arguments,
                           const State* from, State* totals) {
  __shared__ State nodes[2 * kScanChunk];
  const State total = BlockNodes(nodes).GoUp(from[ElementOfThread()]);
  if (threadIdx.x == 0) totals[blockIdx.x] = total;
}

// Puts in place of each of `count` totals what precedes it; the last one's
// value does not matter. `begins`: whether anything precedes the first.
extern "C" __global__ void __launch_bounds__(kScanChunk)
    concord_scan_before(const __grid_constant__ spliced::Arguments arguments,
                        int begins, int64_t count, const State* before,
                        State* totals) {
  __shared__ State nodes[2 * kScanChunk];
  const int64_t i = ElementOfThread();
  State x{};
  if (i < count - 1) x = totals[i];
  BlockNodes block(nodes);
  block.GoUp(x);
  x = block.GoDown(BeforeBlock(before), begins != 0 || blockIdx.x > 0);
  if (i < count) totals[i] = x;
}

// The results. `exclusive`: without the element itself; the first is then what
// the pass begins with.
extern "C" __global__ void __launch_bounds__(kScanChunk)
    concord_scan(const __grid_constant__ spliced::Arguments arguments,
                 int begins, int exclusive, const State* before) {
  __shared__ State nodes[2 * kScanChunk];
  const int64_t i = ElementOfThread();
  State x{};
  if (i < arguments.end) x = BegunWith(i);
  BlockNodes block(nodes);
  block.GoUp(x);
  State result =
      block.GoDown(BeforeBlock(before), begins != 0 || blockIdx.x > 0);
  if (i >= arguments.end) return;
  const bool preceded = begins != 0 || i > 0;
  if (exclusive != 0) {
    if (!preceded) result = Beginning();
  } else {
    result = preceded ? Combined(result, x) : x;
  }
  StoreAt(result, i);
}

}  // namespace concord::sequence
