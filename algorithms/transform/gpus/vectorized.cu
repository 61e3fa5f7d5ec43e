// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// A transform on several GPUs: the packs of cuda/vectorized, each by the member
// that holds it. Where the two sides have elements of different sizes, it is
// the wider side that stays at home, and less crosses the links.

#include <cuda_runtime.h>

#include <cstdint>
#include <type_traits>

#include "concord/algorithms/transform/cuda/packs.cuh"
#include "concord/algorithms/transform/cuda/run.cuh"
#include "concord/algorithms/transform/transform.h"
#include "concord/algorithms/transform/transform_operators.h"
#include "concord/backends/cuda/launch.cuh"
#include "concord/backends/gpus/group_launch.cuh"
#include "concord/backends/gpus/on_gpus.cuh"

namespace concord::transform {
namespace {

// The header is that of the folder `cuda`: what it declares is part of this
// file.
using namespace transform_internal;  // NOLINT(build/namespaces)

constexpr int kThreads = 256;
// What a block handles of the wider side. It divides a stripe.
constexpr std::int64_t kBlockBytes = kThreads * kVectorBytes;
static_assert(kGranuleBytes % kBlockBytes == 0);

// A pack of a thread that is not all there, or whose neighbours are not.
template <typename Op>
__device__ void TransformEdge(const Op& op, const Arrays<Op>& arrays,
                              int64_t first) {
  const int64_t last = min(first + Arrays<Op>::kElements, arrays.end);
  for (int64_t i = max(first, arrays.begin); i < last; ++i) {
    arrays.out[i] = op(arrays.in[i]);
  }
}

// One block for each 4 KiB of the share.
template <typename Op>
__global__ void __launch_bounds__(kThreads)
    TransformShare(Op op, Arrays<Op> arrays,
                   const __grid_constant__ Share share) {
  constexpr int kElements = Arrays<Op>::kElements;
  const int64_t pack = int64_t{share(blockIdx.x)} * kThreads + threadIdx.x;
  const int64_t first = pack * kElements;
  const bool together = arrays.together();
  // Loads across vectors touch a pack more on both sides.
  const int packs_around = together ? 0 : 1;
  const bool is_inside = first - packs_around * kElements >= arrays.begin &&
                         first + (1 + packs_around) * kElements <= arrays.end;
  if (!is_inside) return TransformEdge(op, arrays, first);
  const auto in = LoadPack<Op>(arrays, first, together);
  StorePack<Op>(arrays, first, together, Apply<Op>(op, in));
}

class TransformVectorized : public OnGpus<Transform> {
 public:
  using OnGpus<Transform>::OnGpus;

 protected:
  absl::Status Compute(ConstArrayView in, ArrayView out,
                       const Options& options) override {
    if (in.empty()) return absl::OkStatus();
    return DispatchTransform(in.type(), options, [&](auto op) {
      using Op = decltype(op);
      return Launch(
          op, Arrays<Op>::Of(static_cast<const typename Op::In*>(in.data()),
                             static_cast<typename Op::Out*>(out.data()),
                             in.size()));
    });
  }

 private:
  template <typename Op>
  static const void* WiderSide(const Arrays<Op>& arrays) {
    if (sizeof(typename Op::In) > sizeof(typename Op::Out)) return arrays.in;
    return arrays.out;
  }

  template <typename Op>
  absl::Status Launch(const Op& op, const Arrays<Op>& arrays) {
    constexpr std::int64_t kBlock = kThreads * Arrays<Op>::kElements;
    const std::int64_t blocks = DivideUp(arrays.end, kBlock);
    return QueueShares(*backend(), WiderSide(arrays), kBlockBytes, blocks,
                       [&](int i, const Share& share) {
                         return QueueKernel(
                             *backend()->member(i), name(), TransformShare<Op>,
                             {share.count, kThreads}, op, arrays, share);
                       });
  }
};

const bool kRegistered = RegisterOnGpus<TransformVectorized>(
    "vectorized", /*rank=*/10,
    "a thread for each 16 bytes, on the member that holds them",
    TransformContract()
        // Blocks of 2, 4 and 16 elements for each thread.
        .Boundaries({2 * kThreads, 4 * kThreads, 16 * kThreads})
        .Boundaries(StripeBoundaries())
        .Notes("input and output that begin at the same place of a stripe are "
               "the fastest"));

}  // namespace
}  // namespace concord::transform
