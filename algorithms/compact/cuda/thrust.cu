// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Thrust's copy_if, or stable_partition_copy where the rejected elements are
// asked for. Thrust brings the count to the host, so each call waits for the
// device; it is sent back from there.

#include <cuda_runtime.h>
#include <thrust/copy.h>
#include <thrust/execution_policy.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/partition.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "concord/algorithms/compact/compact.h"
#include "concord/algorithms/compact/cuda/run.cuh"
#include "concord/backends/cuda/cuda_status.h"
#include "concord/backends/cuda/thrust_calls.cuh"
#include "concord/core/registry.h"

namespace concord::compact {
namespace {

template <typename Word>
struct Keeps {
  KeptRange<Word> range;
  __device__ bool operator()(Word x) const { return range.Keeps(x); }
};

// Thrust's temporary memory, from the backend's pool, for the length of a call.
class TemporaryMemory {
 public:
  using value_type = char;

  TemporaryMemory(Backend& backend, std::vector<Array>& arrays)
      : backend_(&backend), arrays_(&arrays) {}

  char* allocate(std::ptrdiff_t bytes) {
    absl::StatusOr<Array> array =
        backend_->Allocate(ElementType::kUInt8, bytes);
    if (!array.ok()) throw std::bad_alloc();
    arrays_->push_back(*std::move(array));
    return arrays_->back().data<char>();
  }
  void deallocate(char*, std::size_t) {}

 private:
  Backend* backend_;
  std::vector<Array>* arrays_;
};

class CompactThrust : public CompactOnCuda<CompactThrust> {
 public:
  explicit CompactThrust(std::shared_ptr<Backend> backend)
      : CompactOnCuda(std::move(backend), "compact/cuda/thrust") {}

  template <typename Word>
  absl::Status Select(const KeptRange<Word>& keep,
                      const CompactArrays<Word>& arrays) {
    absl::Status copied;
    absl::Status status =
        ThrustStatus(name(), [&] { copied = Copy(keep, arrays); });
    status.Update(copied);
    return status;
  }

 private:
  template <typename Word>
  absl::Status Copy(const KeptRange<Word>& keep,
                    const CompactArrays<Word>& arrays) {
    std::vector<Array> temporaries;
    TemporaryMemory memory(*backend(), temporaries);
    const auto policy = thrust::cuda::par(memory).on(stream());
    const Word* const end = arrays.in + arrays.size;
    const Keeps<Word> keeps{keep};
    int64_t counts[2];
    if (arrays.rejected == nullptr) {
      counts[0] = thrust::copy_if(policy, arrays.in, end, arrays.kept, keeps) -
                  arrays.kept;
    } else {
      counts[0] =
          thrust::stable_partition_copy(policy, arrays.in, end, arrays.kept,
                                        arrays.rejected, keeps)
              .first -
          arrays.kept;
    }
    if (arrays.indices != nullptr) {
      const thrust::counting_iterator<int64_t> first(0);
      thrust::copy_if(policy, first, first + arrays.size, arrays.in,
                      arrays.indices, keeps);
    }
    counts[1] = arrays.size - counts[0];
    absl::Status status = Send(counts[0], arrays.count);
    if (status.ok() && arrays.rejected_count != nullptr) {
      status = Send(counts[1], arrays.rejected_count);
    }
    return status;
  }

  // The value has been read when the call returns: it is not in pinned memory.
  absl::Status Send(const int64_t& value, int64_t* to) {
    return CudaStatus(cudaMemcpyAsync(to, &value, sizeof(value),
                                      cudaMemcpyHostToDevice, stream()),
                      "the count of compact/cuda/thrust");
  }
};

Contract MakeContract() {
  Contract contract = CompactContract();
  contract.notes =
      "each call waits for the device; a pass of its own for the indices";
  return contract;
}

const bool kRegistered = Registry<Compact>::Get().Add(
    "cuda", "thrust", /*rank=*/4, "copy_if of Thrust", MakeContract(),
    [](std::shared_ptr<Backend> backend) {
      return std::make_unique<CompactThrust>(std::move(backend));
    });

}  // namespace
}  // namespace concord::compact
