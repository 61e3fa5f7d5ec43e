// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Thrust's copy_if, or stable_partition_copy where the rejected elements are
// asked for. Thrust brings the count to the host, so each call waits for the
// device; it is sent back from there.

#include <thrust/copy.h>
#include <thrust/execution_policy.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/partition.h>

#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>
#include <vector>

#include "concord/algorithms/compact/compact.h"
#include "concord/algorithms/compact/cuda/run.cuh"
#include "concord/backends/cuda/thrust_calls.cuh"

namespace concord::compact {
namespace {

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
  using CompactOnCuda::CompactOnCuda;

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
    int64_t kept;
    if (arrays.rejected == nullptr) {
      kept = thrust::copy_if(policy, arrays.in, end, arrays.kept, keeps) -
             arrays.kept;
    } else {
      kept = thrust::stable_partition_copy(policy, arrays.in, end, arrays.kept,
                                           arrays.rejected, keeps)
                 .first -
             arrays.kept;
    }
    if (arrays.indices != nullptr) {
      const thrust::counting_iterator<int64_t> first(0);
      thrust::copy_if(policy, first, first + arrays.size, arrays.in,
                      arrays.indices, keeps);
    }
    return StoreCounts(kept, arrays);
  }
};

const bool kRegistered = RegisterOnCuda<CompactThrust>(
    "thrust", /*rank=*/4, "copy_if of Thrust",
    CompactContract().Notes(
        "each call waits for the device; a pass of its own for the indices"));

}  // namespace
}  // namespace concord::compact
