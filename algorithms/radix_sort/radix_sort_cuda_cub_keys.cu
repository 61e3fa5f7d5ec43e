// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// CUB's radix sort of keys alone.

#include "algorithms/radix_sort/radix_sort_cuda_cub.cuh"

namespace concord {

template <>
absl::Status RunCub<NoValue>(const RadixSortCall& call, CudaBackend& backend,
                             CubScratch& scratch) {
  return DispatchWidth(call.keys_in.type(), [&](auto bits) {
    return SortWithCub<decltype(bits), NoValue>(call, backend, scratch);
  });
}

}  // namespace concord
