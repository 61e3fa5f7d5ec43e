// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The onesweep sort of keys alone.

#include "concord/algorithms/radix_sort/cuda/onesweep.cuh"
#include "concord/core/element_width.h"

namespace concord::radix_sort {

template <>
absl::Status RunOnesweep<NoValue, NoValue>(const RadixSortCall& call,
                                           CudaBackend& backend,
                                           OnesweepScratch& scratch,
                                           const OnesweepRun& run) {
  return DispatchWidth(call.keys_in.type(), [&](auto bits) {
    return Onesweep<decltype(bits), NoValue, NoValue>(call, backend, scratch,
                                                      run)
        .Run();
  });
}

}  // namespace concord::radix_sort
