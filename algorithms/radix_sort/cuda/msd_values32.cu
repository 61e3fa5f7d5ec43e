// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The sort from the highest digit of keys with values of 4 bytes.

#include <cstdint>

#include "concord/algorithms/radix_sort/cuda/msd_pairs.cuh"

namespace concord::radix_sort {

template <>
absl::Status RunMsdPairs<uint32_t, uint32_t>(const RadixSortCall& call,
                                             CudaBackend& backend,
                                             MsdScratch& scratch) {
  return RunMsdPairsByWidth<uint32_t, uint32_t>(call, backend, scratch);
}

}  // namespace concord::radix_sort
