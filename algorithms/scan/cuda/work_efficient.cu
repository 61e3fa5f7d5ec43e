// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The scan of G. E. Blelloch, "Prefix sums and their applications" (1990), in
// global memory: an upsweep makes the totals of pairs, of pairs of pairs and so
// on, and a downsweep makes of them what precedes each. 2n operations instead
// of n log2(n).
//
// The totals of each level stand together, so that threads which are
// neighbours use neighbouring memory. A level has only whole nodes: where n is
// no power of two, some elements are in no node of the upper levels, and
// nothing ever needs one. The order is that which scan.h defines.

#include <cuda_runtime.h>

#include <cstdint>

#include "concord/algorithms/scan/cuda/run.cuh"

namespace concord::scan {
namespace {

// Threads of a block when the caller leaves the choice to us.
constexpr int kBlock = 256;

template <typename Op, typename T = typename Op::Element>
__global__ void Upsweep(const T* halves, T* totals, int64_t nodes) {
  const int64_t i = GlobalThread();
  if (i < nodes) totals[i] = Op()(halves[2 * i], halves[2 * i + 1]);
}

// What precedes nodes 2 * pair and 2 * pair + 1 of a level, of which the first
// has this total; `prefixes` is that of the level above, or null at the top.
template <typename Op, typename T = typename Op::Element>
__device__ __forceinline__ void PrefixesOfPair(const T* prefixes, int64_t pair,
                                               T total, T& first, T& second) {
  first = prefixes == nullptr ? Op::Empty() : prefixes[pair];
  second = Op()(first, total);
}

// Turns a level's totals into what precedes its nodes, and one more: what
// precedes the elements that are in none of them.
template <typename Op, typename T = typename Op::Element>
__global__ void Downsweep(const T* prefixes, T* level, int64_t nodes) {
  const int64_t pair = GlobalThread();
  const int64_t i = 2 * pair;
  if (i > nodes) return;
  T first, second;
  PrefixesOfPair<Op>(prefixes, pair, i < nodes ? level[i] : Op::Identity(),
                     first, second);
  level[i] = first;
  if (i < nodes) level[i + 1] = second;
}

// The same for the elements themselves.
template <typename Op, typename T = typename Op::Element>
__global__ void ScanPairs(const T* prefixes, const T* in, T* out, int64_t n,
                          bool inclusive) {
  const int64_t pair = GlobalThread();
  const int64_t i = 2 * pair;
  if (i >= n) return;
  const T a = in[i];
  T first, second;
  PrefixesOfPair<Op>(prefixes, pair, a, first, second);
  // Before the first result is written, where `out` may be `in`.
  const T b = inclusive && i + 1 < n ? in[i + 1] : Op::Identity();
  out[i] = CanonicalNan(inclusive ? second : first);
  if (i + 1 < n)
    out[i + 1] = CanonicalNan(inclusive ? Op()(second, b) : second);
}

class ScanWorkEfficient : public ScanOnCuda<ScanWorkEfficient> {
 public:
  using ScanOnCuda::ScanOnCuda;

  template <typename Op>
  absl::Status Launch(ConstArrayView in, ArrayView out,
                      const Options& options) {
    using T = typename Op::Element;
    const int block = BlockOr(kBlock);
    const auto shape = [block](int64_t threads) {
      return LaunchShape{DivideUp(threads, block), block};
    };
    const int64_t n = in.size();
    // Level k has n >> k nodes and one more place. Level 0 is the input.
    int64_t places = 0;
    int levels = 1;
    for (; n >> levels > 0; ++levels) places += (n >> levels) + 1;
    absl::Status status = scratch().Reserve<T>(places);
    if (!status.ok()) return status;

    T* level = scratch().data<T>();
    const T* halves = in.data<T>();
    for (int k = 1; k < levels; ++k) {
      const int64_t nodes = n >> k;
      status.Update(Queue(Upsweep<Op>, shape(nodes), halves, level, nodes));
      halves = level;
      level += nodes + 1;
    }
    const T* prefixes = nullptr;
    for (int k = levels - 1; k >= 1; --k) {
      const int64_t nodes = n >> k;
      level -= nodes + 1;
      status.Update(
          Queue(Downsweep<Op>, shape(nodes / 2 + 1), prefixes, level, nodes));
      prefixes = level;
    }
    status.Update(Queue(ScanPairs<Op>, shape(DivideUp(n, 2)), prefixes,
                        in.data<T>(), out.data<T>(), n,
                        options.kind == Kind::kInclusive));
    return status;
  }
};

const bool kRegistered = RegisterOnCuda<ScanWorkEfficient>(
    "work_efficient", /*rank=*/2,
    "Blelloch: up- and downsweep in global memory",
    ScanContract(Determinism::kBitwiseAcrossBackends, kOrderOfDefinition)
        .Boundaries({kBlock, 2 * kBlock})
        .Notes("takes --block, which does not change the bits; keeps scratch "
               "memory of the size of the input"),
    /*requirement=*/{}, {BlockOption()});

}  // namespace
}  // namespace concord::scan
