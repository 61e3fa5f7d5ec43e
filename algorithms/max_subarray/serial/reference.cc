// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Kadane's loop, after J. Bentley, "Programming pearls: algorithm design
// techniques" (CACM 27(9), 1984); floats by the tree of max_subarray.h.

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "concord/algorithms/max_subarray/max_subarray.h"
#include "concord/algorithms/max_subarray/max_subarray_summary.h"
#include "concord/core/registry.h"

namespace concord::max_subarray {
namespace {

template <typename T>
MaxRun<SumOf<T>> Kadane(const T* in, std::int64_t n) {
  using Sum = SumOf<T>;
  Sum ending = in[0];
  std::int64_t begin = 0;
  MaxRun<Sum> best = {ending, 0, 1};
  for (std::int64_t i = 1; i < n; ++i) {
    if (ending < 0) {
      ending = in[i];
      begin = i;
    } else {
      ending = Add<Sum>()(ending, in[i]);
    }
    if (ending > best.sum) best = {ending, begin, i + 1};
  }
  return best;
}

// Of the leaves [first, last), which are not none: the tree parts them at the
// largest power of two.
template <typename T>
Summary<double, std::int64_t> OfLeaves(const T* in, std::int64_t n,
                                       std::int64_t first, std::int64_t last) {
  constexpr std::int64_t kLeaf = MaxSubarray::kLeafBytes / sizeof(T);
  if (last - first == 1) {
    return SummaryOfLeaf<double>(in, first * kLeaf, std::min(last * kLeaf, n));
  }
  std::int64_t half = 1;
  while (2 * half < last - first) half *= 2;
  return Combine(OfLeaves(in, n, first, first + half),
                 OfLeaves(in, n, first + half, last));
}

class MaxSubarraySerial : public MaxSubarray {
 public:
  absl::Status Compute(ConstArrayView in, ArrayView sum, ArrayView run,
                       const Options&) override {
    Dispatch(in.type(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      auto* const sum_of_run = sum.data<SumOf<T>>();
      auto* const bounds = run.data<std::int64_t>();
      if (in.empty()) {
        StoreEmptyResult(sum_of_run, bounds);
      } else if constexpr (std::is_floating_point_v<T>) {
        constexpr std::int64_t kLeaf = kLeafBytes / sizeof(T);
        const std::int64_t n = in.size();
        StoreResult(OfLeaves(in.data<T>(), n, 0, (n + kLeaf - 1) / kLeaf), n,
                    sum_of_run, bounds);
      } else {
        const auto best = Kadane(in.data<T>(), in.size());
        *sum_of_run = best.sum;
        bounds[0] = best.first;
        bounds[1] = best.last;
      }
    });
    return absl::OkStatus();
  }
};

const bool kRegistered = Registry<MaxSubarray>::Get().Add<MaxSubarraySerial>(
    "serial", "reference", /*rank=*/10,
    "Kadane's loop; floats in the order of the tree",
    Contract()
        .SpecialValues("a NaN, or infinities of both signs: NaN, and the run "
                       "is the whole input")
        .Notes("with 64-bit integers the sum of every run has to fit 64 bits"));

}  // namespace
}  // namespace concord::max_subarray
