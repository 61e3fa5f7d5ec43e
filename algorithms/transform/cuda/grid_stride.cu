// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// A grid of blocks that strides over the array (M. Harris, "CUDA Pro Tip: Write
// Flexible Kernels with Grid-Stride Loops", 2013). A thread has several packs
// of elements under way at a time.

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>

#include "concord/algorithms/transform/cuda/packs.cuh"
#include "concord/algorithms/transform/cuda/run.cuh"

namespace concord::transform {
namespace {

// The header is this folder's own: what it declares is part of this file.
using namespace transform_internal;  // NOLINT(build/namespaces)

constexpr int kThreads = 256;
// All the threads that a multiprocessor has room for.
constexpr int kBlocksPerMultiprocessor = 8;
// Of so many waves of blocks, the later ones go where the earlier ones are done
// first.
constexpr int kWaves = 16;

// Packs that a thread has under way at a time.
constexpr int kPacks = 4;

// What a block handles between two strides.
template <typename Op>
constexpr int64_t kTile = int64_t{kThreads} * kPacks* Arrays<Op>::kElements;

template <typename Op>
__global__ void __launch_bounds__(kThreads, kBlocksPerMultiprocessor)
    TransformArray(Op op, Arrays<Op> arrays) {
  constexpr int kElements = Arrays<Op>::kElements;
  const bool together = arrays.together();
  for (int64_t tile = blockIdx.x * kTile<Op>; tile < arrays.end;
       tile += gridDim.x * kTile<Op>) {
    const int64_t first = tile + threadIdx.x * kElements;
    // One pack more on both sides, which loads across vectors touch.
    if (tile - kElements >= arrays.begin &&
        tile + kTile<Op> + kElements <= arrays.end) {
      typename Arrays<Op>::InPack in[kPacks];
#pragma unroll
      for (int i = 0; i < kPacks; ++i) {
        in[i] =
            LoadPack<Op>(arrays, first + i * kThreads * kElements, together);
      }
#pragma unroll
      for (int i = 0; i < kPacks; ++i) {
        StorePack<Op>(arrays, first + i * kThreads * kElements, together,
                      Apply<Op>(op, in[i]));
      }
    } else {
      const int64_t last = min(tile + kTile<Op>, arrays.end);
      for (int64_t i = max(tile, arrays.begin) + threadIdx.x; i < last;
           i += kThreads) {
        arrays.out[i] = op(arrays.in[i]);
      }
    }
  }
}

class TransformGridStride : public TransformOnCuda<TransformGridStride> {
 public:
  using TransformOnCuda::TransformOnCuda;

  template <typename Op>
  absl::Status Launch(Op op, const typename Op::In* in, typename Op::Out* out,
                      int64_t n) {
    const auto arrays = Arrays<Op>::Of(in, out, n);
    const int64_t blocks = std::min(DivideUp(arrays.end, kTile<Op>),
                                    int64_t{backend()->multiprocessors()} *
                                        kBlocksPerMultiprocessor * kWaves);
    return Queue(TransformArray<Op>, {blocks, kThreads}, op, arrays);
  }
};

const bool kRegistered = RegisterOnCuda<TransformGridStride>(
    "grid_stride", /*rank=*/10,
    "16-byte accesses, a grid that strides over the array",
    TransformContract()
        // Tiles of 2, 4 and 16 elements for each access of a thread.
        .Boundaries({(2 * kThreads * kPacks), (4 * kThreads * kPacks),
                     (16 * kThreads * kPacks)})
        .Notes("input and output that are aligned to 16 bytes alike are the "
               "fastest"));

}  // namespace
}  // namespace concord::transform
