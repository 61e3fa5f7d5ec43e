// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// CUB's radix sort, the peer that every other CUDA implementation is measured
// against. One source for each width of values compiles it, because together
// they take the compiler minutes.

#ifndef CONCORD_ALGORITHMS_RADIX_SORT_CUDA_CUB_CUH_
#define CONCORD_ALGORITHMS_RADIX_SORT_CUDA_CUB_CUH_

#include <cstdint>
#include <cub/device/device_radix_sort.cuh>
#include <memory>

#include "concord/algorithms/radix_sort/cuda/arrays.cuh"
#include "concord/algorithms/radix_sort/cuda/map.cuh"
#include "concord/algorithms/radix_sort/cuda/run.cuh"
#include "concord/algorithms/radix_sort/radix_sort.h"
#include "concord/backends/cuda/cub_peer.cuh"
#include "concord/backends/cuda/cuda_backend.h"
#include "concord/backends/cuda/scratch.cuh"
#include "concord/core/errors.h"

namespace concord::radix_sort {

// Memory that is kept from call to call.
struct CubScratch {
  explicit CubScratch(std::shared_ptr<CudaBackend> backend)
      : own(backend), keys(backend), values(backend) {}

  CubMemory own;
  Scratch keys;
  Scratch values;
};

// Defined in one source for each Value; the arguments have been checked.
template <typename Value>
absl::Status RunCubSort(const RadixSortCall& call, CudaBackend& backend,
                        CubScratch& scratch);

template <typename Bits, typename Value>
absl::Status SortWithCub(const RadixSortCall& call, CudaBackend& backend,
                         CubScratch& scratch) {
  const int64_t n = call.keys_in.size();
  const KeyMap<Bits> map = KeyMapOf<Bits>(
      call.keys_in.type(), call.options.order == RadixSort::Order::kDescending);
  const Bits* keys_in = call.keys_in.data<Bits>();
  Bits* const keys_out = call.keys_out.data<Bits>();
  if (!IsIdentity(map)) {
    RETURN_IF_ERROR(scratch.keys.Reserve<Bits>(n));
    Bits* const mapped = scratch.keys.data<Bits>();
    RETURN_IF_ERROR(MapKeys(backend, keys_in, mapped, n, map));
    keys_in = mapped;
  }
  const Value* values_in = call.values_in.data<Value>();
  Value* const values_out = call.values_out.data<Value>();
  if constexpr (kHasValues<Value>) {
    if (call.options.argsort) {
      RETURN_IF_ERROR(scratch.values.Reserve<Value>(n));
      Value* const positions = scratch.values.data<Value>();
      RETURN_IF_ERROR(MakePositions(backend, positions, n));
      values_in = positions;
    }
  }

  const RadixSortBits bits = RadixSortBitsOf(call.options, call.keys_in.type());
  constexpr char kWhere[] = "radix_sort/cuda/cub";
  // On an H200 a count of 32 bits gains 30 % for bytes and makes keys alone of
  // 4 bytes 14 % slower; for those of 8 bytes it changes nothing.
  constexpr bool kCountsNarrow = kHasValues<Value> || sizeof(Bits) == 1;
  const auto sort = [&](void* memory, std::size_t& bytes) {
    const auto sort_counted = [&](auto count) {
      if constexpr (kHasValues<Value>) {
        return cub::DeviceRadixSort::SortPairs(
            memory, bytes, keys_in, keys_out, values_in, values_out, count,
            bits.first, bits.end, backend.stream());
      } else {
        return cub::DeviceRadixSort::SortKeys(memory, bytes, keys_in, keys_out,
                                              count, bits.first, bits.end,
                                              backend.stream());
      }
    };
    if constexpr (kCountsNarrow) {
      return WithNarrowCount(n, sort_counted);
    } else {
      return sort_counted(n);
    }
  };
  RETURN_IF_ERROR(scratch.own.Run(kWhere, sort));
  if (IsIdentity(map)) return absl::OkStatus();
  return UnmapKeys(backend, keys_out, keys_out, n, map);
}

}  // namespace concord::radix_sort

#endif  // CONCORD_ALGORITHMS_RADIX_SORT_CUDA_CUB_CUH_
