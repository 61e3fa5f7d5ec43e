// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// A thread for each 16 bytes of the larger of input and output, and as many
// blocks as that takes: the device's own scheduler of blocks is faster than a
// loop around the kernel (grid_stride.cu). Each starts while the last blocks of
// the kernel before it are still running. Wide accesses: J. Luitjens, "CUDA
// Pro Tip: Increase Performance with Vectorized Memory Access" (2013).

#include <cuda_runtime.h>

#include <cstdint>

#include "concord/algorithms/transform/cuda/packs.cuh"
#include "concord/algorithms/transform/cuda/run.cuh"
#include "concord/backends/cuda/dependent_launch.cuh"

namespace concord::transform {
namespace {

// The header is this folder's own: what it declares is part of this file.
using namespace transform_internal;  // NOLINT(build/namespaces)

constexpr int kThreads = 256;

// With kWhole, arrays are whole packs that are aligned on both sides. The code
// for all others takes time to fetch where it is not in a cache.
template <typename Op, bool kWhole>
__global__ void __launch_bounds__(kThreads)
    TransformPacks(Op op, Arrays<Op> arrays) {
  LetNextGridStart();
  constexpr int kElements = Arrays<Op>::kElements;
  const bool together = kWhole || arrays.together();
  const int64_t first =
      (int64_t{blockIdx.x} * kThreads + threadIdx.x) * kElements;
  // Loads across vectors touch a pack more on both sides.
  const int64_t margin = together ? 0 : kElements;
  WaitForGridBefore();
  if (kWhole ? first < arrays.end
             : first - margin >= arrays.begin &&
                   first + kElements + margin <= arrays.end) {
    StorePack<Op>(arrays, first, together,
                  Apply<Op>(op, LoadPack<Op>(arrays, first, together)));
  } else if constexpr (!kWhole) {
    const int64_t last = min(first + kElements, arrays.end);
    for (int64_t i = max(first, arrays.begin); i < last; ++i) {
      arrays.out[i] = op(arrays.in[i]);
    }
  }
}

class TransformVectorized : public TransformOnCuda<TransformVectorized> {
 public:
  using TransformOnCuda::TransformOnCuda;

  template <typename Op>
  absl::Status Launch(Op op, const typename Op::In* in, typename Op::Out* out,
                      int64_t n) {
    const auto arrays = Arrays<Op>::Of(in, out, n);
    return arrays.whole() ? LaunchBlocks(TransformPacks<Op, true>, op, arrays)
                          : LaunchBlocks(TransformPacks<Op, false>, op, arrays);
  }

 private:
  template <typename Op>
  absl::Status LaunchBlocks(void (*kernel)(Op, Arrays<Op>), Op op,
                            const Arrays<Op>& arrays) {
    constexpr int64_t kBlock = kThreads * Arrays<Op>::kElements;
    return launcher_.Queue(
        name(), kernel, {DivideUp(arrays.end, kBlock), kThreads}, op, arrays);
  }

  DependentLauncher launcher_{backend()};
};

const bool kRegistered = RegisterOnCuda<TransformVectorized>(
    "vectorized", /*rank=*/20, "a thread for each 16 bytes",
    TransformContract()
        // Blocks of 2, 4 and 16 elements for each thread.
        .Boundaries({2 * kThreads, 4 * kThreads, 16 * kThreads})
        .Notes("input and output that are aligned to 16 bytes alike are the "
               "fastest"));

}  // namespace
}  // namespace concord::transform
