// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/algorithms/sequence/interpreted/kernels.cuh"

namespace concord::sequence {
namespace {

absl::Status LaunchWith(const CudaBackend& backend, bool wide,
                        const Arrays& arrays, const FrameCall& call,
                        const SlotRoom& room, std::int64_t tiles) {
  return wide ? LaunchFrame<std::uint64_t>(backend, arrays, call, room, tiles)
              : LaunchFrame<std::uint32_t>(backend, arrays, call, room, tiles);
}

std::int64_t Tiles(std::int64_t elements, bool wide, const SlotRoom& room) {
  return DivideUp(elements, TileOf(wide, room.threads));
}

}  // namespace

int TreeThreads(bool wide, bool wide_elements) {
  const int lanes = wide ? kLanes<std::uint64_t> : kLanes<std::uint32_t>;
  const int neighbours = wide_elements ? TreeShape<true>::kNeighbours
                                       : TreeShape<false>::kNeighbours;
  return Reduce::kSegmentsPerChunk * neighbours / lanes * kWarpSize;
}

std::int64_t TreeChunk(const TreeCall& call) {
  const std::int64_t row =
      call.wide_elements ? TreeShape<true>::kRow : TreeShape<false>::kRow;
  return Reduce::kSegmentsPerChunk * call.rows * row;
}

absl::Status LaunchMap(const CudaBackend& backend, bool wide,
                       const Arrays& arrays, const Step* steps,
                       const SlotRoom& room) {
  FrameCall call{};
  call.frame = Frame::kMap;
  call.map = steps;
  return LaunchWith(backend, wide, arrays, call, room,
                    Tiles(arrays.end - arrays.begin, wide, room));
}

absl::Status LaunchTree(const CudaBackend& backend, bool wide,
                        const Arrays& arrays, const TreeCall& tree,
                        const SlotRoom& room) {
  FrameCall call{};
  call.frame = Frame::kTree;
  call.tree = tree;
  const std::int64_t chunks = DivideUp(arrays.end, TreeChunk(tree));
  const absl::Status status =
      LaunchWith(backend, wide, arrays, call, room, chunks);
  if (!status.ok() || chunks == 1) return status;
  return wide ? LaunchTreeTop<std::uint64_t>(backend, tree, chunks)
              : LaunchTreeTop<std::uint32_t>(backend, tree, chunks);
}

absl::Status LaunchFoldRows(const CudaBackend& backend, bool wide,
                            const Arrays& arrays, const FoldCall& fold,
                            const SlotRoom& room) {
  FrameCall call{};
  call.frame = Frame::kFoldRows;
  call.fold = fold;
  return LaunchWith(backend, wide, arrays, call, room,
                    Tiles(fold.rows.end, wide, room));
}

absl::Status LaunchFilterCount(const CudaBackend& backend, bool wide,
                               const Arrays& arrays, const FilterCall& filter,
                               const SlotRoom& room) {
  FrameCall call{};
  call.frame = Frame::kFilterCount;
  call.filter = filter;
  return LaunchWith(backend, wide, arrays, call, room,
                    Tiles(arrays.end, wide, room));
}

absl::Status LaunchFilterPut(const CudaBackend& backend, bool wide,
                             const Arrays& arrays, const FilterCall& filter,
                             const SlotRoom& room) {
  FrameCall call{};
  call.frame = Frame::kFilterPut;
  call.filter = filter;
  return LaunchWith(backend, wide, arrays, call, room,
                    Tiles(arrays.end, wide, room));
}

}  // namespace concord::sequence
