// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The launches of the sort from the highest digit for keys with values: two
// passes of onesweep by the prefix, then buckets in shared memory. Where keys
// crowd, those two passes are the first of a sort by all digits.

#ifndef CONCORD_ALGORITHMS_RADIX_SORT_CUDA_MSD_PAIRS_CUH_
#define CONCORD_ALGORITHMS_RADIX_SORT_CUDA_MSD_PAIRS_CUH_

#include <algorithm>
#include <cstdint>

#include "absl/status/status.h"
#include "concord/algorithms/radix_sort/cuda/arrays.cuh"
#include "concord/algorithms/radix_sort/cuda/msd_pair_buckets.cuh"
#include "concord/algorithms/radix_sort/cuda/msd_pair_plan.cuh"
#include "concord/algorithms/radix_sort/cuda/msd_plan.cuh"
#include "concord/algorithms/radix_sort/cuda/msd_policy.cuh"
#include "concord/algorithms/radix_sort/cuda/msd_sample.cuh"
#include "concord/algorithms/radix_sort/cuda/msd_steps.cuh"
#include "concord/algorithms/radix_sort/cuda/onesweep.cuh"
#include "concord/algorithms/radix_sort/cuda/onesweep_scratch.cuh"
#include "concord/algorithms/radix_sort/cuda/plan.cuh"
#include "concord/algorithms/radix_sort/cuda/plan_launch.cuh"
#include "concord/algorithms/radix_sort/cuda/run.cuh"
#include "concord/backends/cuda/cuda_backend.h"
#include "concord/backends/cuda/launch.cuh"
#include "concord/backends/cuda/vector.cuh"
#include "concord/core/errors.h"

namespace concord::radix_sort {

// Ways of sorting buckets, by the widths of keys and values.
template <typename Bits, typename Value>
struct PairBuckets {
  using type = BucketPolicy<uint32_t, 9, sizeof(Value) == 4 ? 4 : 3, 4>;
};
template <typename Value>
struct PairBuckets<uint64_t, Value> {
  using type = BucketPolicy<uint64_t, 9, 2, 8>;
};

// A word has room for what is left of a key after so many bits, and for a
// place.
inline constexpr int kLeastPairPrefixBits = kPlaceBits;

// Of so few elements, half as many tell as much about how often keys repeat.
inline constexpr int64_t kMostQuicklySampled = int64_t{1} << 25;

inline PrefixDigits PairPrefixFor(int64_t n) {
  const PrefixDigits digits = PrefixFor(n);
  if (digits.bits() >= kLeastPairPrefixBits) return digits;
  return {kLeastPairPrefixBits / 2,
          kLeastPairPrefixBits - kLeastPairPrefixBits / 2};
}

// Values travel as Value and leave as Out, which is wider for positions only.
template <typename Bits, typename Value, typename Out>
class MsdPairs : private MsdSteps<Bits> {
 public:
  MsdPairs(const RadixSortCall& call, CudaBackend& backend, MsdScratch& scratch)
      : Steps(call, backend, scratch, PairPrefixFor(call.keys_in.size())) {}

  absl::Status Run() {
    if (!Fits()) {
      return RunOnesweep<Value, Out>(call_, backend_, scratch_.onesweep);
    }
    RETURN_IF_ERROR(Steps::ReserveState());
    RETURN_IF_ERROR(scratch_.plan.template Reserve<SortPlan>(1));
    ASSIGN_OR_RETURN(const auto spare,
                     (ReserveSpareFor<Bits, Value>(scratch_.onesweep, size_)));
    RETURN_IF_ERROR(
        size_ <= kMostQuicklySampled
            ? Steps::template LookAtSample<2048>(Buckets::kColumnBits)
            : Steps::template LookAtSample<4096>(Buckets::kColumnBits));
    // There are no tiles of a last partition.
    RETURN_IF_ERROR(Steps::CountBucketsFor({1, 0, kMostListed, 0}));
    RETURN_IF_ERROR(PlanPasses());
    // By the prefix, or by the first digits of all.
    RETURN_IF_ERROR(MakePasses(0, kPrefixPasses));
    RETURN_IF_ERROR(SortBuckets({{spare.keys, spare.values},
                                 {call_.keys_out.template data<Bits>(),
                                  call_.values_out.template data<Out>()},
                                 map_}));
    return MakePasses(kPrefixPasses, sizeof(Bits));
  }

 private:
  using Buckets = typename PairBuckets<Bits, Value>::type;
  using Steps = MsdSteps<Bits>;
  using Steps::backend_;
  using Steps::call_;
  using Steps::digits_;
  using Steps::in_;
  using Steps::map_;
  using Steps::Queue;
  using Steps::scratch_;
  using Steps::size_;
  using Steps::state;

  bool Fits() const {
    static_assert(sizeof(PairMemory<Value, Buckets>) <= kLeastSharedBytes &&
                  sizeof(ListedMemory<Bits>) <= kLeastSharedBytes);
    return backend_.max_shared_memory_per_block() >= kLeastSharedBytes;
  }

  // Two by the prefix, which leave the elements in the spare memory. Where keys
  // crowd, one by each digit.
  absl::Status PlanPasses() {
    return QueuePlan</*kAllBits=*/true>(
        Steps::kWhere, backend_, scratch_.onesweep.launcher, in_, map_,
        {0, 8 * static_cast<int>(sizeof(Bits))}, Steps::hints(),
        PlanPrefixPasses<Bits>{digits_, state()}, plan());
  }

  absl::Status MakePasses(int first, int end) {
    return RunOnesweep<Value, Out>(call_, backend_, scratch_.onesweep,
                                   {{}, plan(), first, end});
  }

  SortPlan* plan() const { return scratch_.plan.template data<SortPlan>(); }

  absl::Status SortBuckets(const PairArrays<Bits, Value, Out>& arrays) {
    RETURN_IF_ERROR(
        Queue(SortPairBuckets<Bits, Value, Out, Buckets>,
              {DivideUp(int64_t{1} << digits_.bits(), Buckets::kInTurn),
               Buckets::kThreads, sizeof(PairMemory<Value, Buckets>)},
              arrays, digits_, state()));
    return Queue(SortListedPairs<Bits, Value, Out>,
                 {2 * backend_.multiprocessors(), kListedThreads,
                  sizeof(ListedMemory<Bits>)},
                 arrays, digits_, static_cast<const MsdState*>(state()));
  }
};

// Defined in one source for each width of values in the output, for the pairs
// of types that DispatchValues gives. Keys have 4 or 8 bytes, all of whose bits
// count.
template <typename Value, typename Out>
absl::Status RunMsdPairs(const RadixSortCall& call, CudaBackend& backend,
                         MsdScratch& scratch);

template <typename Value, typename Out>
absl::Status RunMsdPairsByWidth(const RadixSortCall& call, CudaBackend& backend,
                                MsdScratch& scratch) {
  return SizeOf(call.keys_in.type()) == 4
             ? MsdPairs<uint32_t, Value, Out>(call, backend, scratch).Run()
             : MsdPairs<uint64_t, Value, Out>(call, backend, scratch).Run();
}

}  // namespace concord::radix_sort

#endif  // CONCORD_ALGORITHMS_RADIX_SORT_CUDA_MSD_PAIRS_CUH_
