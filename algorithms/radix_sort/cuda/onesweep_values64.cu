// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The onesweep sort of keys with values of 8 bytes.

#include "concord/algorithms/radix_sort/cuda/onesweep.cuh"
#include "concord/core/element_width.h"

namespace concord::radix_sort {

template <>
absl::Status RunOnesweep<uint64_t, uint64_t>(const RadixSortCall& call,
                                             CudaBackend& backend,
                                             OnesweepScratch& scratch,
                                             const OnesweepRun& run) {
  return DispatchWidth(call.keys_in.type(), [&](auto bits) {
    return Onesweep<decltype(bits), uint64_t, uint64_t>(call, backend, scratch,
                                                        run)
        .Run();
  });
}

}  // namespace concord::radix_sort
