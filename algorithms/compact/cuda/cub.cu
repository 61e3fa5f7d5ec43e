// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// CUB's selection, the peer that every other CUDA implementation is measured
// against: one pass for each output that is asked for. (Its partition would
// write both kinds of elements in one pass, but the rejected ones in reverse.)

#include <cuda_runtime.h>
#include <thrust/iterator/counting_iterator.h>

#include <cstdint>
#include <cub/device/device_select.cuh>
#include <memory>
#include <utility>

#include "concord/algorithms/compact/compact.h"
#include "concord/algorithms/compact/cuda/run.cuh"
#include "concord/backends/cuda/cuda_status.h"
#include "concord/core/registry.h"

namespace concord::compact {
namespace {

template <typename Word>
struct Keeps {
  KeptRange<Word> range;
  __device__ bool operator()(Word x) const { return range.Keeps(x); }
};

template <typename Word>
struct KeepsAt {
  KeptRange<Word> range;
  const Word* in;
  __device__ bool operator()(int64_t i) const { return range.Keeps(in[i]); }
};

class CompactCub : public CompactOnCuda<CompactCub> {
 public:
  explicit CompactCub(std::shared_ptr<Backend> backend)
      : CompactOnCuda(std::move(backend), "compact/cuda/cub") {}

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
    const auto select = [&](void* scratch, std::size_t& bytes) {
      return CudaStatus(cub::DeviceSelect::If(scratch, bytes, in, out, count, n,
                                              predicate, stream()),
                        name());
    };
    std::size_t bytes = 0;
    absl::Status status = select(nullptr, bytes);
    if (status.ok()) {
      status = scratch().Reserve(static_cast<int64_t>(bytes));
    }
    return status.ok() ? select(scratch().data(), bytes) : status;
  }
};

Contract MakeContract() {
  Contract contract = CompactContract();
  contract.notes = "one pass for each output that is asked for";
  return contract;
}

const bool kRegistered = Registry<Compact>::Get().Add(
    "cuda", "cub", /*rank=*/5, "DeviceSelect of CUB", MakeContract(),
    [](std::shared_ptr<Backend> backend) {
      return std::make_unique<CompactCub>(std::move(backend));
    });

}  // namespace
}  // namespace concord::compact
