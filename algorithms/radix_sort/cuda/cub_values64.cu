// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// CUB's radix sort of keys with values of 8 bytes.

#include "concord/algorithms/radix_sort/cuda/cub.cuh"
#include "concord/core/element_width.h"

namespace concord::radix_sort {

template <>
absl::Status RunCubSort<uint64_t>(const RadixSortCall& call,
                                  CudaBackend& backend, CubScratch& scratch) {
  return DispatchWidth(call.keys_in.type(), [&](auto bits) {
    return SortWithCub<decltype(bits), uint64_t>(call, backend, scratch);
  });
}

}  // namespace concord::radix_sort
