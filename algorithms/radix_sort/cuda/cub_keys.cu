// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// CUB's radix sort of keys alone.

#include "concord/algorithms/radix_sort/cuda/cub.cuh"
#include "concord/core/element_width.h"

namespace concord::radix_sort {

template <>
absl::Status RunCubSort<NoValue>(const RadixSortCall& call,
                                 CudaBackend& backend, CubScratch& scratch) {
  return DispatchWidth(call.keys_in.type(), [&](auto bits) {
    return SortWithCub<decltype(bits), NoValue>(call, backend, scratch);
  });
}

}  // namespace concord::radix_sort
