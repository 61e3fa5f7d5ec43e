// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// CUB's selection, the peer that every other CUDA implementation is measured
// against: one pass for each output that is asked for. (Its partition would
// write both kinds of elements in one pass, but the rejected ones in reverse.)

#include <cuda_runtime.h>
#include <thrust/iterator/counting_iterator.h>

#include <cstdint>
#include <cub/device/device_select.cuh>

#include "concord/algorithms/compact/compact.h"
#include "concord/algorithms/compact/cuda/run.cuh"
#include "concord/backends/cuda/cub_calls.cuh"

namespace concord::compact {
namespace {

template <typename Word>
struct KeepsAt {
  KeptRange<Word> range;
  const Word* in;
  __device__ bool operator()(int64_t i) const { return range.Keeps(in[i]); }
};

class CompactCub : public CompactOnCuda<CompactCub> {
 public:
  using CompactOnCuda::CompactOnCuda;

  template <typename Word>
  absl::Status Select(const KeptRange<Word>& keep,
                      const CompactArrays<Word>& arrays) {
    const int64_t n = arrays.size;
    absl::Status status =
        Pass(arrays.in, arrays.kept, arrays.count, n, Keeps<Word>{keep});
    if (status.ok() && arrays.rejected != nullptr) {
      KeptRange<Word> others = keep;
      others.inverted = !others.inverted;
      status = Pass(arrays.in, arrays.rejected, arrays.rejected_count, n,
                    Keeps<Word>{others});
    }
    if (status.ok() && arrays.indices != nullptr) {
      status = Pass(thrust::counting_iterator<int64_t>(0), arrays.indices,
                    arrays.count, n, KeepsAt<Word>{keep, arrays.in});
    }
    return status;
  }

 private:
  template <typename In, typename T, typename Predicate>
  absl::Status Pass(In in, T* out, int64_t* count, int64_t n,
                    Predicate predicate) {
    return RunCub(scratch(), name(), [&](void* memory, std::size_t& bytes) {
      return cub::DeviceSelect::If(memory, bytes, in, out, count, n, predicate,
                                   stream());
    });
  }
};

const bool kRegistered = RegisterOnCuda<CompactCub>(
    "cub", /*rank=*/5, "DeviceSelect of CUB",
    CompactContract().Notes("one pass for each output that is asked for"));

}  // namespace
}  // namespace concord::compact
