// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The onesweep sort of keys alone.

#include "algorithms/radix_sort/radix_sort_cuda_onesweep.cuh"

namespace concord {

template <>
absl::Status RunOnesweep<NoValue>(const RadixSortCall& call,
                                  CudaBackend& backend,
                                  OnesweepScratch& scratch) {
  return DispatchWidth(call.keys_in.type(), [&](auto bits) {
    return Onesweep<decltype(bits), NoValue>(call, backend, scratch).Run();
  });
}

}  // namespace concord
