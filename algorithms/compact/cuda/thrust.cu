// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Thrust's copy_if, or stable_partition_copy where the rejected elements are
// asked for. Thrust brings the count to the host, so each call waits for the
// device; it is sent back from there.

#include <thrust/copy.h>
#include <thrust/execution_policy.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/partition.h>

#include <cstdint>

#include "concord/algorithms/compact/compact.h"
#include "concord/algorithms/compact/cuda/run.cuh"
#include "concord/backends/cuda/thrust_calls.cuh"
#include "concord/backends/cuda/thrust_memory.cuh"

namespace concord::compact {
namespace {

class CompactThrust : public CompactOnCuda<CompactThrust> {
 public:
  using CompactOnCuda::CompactOnCuda;

  template <typename Word>
  absl::Status Select(const KeptRange<Word>& keep,
                      const CompactArrays<Word>& arrays) {
    int64_t kept = 0;
    absl::Status status = ThrustStatus(name(), [&] {
      WithThrustPolicy(*backend(), [&](const auto& policy) {
        kept = Copy(policy, keep, arrays);
      });
    });
    return status.ok() ? StoreCounts(kept, arrays) : status;
  }

 private:
  // Returns how many are kept.
  template <typename Policy, typename Word>
  static int64_t Copy(const Policy& policy, const KeptRange<Word>& keep,
                      const CompactArrays<Word>& arrays) {
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
    return kept;
  }
};

const bool kRegistered = RegisterOnCuda<CompactThrust>(
    "thrust", /*rank=*/4, "copy_if of Thrust",
    CompactContract().Notes(
        "each call waits for the device; a pass of its own for the indices"));

}  // namespace
}  // namespace concord::compact
