// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The launches of the sort from the highest digit for keys with values: two
// passes of onesweep by the prefix, then buckets in shared memory.

#ifndef CONCORD_ALGORITHMS_RADIX_SORT_CUDA_MSD_PAIRS_CUH_
#define CONCORD_ALGORITHMS_RADIX_SORT_CUDA_MSD_PAIRS_CUH_

#include <algorithm>
#include <cstdint>

#include "absl/status/status.h"
#include "concord/algorithms/radix_sort/cuda/arrays.cuh"
#include "concord/algorithms/radix_sort/cuda/msd.cuh"
#include "concord/algorithms/radix_sort/cuda/msd_pair_buckets.cuh"
#include "concord/algorithms/radix_sort/cuda/msd_pair_plan.cuh"
#include "concord/algorithms/radix_sort/cuda/msd_plan.cuh"
#include "concord/algorithms/radix_sort/cuda/msd_policy.cuh"
#include "concord/algorithms/radix_sort/cuda/msd_sample.cuh"
#include "concord/algorithms/radix_sort/cuda/onesweep.cuh"
#include "concord/algorithms/radix_sort/cuda/plan.cuh"
#include "concord/algorithms/radix_sort/cuda/run.cuh"
#include "concord/backends/cuda/cuda_backend.h"
#include "concord/backends/cuda/launch.cuh"
#include "concord/backends/cuda/vector.cuh"
#include "concord/core/errors.h"

namespace concord::radix_sort {

// Ways of sorting buckets, by the widths of keys and values.
template <typename Bits, typename Value>
struct PairBuckets {
  using type = BucketPolicy<uint32_t, 9, sizeof(Value) == 4 ? 4 : 3, 1>;
};
template <typename Value>
struct PairBuckets<uint64_t, Value> {
  using type = BucketPolicy<uint64_t, 9, 2, 1>;
};

// A word has room for what is left of a key after so many bits, and for a
// place.
inline constexpr int kLeastPairPrefixBits = kPlaceBits;

inline PrefixDigits PairPrefixFor(int64_t n) {
  const PrefixDigits digits = PrefixFor(n);
  if (digits.bits() >= kLeastPairPrefixBits) return digits;
  return {kLeastPairPrefixBits / 2,
          kLeastPairPrefixBits - kLeastPairPrefixBits / 2};
}

// Values travel as Value and leave as Out, which is wider for positions only.
template <typename Bits, typename Value, typename Out>
class MsdPairs {
 public:
  MsdPairs(const RadixSortCall& call, CudaBackend& backend, MsdScratch& scratch)
      : call_(call),
        backend_(backend),
        scratch_(scratch),
        digits_(PairPrefixFor(call.keys_in.size())) {}

  absl::Status Run() {
    if (!Fits()) return RunOnesweep<Out>(call_, backend_, scratch_.onesweep);
    const int64_t size = call_.keys_in.size();
    RETURN_IF_ERROR(scratch_.state.Reserve<State>(1));
    // Once, for the sort that may take over as well.
    RETURN_IF_ERROR(
        (ReserveSpareFor<Bits, Out>(scratch_.onesweep, size).status()));
    ASSIGN_OR_RETURN(const auto spare,
                     (ReserveSpareFor<Bits, Value>(scratch_.onesweep, size)));
    RETURN_IF_ERROR(LookAtKeys());
    RETURN_IF_ERROR(Queue(PlanPrefixPasses<Bits>, {1, kPairPlanThreads},
                          digits_, msd(), &state()->plan));
    RETURN_IF_ERROR(RunOnesweep<Value>(
        call_, backend_, scratch_.onesweep,
        {&scratch_.launcher, {}, &state()->plan, kPrefixPasses}));
    RETURN_IF_ERROR(SortBuckets(
        {{spare.keys, spare.values},
         {call_.keys_out.data<Bits>(), call_.values_out.data<Out>()},
         map()}));
    return RunOnesweep<Out>(
        call_, backend_, scratch_.onesweep,
        {&scratch_.launcher,
         {&msd()->crowded, &msd()->halves_counted, msd()->first}});
  }

 private:
  using Buckets = typename PairBuckets<Bits, Value>::type;
  // Device memory that is kept from call to call.
  struct State {
    MsdState msd;
    SortPlan plan;
  };
  static constexpr char kWhere[] = "radix_sort/cuda/msd";

  template <typename... Parameters, typename... Arguments>
  absl::Status Queue(void (*kernel)(Parameters...), const LaunchShape& shape,
                     Arguments... arguments) {
    return scratch_.launcher.Queue(kWhere, kernel, shape, arguments...);
  }

  bool Fits() const {
    return backend_.max_shared_memory_per_block() >=
           static_cast<int64_t>(std::max({sizeof(SampleMemory),
                                          sizeof(PairMemory<Value, Buckets>),
                                          sizeof(ListedMemory<Bits>)}));
  }

  // Samples and counts the keys, and finds out where buckets start.
  absl::Status LookAtKeys() {
    constexpr int kSampleLoads = 4;
    const int64_t size = call_.keys_in.size();
    const Span<const Bits> in = AlignedSpan(call_.keys_in.data<Bits>(), size);
    RETURN_IF_ERROR(Queue(SampleKeys<Bits, kSampleLoads>,
                          {1, kSampleThreads, sizeof(SampleMemory)}, in, map(),
                          digits_, int{Buckets::kColumnBits}, msd()));
    RETURN_IF_ERROR(Queue(CountPrefixes<Bits>,
                          {backend_.multiprocessors(), kPrefixThreads,
                           int64_t{sizeof(uint16_t)} << digits_.bits()},
                          in, map(), digits_, msd()));
    // There are no tiles of a second partition.
    constexpr uint32_t kTile = 1;
    return Queue(PlanBuckets<Bits>, {1 << digits_.upper, kBucketPlanThreads},
                 digits_, static_cast<uint32_t>(size), kTile, uint32_t{0},
                 uint32_t{kMostListed}, msd());
  }

  absl::Status SortBuckets(const PairArrays<Bits, Value, Out>& arrays) {
    RETURN_IF_ERROR(Queue(SortPairBuckets<Bits, Value, Out, Buckets>,
                          {int64_t{1} << digits_.bits(), Buckets::kThreads,
                           sizeof(PairMemory<Value, Buckets>)},
                          arrays, digits_, msd()));
    return Queue(SortListedPairs<Bits, Value, Out>,
                 {2 * backend_.multiprocessors(), kListedThreads,
                  sizeof(ListedMemory<Bits>)},
                 arrays, digits_, static_cast<const MsdState*>(msd()));
  }

  KeyMap<Bits> map() const {
    return KeyMapOf<Bits>(call_.keys_in.type(),
                          call_.options.order == RadixSort::Order::kDescending);
  }
  State* state() const { return scratch_.state.data<State>(); }
  MsdState* msd() const { return &state()->msd; }

  const RadixSortCall& call_;
  CudaBackend& backend_;
  MsdScratch& scratch_;
  const PrefixDigits digits_;
};

// Defined in one source for each width of values in the output. Keys have 4 or
// 8 bytes, all of whose bits count.
template <typename Out>
absl::Status RunMsdPairs(const RadixSortCall& call, CudaBackend& backend,
                         MsdScratch& scratch);

template <typename Value, typename Out>
absl::Status RunMsdPairsWith(const RadixSortCall& call, CudaBackend& backend,
                             MsdScratch& scratch) {
  return SizeOf(call.keys_in.type()) == 4
             ? MsdPairs<uint32_t, Value, Out>(call, backend, scratch).Run()
             : MsdPairs<uint64_t, Value, Out>(call, backend, scratch).Run();
}

}  // namespace concord::radix_sort

#endif  // CONCORD_ALGORITHMS_RADIX_SORT_CUDA_MSD_PAIRS_CUH_
