// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The scan of W. D. Hillis and G. L. Steele, "Data parallel algorithms" (1986):
// in step k every element takes in the one 2^k before it. Each step is one pass
// through global memory, from one buffer to the other, so the array is read and
// written log2(n) times, and n log2(n) operations do what n could do.

#include <cuda_runtime.h>

#include <cstdint>

#include "concord/algorithms/scan/cuda/run.cuh"

namespace concord::scan {
namespace {

// Threads of a block when the caller leaves the choice to us.
constexpr int kBlock = 256;

template <typename Op, typename T = typename Op::Element>
__global__ void TakeInFromDistance(const T* in, T* out, int64_t n,
                                   int64_t distance) {
  const int64_t i = GlobalThread();
  if (i >= n) return;
  out[i] = i < distance ? in[i] : Op()(in[i - distance], in[i]);
}

// From the inclusive scan to what was asked for.
template <typename Op, typename T = typename Op::Element>
__global__ void Finish(const T* scanned, T* out, int64_t n, bool inclusive) {
  const int64_t i = GlobalThread();
  if (i >= n) return;
  if (inclusive) {
    out[i] = CanonicalNan(scanned[i]);
  } else {
    out[i] = i == 0 ? Op::Empty() : CanonicalNan(scanned[i - 1]);
  }
}

class ScanNaive : public ScanOnCuda<ScanNaive> {
 public:
  using ScanOnCuda::ScanOnCuda;

  template <typename Op>
  absl::Status Launch(ConstArrayView in, ArrayView out,
                      const Options& options) {
    using T = typename Op::Element;
    const int64_t n = in.size();
    absl::Status status = scratch().Reserve<T>(2 * n);
    if (!status.ok()) return status;
    const int block = BlockOr(kBlock);
    const LaunchShape shape = {DivideUp(n, block), block};
    T* const buffers = scratch().data<T>();
    const T* from = in.data<T>();
    T* to = buffers;
    for (int64_t distance = 1; distance < n && status.ok(); distance *= 2) {
      status = Queue(TakeInFromDistance<Op>, shape, from, to, n, distance);
      from = to;
      to = to == buffers ? buffers + n : buffers;
    }
    if (!status.ok()) return status;
    return Queue(Finish<Op>, shape, from, out.data<T>(), n,
                 options.kind == Kind::kInclusive);
  }
};

const bool kRegistered = RegisterOnCuda<ScanNaive>(
    "naive", /*rank=*/1,
    "Hillis and Steele: log2(n) passes through global memory",
    ScanContract(
        Determinism::kRunToRun,
        ", of the 2^k elements up to each and then of those before them")
        .Boundaries({kBlock})
        .Notes("takes --block; keeps scratch memory of twice the input"),
    /*requirement=*/{}, {BlockOption()});

}  // namespace
}  // namespace concord::scan
