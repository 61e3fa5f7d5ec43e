// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// What is found out about all digits before the first pass, in one reading of
// the keys: how often each value of each digit occurs. From that follows where
// each value's elements start after a pass, and which passes need not be made,
// because all keys agree in their digit. The device decides that by itself, and
// with it from where to where the other passes move the elements.

#ifndef CONCORD_ALGORITHMS_RADIX_SORT_CUDA_PLAN_CUH_
#define CONCORD_ALGORITHMS_RADIX_SORT_CUDA_PLAN_CUH_

#include <cstdint>

#include "concord/algorithms/radix_sort/cuda/rank.cuh"
#include "concord/algorithms/radix_sort/radix_sort_keys.h"
#include "concord/backends/cuda/dependent_launch.cuh"
#include "concord/backends/cuda/last_block.cuh"
#include "concord/backends/cuda/vector.cuh"

namespace concord::radix_sort {

// Digits of up to 8 bits, from the lowest to the highest.
struct KeyDigits {
  int first_bit;
  int end_bit;

  __host__ __device__ int count() const {
    const int passes = (end_bit - first_bit + kDigitBits - 1) / kDigitBits;
    // Even where there is nothing to sort by, the elements have to be moved.
    return passes == 0 ? 1 : passes;
  }
  template <typename Bits>
  bool are_bytes_of() const {
    return first_bit == 0 && end_bit == 8 * static_cast<int>(sizeof(Bits));
  }
  __host__ __device__ KeyDigit operator[](int pass) const {
    const int shift = first_bit + pass * kDigitBits;
    const int bits =
        end_bit - shift < kDigitBits ? end_bit - shift : kDigitBits;
    // All bits of a key may lie below the range; none is looked at then.
    return {bits == 0 ? 0 : shift, (1u << bits) - 1};
  }
};

inline constexpr int kMostPasses = 8;

// Where elements are on their way.
enum Place : uint8_t { kInput, kSpare, kOutput };

struct PassPlan {
  bool skipped;
  bool last;
  Place from;
  Place to;
  KeyDigit digit;
};

// Device memory that is kept from call to call.
struct SortPlan {
  PassPlan passes[kMostPasses];
  unsigned blocks_arrived;
  // All zero between calls.
  unsigned long long counts[kMostPasses][kDigits];
  // Where a digit's elements start.
  unsigned long long first[kMostPasses][kDigits];
};

// One block fills a multiprocessor.
inline constexpr int kPlanThreads = 1024;

// A block counts each digit several times over, in different banks of shared
// memory, as lanes that count in the same bank have to wait for each other; and
// a thread has several vectors under way. Counting the digits of 2^28 uint32
// takes 0.42 ms with 16 copies, 0.48 with one; with one load instead of four
// 0.58. Of 2^28 uint64 it takes 0.83 ms with 16 copies, 0.94 with four, which
// are cleared and added up sooner where keys are few.
template <typename Bits>
inline constexpr int kFewPlanCopies = sizeof(Bits) == 8 ? 4 : 16;
inline constexpr int kPlanCopies = 16;
inline constexpr int64_t kLeastForPlanCopies = int64_t{1} << 22;
template <typename Bits>
inline constexpr int kPlanLoads = sizeof(Bits) == 1 ? 1 : 4;

template <typename Bits>
constexpr int64_t PlanMemoryBytes(int copies) {
  return int64_t{sizeof(Bits)} * kDigits * copies * int64_t{sizeof(uint32_t)};
}

// Called by the first thread of the last block: `trivial` says which passes
// would not change the order. The last pass that is made ends in the output.
__device__ inline void PlanPasses(const bool* trivial, KeyDigits digits,
                                  PassPlan* plan) {
  const int passes = digits.count();
  int made = 0;
  for (int pass = 0; pass < passes; ++pass) made += trivial[pass] ? 0 : 1;
  // With nothing to sort, one of them copies.
  const bool copy = made == 0;
  if (copy) made = 1;
  Place from = kInput;
  for (int pass = 0; pass < passes; ++pass) {
    const bool skipped = trivial[pass] && !(copy && pass == 0);
    if (skipped) {
      plan[pass] = {true, false, from, from, digits[pass]};
      continue;
    }
    --made;
    const Place to = made % 2 == 0 ? kOutput : kSpare;
    // Of no bits, if all keys agree in all: elements keep their places.
    const KeyDigit digit = copy ? KeyDigit{0, 0} : digits[pass];
    plan[pass] = {false, made == 0, from, to, digit};
    from = to;
  }
}

// Adds a key to the counts of its block in shared memory, of which there are
// kCopies, one after the other for each digit. Where all bits count, a digit is
// a byte.
template <int kCopies, bool kAllBits, typename Bits>
__device__ __forceinline__ void CountKey(Bits key, KeyDigits digits, int passes,
                                         uint32_t* counts) {
#pragma unroll
  for (int pass = 0; pass < static_cast<int>(sizeof(Bits)); ++pass) {
    if (pass < passes) {
      const uint32_t digit =
          kAllBits ? static_cast<uint32_t>(key >> pass * kDigitBits) % kDigits
                   : digits[pass](key);
      atomicAdd(&counts[(pass * kDigits + digit) * kCopies], 1u);
    }
  }
}

// What is known on the device before this sort begins; null: nothing.
struct PlanHints {
  // 0 where the keys are another sort's: these passes are not wanted.
  const uint32_t* wanted = nullptr;
  // Of keys of 4 bytes, all bits of which count: not 0 where it is known how
  // many keys have each value of the upper half. The first of these would stand
  // at upper_first[value] of the sorted array.
  const uint32_t* upper_known = nullptr;
  const uint32_t* upper_first = nullptr;
};

// The counts of the two upper digits, from those of the upper half of the keys.
// One block calls it.
__device__ inline void CountUpperDigits(const uint32_t* upper_first,
                                        SortPlan* plan) {
  const uint32_t digit = threadIdx.x % kDigits;
  uint32_t count = 0;
  for (uint32_t upper = threadIdx.x / kDigits; upper < kDigits;
       upper += kPlanThreads / kDigits) {
    const uint32_t* const first = upper_first + upper * kDigits;
    count += first[digit + 1] - first[digit];
    if (digit == 0) plan->counts[3][upper] = first[kDigits] - first[0];
  }
  atomicAdd(&plan->counts[2][digit], static_cast<unsigned long long>(count));
  __threadfence();
  __syncthreads();
}

// Where another sort does it all.
struct SkipPasses {
  int passes;

  __device__ __forceinline__ void operator()(SortPlan* plan) const {
    if (threadIdx.x < passes) plan->passes[threadIdx.x].skipped = true;
  }
};

// Where no pass is wanted, one block calls `otherwise` with the plan.
template <typename Bits, int kCopies, bool kAllBits, typename Otherwise>
__global__ void __launch_bounds__(kPlanThreads, 1)
    MakePlan(Span<const Bits> keys, KeyMap<Bits> map, KeyDigits digits,
             PlanHints hints, Otherwise otherwise, SortPlan* plan) {
  constexpr int kPasses = sizeof(Bits);
  constexpr int kLoads = kPlanLoads<Bits>;
  extern __shared__ uint32_t counts[];
  __shared__ bool trivial[kPasses];
  const int passes = digits.count();
  LetNextGridStart();
  WaitForGridBefore();
  if (hints.wanted != nullptr && *hints.wanted == 0) {
    if (blockIdx.x == 0) otherwise(plan);
    return;
  }
  const bool upper_known =
      kPasses == 4 && hints.upper_known != nullptr && *hints.upper_known != 0;
  const int counted = upper_known ? passes - 2 : passes;
  for (int i = threadIdx.x; i < counted * kDigits * kCopies;
       i += kPlanThreads) {
    counts[i] = 0;
  }
  __syncthreads();
  uint32_t* const own = counts + LaneId() % kCopies;

  // Counts of a block have 32 bits. Nothing checks that its share has fewer
  // elements: of 2^32, input and output of one byte each would take 8 GiB for
  // each multiprocessor, which no GPU of today has.
  constexpr int64_t kLanes = Vector<Bits>::kLanes;
  const int64_t row = kPlanThreads * kLanes;
  const int64_t step = int64_t{gridDim.x} * row * kLoads;
  int64_t first = int64_t{blockIdx.x} * row * kLoads + threadIdx.x * kLanes;
  for (; first < keys.end; first += step) {
    if (keys.HoldsVectors(first, (kLoads - 1) * row + kLanes)) {
      Vector<Bits> vectors[kLoads];
#pragma unroll
      for (int load = 0; load < kLoads; ++load) {
        vectors[load] = LoadVector(keys, first + load * row);
      }
#pragma unroll
      for (int load = 0; load < kLoads; ++load) {
#pragma unroll
        for (int k = 0; k < kLanes; ++k) {
          CountKey<kCopies, kAllBits>(map.Map(vectors[load].lane(k)), digits,
                                      counted, own);
        }
      }
    } else {
      for (int load = 0; load < kLoads; ++load) {
        const int64_t at = first + load * row;
        for (int64_t i = max(at, keys.begin); i < min(at + kLanes, keys.end);
             ++i) {
          CountKey<kCopies, kAllBits>(map.Map(keys.base[i]), digits, counted,
                                      own);
        }
      }
    }
  }
  __syncthreads();
  for (int i = threadIdx.x; i < counted * kDigits; i += kPlanThreads) {
    uint32_t count = 0;
    // Neighbouring threads start at different banks.
    for (int k = 0; k < kCopies; ++k) {
      count += counts[i * kCopies + (k + i) % kCopies];
    }
    if (count != 0) {
      atomicAdd(&plan->counts[i / kDigits][i % kDigits],
                static_cast<unsigned long long>(count));
    }
  }
  // Every thread's additions come before its block's arrival.
  __threadfence();
  __syncthreads();
  if (!ArriveLast(&plan->blocks_arrived)) return;
  if (upper_known) CountUpperDigits(hints.upper_first, plan);

  const auto n = static_cast<unsigned long long>(keys.end - keys.begin);
  // One warp for each pass; each lane sums up a stretch of digits.
  if (WarpId() < passes) {
    constexpr int kStretch = kDigits / kWarpSize;
    const int pass = WarpId();
    unsigned long long sums[1] = {0};
    unsigned long long mine[kStretch];
    bool all = false;
#pragma unroll
    for (int i = 0; i < kStretch; ++i) {
      unsigned long long* const count =
          &plan->counts[pass][LaneId() * kStretch + i];
      mine[i] = __ldcg(count);
      *count = 0;
      sums[0] += mine[i];
      all |= mine[i] == n;
    }
    unsigned long long place = sums[0];
    WarpInclusiveScan<Add<unsigned long long>>(sums);
    place = sums[0] - place;
#pragma unroll
    for (int i = 0; i < kStretch; ++i) {
      plan->first[pass][LaneId() * kStretch + i] = place;
      place += mine[i];
    }
    all = __any_sync(kWholeWarp, all);
    if (LaneId() == 0) trivial[pass] = all;
  }
  __syncthreads();
  if (threadIdx.x == 0) PlanPasses(trivial, digits, plan->passes);
}

}  // namespace concord::radix_sort

#endif  // CONCORD_ALGORITHMS_RADIX_SORT_CUDA_PLAN_CUH_
