// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The sort from the highest digit of keys with values of 8 bytes.

#include <cstdint>

#include "concord/algorithms/radix_sort/cuda/msd_pairs.cuh"

namespace concord::radix_sort {

template <>
absl::Status RunMsdPairs<uint64_t>(const RadixSortCall& call,
                                   CudaBackend& backend, MsdScratch& scratch) {
  // Positions have 32 bits until they are written.
  return call.options.argsort
             ? RunMsdPairsWith<uint32_t, uint64_t>(call, backend, scratch)
             : RunMsdPairsWith<uint64_t, uint64_t>(call, backend, scratch);
}

}  // namespace concord::radix_sort
