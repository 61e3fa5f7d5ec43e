// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_SEQUENCE_INTERPRETED_FOLD_ROWS_CUH_
#define CONCORD_ALGORITHMS_SEQUENCE_INTERPRETED_FOLD_ROWS_CUH_

#include "concord/algorithms/sequence/interpreted/frame.cuh"
#include "concord/algorithms/sequence/spliced/shapes.h"

namespace concord::sequence {

// The state, which is in the first slots, as elements of the outputs: of row
// `row` in lane 0, the one `stride` behind it in lane 1, and so on.
template <typename W>
__device__ __forceinline__ void StoreRows(const Arrays& arrays,
                                          const FoldCall& call,
                                          const Slots<W>& slots, int64_t row,
                                          int stride) {
#pragma unroll 1
  for (int value = 0; value < call.values; ++value) {
    Register<W> a;
    slots.Get(value, a);
    machine::DispatchStored<W>(call.types[value], [&](auto tag) {
      using T = typename decltype(tag)::type;
      auto* const states =
          static_cast<T*>(const_cast<void*>(arrays.out[value].data));
      Unrolled<kLanes<W>>([&](int e) {
        const int64_t at = row + e * int64_t{stride};
        if (at * spliced::kFoldRow < arrays.end) states[at] = a[e];
      });
    });
  }
}

// A row for each lane of a thread.
template <typename W>
__global__ void __launch_bounds__(kMostThreads, kFewerBlocks)
    InterpretedFoldRows(const __grid_constant__ Arrays arrays, SlotRoom room,
                        int64_t tiles, const __grid_constant__ FoldCall call) {
  constexpr int kRow = spliced::kFoldRow;
  const Slots<W> slots = SlotsOfThread<W>(room);
  const int threads = static_cast<int>(blockDim.x);
  const int64_t tile_rows = int64_t{threads} * kLanes<W>;
  for (int64_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    const int64_t row = tile * tile_rows + threadIdx.x;
    Lanes<0> lanes{
        row * kRow, int64_t{threads} * kRow,
        arrays.aligned != 0 && (tile + 1) * tile_rows * kRow <= arrays.end};
#pragma unroll 1
    for (int k = 0; k < kRow && lanes.first < arrays.end; ++k, ++lanes.first) {
      Register<W> a = {};
      Machine<W, 0>(arrays, lanes, slots)
          .Run(k == 0 ? call.begin : call.step, a);
    }
    StoreRows(arrays, call, slots, row, threads);
  }
}

}  // namespace concord::sequence

#endif  // CONCORD_ALGORITHMS_SEQUENCE_INTERPRETED_FOLD_ROWS_CUH_
