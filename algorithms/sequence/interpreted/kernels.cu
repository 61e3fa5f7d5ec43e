// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/algorithms/sequence/interpreted/kernels.h"
#include "concord/algorithms/sequence/interpreted/launchers.h"
#include "concord/algorithms/sequence/interpreted/tree.cuh"

namespace concord::sequence {
namespace {

// Calls f(Launchers<W>()) for the words.
template <typename F>
absl::Status WithLaunchers(bool wide, F f) {
  return wide ? f(Launchers<std::uint64_t>()) : f(Launchers<std::uint32_t>());
}

}  // namespace

int TreeThreads() { return kTreeThreads; }

std::int64_t TreeChunk(const TreeCall& call) {
  const std::int64_t row =
      call.wide_elements ? TreeShape<true>::kRow : TreeShape<false>::kRow;
  return Reduce::kSegmentsPerChunk * call.rows * row;
}

absl::Status LaunchMap(const CudaBackend& backend, bool wide,
                       const Arrays& arrays, const Step* steps,
                       const SlotRoom& room) {
  return WithLaunchers(wide, [&](auto launchers) {
    return launchers.Map(backend, arrays, steps, room);
  });
}

absl::Status LaunchTree(const CudaBackend& backend, bool wide,
                        const Arrays& arrays, const TreeCall& call,
                        const SlotRoom& room) {
  return WithLaunchers(wide, [&](auto launchers) {
    return launchers.Tree(backend, arrays, call, room);
  });
}

absl::Status LaunchFoldRows(const CudaBackend& backend, bool wide,
                            const Arrays& arrays, const FoldCall& call,
                            const SlotRoom& room) {
  return WithLaunchers(wide, [&](auto launchers) {
    return launchers.FoldRows(backend, arrays, call, room);
  });
}

absl::Status LaunchFilterCount(const CudaBackend& backend, bool wide,
                               const Arrays& arrays, const FilterCall& call,
                               const SlotRoom& room) {
  return WithLaunchers(wide, [&](auto launchers) {
    return launchers.FilterCount(backend, arrays, call, room);
  });
}

absl::Status LaunchFilterPut(const CudaBackend& backend, bool wide,
                             const Arrays& arrays, const FilterCall& call,
                             const SlotRoom& room) {
  return WithLaunchers(wide, [&](auto launchers) {
    return launchers.FilterPut(backend, arrays, call, room);
  });
}

}  // namespace concord::sequence
