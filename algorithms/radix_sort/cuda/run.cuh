// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_RADIX_SORT_CUDA_RUN_CUH_
#define CONCORD_ALGORITHMS_RADIX_SORT_CUDA_RUN_CUH_

#include <cstdint>

#include "concord/algorithms/radix_sort/cuda/arrays.cuh"
#include "concord/algorithms/radix_sort/radix_sort.h"
#include "concord/backends/cuda/on_cuda.cuh"

namespace concord::radix_sort {

// The arguments of RadixSort::Run, checked, with at least one key.
struct RadixSortCall {
  ConstArrayView keys_in;
  ConstArrayView values_in;
  ArrayView keys_out;
  ArrayView values_out;
  RadixSort::Options options;
};

// Calls f(Value(), Out()) with the types in which values travel and leave,
// which differ for positions alone: they have 32 bits on their way, where they
// fit.
template <typename F>
decltype(auto) DispatchValues(const RadixSortCall& call, F&& f) {
  if (call.options.argsort && SizeOf(call.values_out.type()) == 8 &&
      call.keys_in.size() <= kMostNarrowPositions) {
    return f(uint32_t{}, uint64_t{});
  }
  return DispatchValueWidth(call.values_out,
                            [&](auto value) { return f(value, value); });
}

// What every sort on a GPU does before it launches.
class RadixSortOnCuda : public OnCuda<RadixSort> {
 public:
  using OnCuda<RadixSort>::OnCuda;

  absl::Status Compute(ConstArrayView keys_in, ConstArrayView values_in,
                   ArrayView keys_out, ArrayView values_out,
                   const Options& options) final {
    if (keys_in.empty()) return absl::OkStatus();
    return Sort({keys_in, values_in, keys_out, values_out, options});
  }

 private:
  virtual absl::Status Sort(const RadixSortCall& call) = 0;
};

}  // namespace concord::radix_sort

#endif  // CONCORD_ALGORITHMS_RADIX_SORT_CUDA_RUN_CUH_
