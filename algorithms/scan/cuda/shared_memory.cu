// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The scan of M. Harris, S. Sengupta and J. D. Owens, "Parallel prefix sum
// (scan) with CUDA" (GPU Gems 3, chapter 39, 2007): each block does Blelloch's
// up- and downsweep on two elements a thread in shared memory, where places are
// spread so that the threads of a warp meet in no bank. The totals of the
// blocks are scanned in the same way, level by level, and added to the results.

#include <cuda_runtime.h>

#include <cstdint>

#include "concord/algorithms/scan/cuda/run.cuh"

namespace concord::scan {
namespace {

// Threads of a block when the caller leaves the choice to us.
constexpr int kBlock = 256;

// The banks take 128 bytes side by side. What follows these is moved on by one
// element, or one bank where elements are narrower, so that nodes a power of
// two apart lie in different banks.
template <typename T>
__host__ __device__ constexpr int PlaceOf(int i) {
  constexpr int kRow = 128 / static_cast<int>(sizeof(T));
  constexpr int kMove = sizeof(T) < 4 ? 4 / static_cast<int>(sizeof(T)) : 1;
  return i + i / kRow * kMove;
}

// Leaves of a block's tree: a power of two, whatever the number of threads.
int LeavesFor(int block) {
  int leaves = 2;
  while (leaves < 2 * block) leaves *= 2;
  return leaves;
}

// Exclusive scan of the tree, after `prefix`; thread 0 gets the total. Begins
// and ends where all threads of the block may use any leaf.
template <typename Op, typename T = typename Op::Element>
__device__ T SweepTree(T* tree, int leaves, T prefix) {
  const int threads = static_cast<int>(blockDim.x);
  for (int half = 1; half < leaves; half *= 2) {
    __syncthreads();
    for (int i = threadIdx.x; i < leaves / (2 * half); i += threads) {
      const int right = (i + 1) * 2 * half - 1;
      T& node = tree[PlaceOf<T>(right)];
      node = Op()(tree[PlaceOf<T>(right - half)], node);
    }
  }
  T total = prefix;
  __syncthreads();
  if (threadIdx.x == 0) {
    total = tree[PlaceOf<T>(leaves - 1)];
    tree[PlaceOf<T>(leaves - 1)] = prefix;
  }
  for (int half = leaves / 2; half > 0; half /= 2) {
    __syncthreads();
    for (int i = threadIdx.x; i < leaves / (2 * half); i += threads) {
      const int right = (i + 1) * 2 * half - 1;
      T& first = tree[PlaceOf<T>(right - half)];
      T& second = tree[PlaceOf<T>(right)];
      const T left_total = first;
      first = second;
      second = Op()(first, left_total);
    }
  }
  __syncthreads();
  return total;
}

// One tile of two elements a thread for each block. With `totals`, its total is
// left there; without, it is the only one, and what precedes it is `empty`.
template <typename Op, typename T = typename Op::Element>
__global__ void ScanTiles(const T* in, T* out, T* totals, int64_t n, int leaves,
                          bool inclusive) {
  extern __shared__ uint4 tree_memory[];
  T* const tree = reinterpret_cast<T*>(tree_memory);
  const int tile = 2 * static_cast<int>(blockDim.x);
  const int64_t tile_first = int64_t{blockIdx.x} * tile;
  T own[2];
#pragma unroll
  for (int k = 0; k < 2; ++k) {
    const int leaf = threadIdx.x + k * static_cast<int>(blockDim.x);
    const int64_t i = tile_first + leaf;
    own[k] = i < n ? in[i] : Op::Identity();
    tree[PlaceOf<T>(leaf)] = own[k];
  }
  for (int leaf = tile + threadIdx.x; leaf < leaves; leaf += blockDim.x) {
    tree[PlaceOf<T>(leaf)] = Op::Identity();
  }
  const T total = SweepTree<Op>(
      tree, leaves, totals == nullptr ? Op::Empty() : Op::Identity());
  if (totals != nullptr && threadIdx.x == 0) totals[blockIdx.x] = total;
#pragma unroll
  for (int k = 0; k < 2; ++k) {
    const int leaf = threadIdx.x + k * static_cast<int>(blockDim.x);
    const int64_t i = tile_first + leaf;
    const T before = tree[PlaceOf<T>(leaf)];
    if (i < n) {
      out[i] = CanonicalNan(inclusive ? Op()(before, own[k]) : before);
    }
  }
}

// out[i] = what precedes its tile, and then out[i].
template <typename Op, typename T = typename Op::Element>
__global__ void AddPrefixes(const T* prefixes, T* out, int64_t n) {
  const T prefix = prefixes[blockIdx.x];
  const int64_t tile_first = int64_t{blockIdx.x} * 2 * blockDim.x;
#pragma unroll
  for (int k = 0; k < 2; ++k) {
    const int64_t i = tile_first + threadIdx.x + k * blockDim.x;
    if (i < n) out[i] = CanonicalNan(Op()(prefix, out[i]));
  }
}

class ScanSharedMemory : public ScanOnCuda<ScanSharedMemory> {
 public:
  using ScanOnCuda::ScanOnCuda;

  template <typename Op>
  absl::Status Launch(ConstArrayView in, ArrayView out,
                      const Options& options) {
    using T = typename Op::Element;
    const int block = BlockOr(kBlock);
    int64_t totals = 0;
    for (int64_t count = Tiles(in.size(), block); count > 1;) {
      totals += count;
      count = Tiles(count, block);
    }
    absl::Status status = scratch().Reserve<T>(totals);
    if (!status.ok()) return status;
    return ScanLevel<Op>(in.data<T>(), out.data<T>(), scratch().data<T>(),
                         in.size(), block, options.kind == Kind::kInclusive);
  }

 private:
  static int64_t Tiles(int64_t n, int block) { return DivideUp(n, 2 * block); }

  // `totals`: room for those of this level and of the levels above.
  template <typename Op, typename T = typename Op::Element>
  absl::Status ScanLevel(const T* in, T* out, T* totals, int64_t n, int block,
                         bool inclusive) {
    const int64_t tiles = Tiles(n, block);
    const int leaves = LeavesFor(block);
    const int64_t bytes = (PlaceOf<T>(leaves - 1) + 1) * sizeof(T);
    absl::Status status =
        Queue(ScanTiles<Op>, {tiles, block, bytes}, in, out,
              tiles == 1 ? nullptr : totals, n, leaves, inclusive);
    if (tiles == 1 || !status.ok()) return status;
    status = ScanLevel<Op>(totals, totals, totals + tiles, tiles, block,
                           /*inclusive=*/false);
    if (!status.ok()) return status;
    return Queue(AddPrefixes<Op>, {tiles, block}, totals, out, n);
  }
};

const bool kRegistered = RegisterOnCuda<ScanSharedMemory>(
    "shared_memory", /*rank=*/3,
    "Harris, Sengupta and Owens: Blelloch's sweeps in shared memory, then the "
    "totals of the blocks",
    ScanContract(Determinism::kRunToRun,
                 ", within blocks and then from block to block, so that the "
                 "product of a block may overflow where no prefix does")
        .Boundaries({2 * kBlock, (4 * kBlock * kBlock)})
        .Notes(
            "takes --block, which changes the bits of float sums and products"),
    /*requirement=*/{}, {BlockOption()});

}  // namespace
}  // namespace concord::scan
