// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Compaction as a composition of three steps, each with kernels of its own: a
// flag for every element, the prefix sums of the flags, a scatter (G. E.
// Blelloch, "Prefix sums and their applications", 1990). The scan is his
// work-efficient one, by blocks in shared memory and then over the sums of the
// blocks (M. Harris, S. Sengupta, J. D. Owens, "Parallel prefix sum (scan) with
// CUDA", GPU Gems 3, 2007): n - 1 additions on the way up a binary tree and n -
// 1 on the way down, where the look-back needs none of its reads and writes of
// positions.

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "concord/algorithms/compact/compact.h"
#include "concord/algorithms/compact/cuda/run.cuh"
#include "concord/core/errors.h"

namespace concord::compact {
namespace {

constexpr int kThreads = 256;
// A block scans two elements a thread: the lowest level of the tree is pairs.
constexpr int kBlockElements = 2 * kThreads;
// Positions have 32 bits.
constexpr int64_t kMostElements = std::numeric_limits<uint32_t>::max();

template <typename Word>
__global__ void Flag(KeptRange<Word> keep, const Word* in, int64_t n,
                     uint32_t* flags) {
  const int64_t i = int64_t{blockIdx.x} * kThreads + threadIdx.x;
  if (i < n) flags[i] = keep.Keeps(in[i]) ? 1 : 0;
}

// Exclusive prefix sums of each block's elements, in place; the sum of block b
// becomes sums[b].
__global__ void ScanBlocks(uint32_t* values, int64_t n, uint32_t* sums) {
  __shared__ uint32_t tree[kBlockElements];
  const int64_t first = int64_t{blockIdx.x} * kBlockElements;
  const int thread = static_cast<int>(threadIdx.x);
  for (int i = thread; i < kBlockElements; i += kThreads) {
    tree[i] = first + i < n ? values[first + i] : 0;
  }
  // Up: the last of each group of 2 * half elements gets their sum.
  int half = 1;
  for (int groups = kThreads; groups > 0; groups /= 2, half *= 2) {
    __syncthreads();
    if (thread < groups) {
      const int last = 2 * half * (thread + 1) - 1;
      tree[last] += tree[last - half];
    }
  }
  __syncthreads();
  if (thread == 0) {
    sums[blockIdx.x] = tree[kBlockElements - 1];
    tree[kBlockElements - 1] = 0;
  }
  // Down: each group hands what comes before it on to its halves.
  for (int groups = 1; groups <= kThreads; groups *= 2) {
    half /= 2;
    __syncthreads();
    if (thread < groups) {
      const int last = 2 * half * (thread + 1) - 1;
      const uint32_t left = tree[last - half];
      tree[last - half] = tree[last];
      tree[last] += left;
    }
  }
  __syncthreads();
  for (int i = thread; i < kBlockElements; i += kThreads) {
    if (first + i < n) values[first + i] = tree[i];
  }
}

__global__ void AddToBlocks(uint32_t* values, int64_t n,
                            const uint32_t* before) {
  const int64_t first = int64_t{blockIdx.x} * kBlockElements;
  for (int i = static_cast<int>(threadIdx.x); i < kBlockElements;
       i += kThreads) {
    if (first + i < n) values[first + i] += before[blockIdx.x];
  }
}

// One thread an element, and one more for the counts.
template <typename Word>
__global__ void Scatter(KeptRange<Word> keep, CompactArrays<Word> to,
                        const uint32_t* positions, const uint32_t* count) {
  const int64_t i = int64_t{blockIdx.x} * kThreads + threadIdx.x;
  if (i == to.size) SetCounts(to, *count);
  if (i >= to.size) return;
  const Word x = to.in[i];
  const uint32_t position = positions[i];
  if (keep.Keeps(x)) {
    to.kept[position] = x;
    if (to.indices != nullptr) to.indices[position] = i;
  } else if (to.rejected != nullptr) {
    to.rejected[i - position] = x;
  }
}

class CompactScanScatter : public CompactOnCuda<CompactScanScatter> {
 public:
  using CompactOnCuda::CompactOnCuda;

  template <typename Word>
  absl::Status Select(const KeptRange<Word>& keep,
                      const CompactArrays<Word>& arrays) {
    const int64_t n = arrays.size;
    if (n > kMostElements) {
      return InvalidArgumentError(
          name(), ": ", n, " elements; it takes at most ", kMostElements);
    }
    // The flags, the sums of their blocks, the sums of the blocks of those and
    // so on, to the one sum of all.
    std::vector<int64_t> sizes = {n};
    while (sizes.size() == 1 || sizes.back() > 1) {
      sizes.push_back(
          std::max<int64_t>(DivideUp(sizes.back(), kBlockElements), 1));
    }
    int64_t elements = 0;
    for (const int64_t size : sizes) elements += size;
    absl::Status status = scratch().Reserve<uint32_t>(elements);
    if (!status.ok()) return status;
    std::vector<uint32_t*> levels = {scratch().data<uint32_t>()};
    for (const int64_t size : sizes) levels.push_back(levels.back() + size);

    if (n > 0) {
      status = Queue(Flag<Word>, {DivideUp(n, kThreads), kThreads}, keep,
                     arrays.in, n, levels[0]);
    }
    const std::size_t top = sizes.size() - 1;
    for (std::size_t k = 0; k < top; ++k) {
      status.Update(Queue(ScanBlocks, {sizes[k + 1], kThreads}, levels[k],
                          sizes[k], levels[k + 1]));
    }
    for (std::size_t k = top - 1; k > 0; --k) {
      status.Update(Queue(AddToBlocks, {sizes[k], kThreads}, levels[k - 1],
                          sizes[k - 1], levels[k]));
    }
    status.Update(Queue(Scatter<Word>, {DivideUp(n + 1, kThreads), kThreads},
                        keep, arrays, levels[0], levels[top]));
    return status;
  }
};

const bool kRegistered = RegisterOnCuda<CompactScanScatter>(
    "scan_scatter", /*rank=*/3, "flags, their prefix sums, a scatter",
    CompactContract()
        .AtMost(kMostElements)
        .Boundaries({kThreads, kBlockElements,
                     int64_t{kBlockElements} * kBlockElements})
        .Notes("4 bytes of scratch memory for each element"));

}  // namespace
}  // namespace concord::compact
