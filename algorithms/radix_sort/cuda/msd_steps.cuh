// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// What the sort from the highest digit queues for keys alone and for keys with
// values: the steps before the first key is moved, and the sort that takes over
// where keys crowd.

#ifndef CONCORD_ALGORITHMS_RADIX_SORT_CUDA_MSD_STEPS_CUH_
#define CONCORD_ALGORITHMS_RADIX_SORT_CUDA_MSD_STEPS_CUH_

#include <cstdint>
#include <memory>

#include "absl/status/status.h"
#include "concord/algorithms/radix_sort/cuda/msd_plan.cuh"
#include "concord/algorithms/radix_sort/cuda/msd_sample.cuh"
#include "concord/algorithms/radix_sort/cuda/onesweep.cuh"
#include "concord/algorithms/radix_sort/cuda/run.cuh"
#include "concord/backends/cuda/cuda_backend.h"
#include "concord/backends/cuda/launch.cuh"
#include "concord/backends/cuda/scratch.cuh"
#include "concord/backends/cuda/vector.cuh"
#include "concord/core/errors.h"

namespace concord::radix_sort {

// Memory that is kept from call to call.
struct MsdScratch {
  explicit MsdScratch(std::shared_ptr<CudaBackend> backend)
      : state(backend), plan(backend), onesweep(backend) {}

  Scratch state;
  // Of passes, for keys with values.
  Scratch plan;
  // Between the steps keys are in the spare memory of the other sort.
  OnesweepScratch onesweep;
};

template <typename Bits>
class MsdSteps {
 protected:
  static constexpr char kWhere[] = "radix_sort/cuda/msd";

  MsdSteps(const RadixSortCall& call, CudaBackend& backend, MsdScratch& scratch,
           PrefixDigits digits)
      : call_(call),
        backend_(backend),
        scratch_(scratch),
        in_(AlignedSpan(call.keys_in.data<Bits>(), call.keys_in.size())),
        map_(KeyMapOf<Bits>(
            call.keys_in.type(),
            call.options.order == RadixSort::Order::kDescending)),
        size_(call.keys_in.size()),
        digits_(digits) {}

  // Kernels are queued with these arguments.
  template <typename... Parameters, typename... Arguments>
  absl::Status Queue(void (*kernel)(Parameters...), const LaunchShape& shape,
                     Arguments... arguments) {
    return scratch_.onesweep.launcher.Queue(kWhere, kernel, shape,
                                            arguments...);
  }

  absl::Status ReserveState() { return scratch_.state.Reserve<MsdState>(1); }
  MsdState* state() const { return scratch_.state.data<MsdState>(); }

  // Takes a sample of kVectors vectors. So many bits after the prefix say which
  // column of its bucket a key gets into.
  template <int kVectors>
  absl::Status LookAtSample(int column_bits) {
    using Sample = KeySample<Bits, kVectors>;
    return Queue(SampleKeys<Bits, kVectors>, {Sample::kBlocks, kSampleThreads},
                 Sample{in_, map_}, digits_, column_bits, state());
  }

  // Finds out where buckets start.
  absl::Status CountBucketsFor(const BucketTiles& tiles) {
    return Queue(CountPrefixes<Bits>,
                 {backend_.multiprocessors(), kPrefixThreads,
                  int64_t{sizeof(uint16_t)} << digits_.bits()},
                 in_, map_, digits_, tiles, state());
  }

  template <typename Value, typename Out>
  absl::Status SortIfCrowded() {
    return RunOnesweep<Value, Out>(call_, backend_, scratch_.onesweep,
                                   {hints()});
  }

  // For a plan of passes by all digits, which keys that crowd want.
  PlanHints hints() const {
    return {&state()->crowded, &state()->halves_counted, state()->first};
  }

  const RadixSortCall& call_;
  CudaBackend& backend_;
  MsdScratch& scratch_;
  const Span<const Bits> in_;
  const KeyMap<Bits> map_;
  const int64_t size_;
  PrefixDigits digits_;
};

}  // namespace concord::radix_sort

#endif  // CONCORD_ALGORITHMS_RADIX_SORT_CUDA_MSD_STEPS_CUH_
