// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// For the files that instantiate Launchers: kernels take long to compile.

#ifndef CONCORD_ALGORITHMS_SEQUENCE_INTERPRETED_LAUNCHERS_CUH_
#define CONCORD_ALGORITHMS_SEQUENCE_INTERPRETED_LAUNCHERS_CUH_

#include "concord/algorithms/sequence/interpreted/filter.cuh"
#include "concord/algorithms/sequence/interpreted/fold_rows.cuh"
#include "concord/algorithms/sequence/interpreted/launchers.h"
#include "concord/algorithms/sequence/interpreted/map.cuh"
#include "concord/algorithms/sequence/interpreted/tree.cuh"

namespace concord::sequence {

template <typename W>
std::int64_t TilesOf(std::int64_t elements, const SlotRoom& room) {
  return DivideUp(elements, std::int64_t{room.threads} * kLanes<W>);
}

template <typename W>
absl::Status Launchers<W>::Map(const CudaBackend& backend, const Arrays& arrays,
                               const Step* steps, const SlotRoom& room) {
  return LaunchTiles(backend, InterpretedMap<W>, arrays, room,
                     TilesOf<W>(arrays.end - arrays.begin, room), steps);
}

template <typename W>
absl::Status Launchers<W>::FoldRows(const CudaBackend& backend,
                                    const Arrays& arrays, const FoldCall& call,
                                    const SlotRoom& room) {
  const std::int64_t rows = DivideUp(arrays.end, spliced::kFoldRow);
  return LaunchTiles(backend, InterpretedFoldRows<W>, arrays, room,
                     TilesOf<W>(rows, room), call);
}

template <typename W>
absl::Status Launchers<W>::FilterCount(const CudaBackend& backend,
                                       const Arrays& arrays,
                                       const FilterCall& call,
                                       const SlotRoom& room) {
  return LaunchTiles(backend, InterpretedFilterCount<W>, arrays, room,
                     TilesOf<W>(arrays.end, room), call);
}

template <typename W>
absl::Status Launchers<W>::FilterPut(const CudaBackend& backend,
                                     const Arrays& arrays,
                                     const FilterCall& call,
                                     const SlotRoom& room) {
  return LaunchTiles(backend, InterpretedFilterPut<W>, arrays, room,
                     TilesOf<W>(arrays.end, room), call);
}

template <typename W, bool kWide>
absl::Status LaunchTreeOf(const CudaBackend& backend, const Arrays& arrays,
                          const TreeCall& call, const SlotRoom& room) {
  const std::int64_t chunks = DivideUp(arrays.end, TreeChunk(call));
  const absl::Status status = LaunchTiles(backend, InterpretedTree<W, kWide>,
                                          arrays, room, chunks, call);
  if (!status.ok() || chunks == 1) return status;
  return QueueKernel(backend, "the levels of an interpreted reduction",
                     InterpretedTreeTop<W, kWide>, {1, dim3(kTopThreads)}, call,
                     chunks);
}

template <typename W>
absl::Status Launchers<W>::Tree(const CudaBackend& backend,
                                const Arrays& arrays, const TreeCall& call,
                                const SlotRoom& room) {
  if constexpr (sizeof(W) == 8) {
    if (call.wide_elements) {
      return LaunchTreeOf<W, true>(backend, arrays, call, room);
    }
  }
  return LaunchTreeOf<W, false>(backend, arrays, call, room);
}

}  // namespace concord::sequence

#endif  // CONCORD_ALGORITHMS_SEQUENCE_INTERPRETED_LAUNCHERS_CUH_
