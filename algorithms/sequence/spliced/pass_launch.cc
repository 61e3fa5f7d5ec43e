// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// How the kernels of each frame are launched.

#include <algorithm>
#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

#include "concord/algorithms/reduce/reduce.h"
#include "concord/algorithms/reduce/cuda/tree_memory.h"
#include "concord/algorithms/sequence/spliced/pass.h"
#include "concord/algorithms/sequence/spliced/pass_template.h"
#include "concord/algorithms/sequence/spliced/pipelined_arrays.h"
#include "concord/algorithms/sequence/spliced/shapes.h"
#include "concord/backends/cuda/spliced/row_pieces.h"
#include "concord/core/errors.h"
#include "concord/core/memory.h"

namespace concord::sequence {
namespace {

using spliced::Arguments;
using spliced::GridShape;
using spliced::RowPieces;

std::int64_t DivideUp(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}
std::int64_t RoundUp(std::int64_t a, std::int64_t b) {
  return DivideUp(a, b) * b;
}

// How many states all groups of `count` leave, group by group.
std::int64_t AllGroups(std::int64_t count) {
  std::int64_t groups = 0;
  while (count > 1) groups += count = DivideUp(count, kFoldBlockRows);
  return groups;
}

}  // namespace

absl::Status SplicedPass::Launch(const Arguments& arguments) {
  switch (frame_) {
    case Frame::kMap:
      return LaunchMap(arguments);
    case Frame::kReduce:
      return LaunchReduce(arguments);
    case Frame::kFold:
      return LaunchFold(arguments);
    case Frame::kScan:
      return LaunchScan(arguments);
    case Frame::kPipelinedScan:
      return LaunchPipelinedScan(arguments);
    case Frame::kFilter:
      return LaunchFilter(arguments);
    case Frame::kPipelinedFilter:
      return LaunchPipelinedFilter(arguments);
  }
  return InternalError("no such frame");
}

absl::Status SplicedPass::LaunchKernel(
    int kernel, const GridShape& shape,
    std::initializer_list<void*> parameters) {
  return module_.driver().Launch(
      kernels_[static_cast<std::size_t>(kernel)], shape, backend_->stream(),
      const_cast<void**>(parameters.begin()), template_.name);
}

absl::Status SplicedPass::LaunchMap(Arguments arguments) {
  const std::int64_t tile = MapTile(MapGroups(functions_.prologue));
  const std::int64_t blocks =
      DivideUp(arguments.end, tile) - arguments.begin / tile;
  return LaunchKernel(0, {blocks, kMapThreads}, {&arguments});
}

absl::Status SplicedPass::LaunchReduce(Arguments arguments) {
  using Tree = concord::Reduce;
  constexpr int kLanes = 32;
  // As algorithms/reduce/cuda/warp_shuffle.cu has it.
  constexpr int kShortSegment = 8;
  const std::int64_t bytes = template_.wide ? 8 : 4;
  const std::int64_t row = Tree::kRowBytes / bytes;
  int rows = Tree::kRowsPerSegment;
  const auto chunks_of = [&](std::int64_t elements) {
    return DivideUp(elements, rows * row * Tree::kSegmentsPerChunk);
  };
  const std::int64_t chunks = chunks_of(arguments.end);
  if (!order_matters_ && 2 * chunks < backend_->multiprocessors()) {
    rows = kShortSegment;
  }
  const std::int64_t blocks = chunks_of(arguments.end);
  std::int64_t results = 1;
  for (std::int64_t level = blocks; level > 1; level = chunks_of(level)) {
    results += RoundUp(level, 16 / bytes);
  }
  RETURN_IF_ERROR(Reserve(0, reduce::TreeMemory::Bytes(results, bytes) / 4));
  void* memory = counters_.data<char>();
  return LaunchKernel(0, {blocks, Tree::kSegmentsPerChunk * kLanes},
                      {&arguments, &rows, &memory});
}

absl::Status SplicedPass::LaunchFold(Arguments arguments) {
  // What the kernel declares itself, and the system takes, at the most.
  constexpr int kOwnBytes = 2 << 10;
  const std::int64_t rows = DivideUp(arguments.end, spliced::kFoldRow);
  const std::int64_t blocks = DivideUp(rows, kFoldBlockRows);
  const std::int64_t groups = AllGroups(blocks);
  const std::int64_t state = StateBytes();
  RETURN_IF_ERROR(Reserve((blocks + groups + 1) * state, groups + 1));
  auto pieces = RowPieces::Of(functions_.prologue.ParameterTypes());
  int shared_bytes = kFoldBlockRows * pieces.stride_bytes;
  if (!pieces.fit() ||
      shared_bytes + kOwnBytes > backend_->max_shared_memory_per_block()) {
    arguments.aligned = shared_bytes = 0;
  }
  void* arrivals = counters_.data<char>();
  void* chunk_states = scratch_.data<char>();
  void* group_states = scratch_.data<char>() + blocks * state;
  RETURN_IF_ERROR(LaunchKernel(
      0, {blocks, kFoldBlockRows, shared_bytes},
      {&arguments, &pieces.elements, &pieces.stride_bytes, &chunk_states}));
  auto count = static_cast<unsigned>(blocks);
  return LaunchKernel(
      1, {DivideUp(blocks, kFoldBlockRows), kFoldBlockRows},
      {&arguments, &count, &chunk_states, &group_states, &arrivals});
}

absl::Status SplicedPass::LaunchScan(Arguments arguments) {
  const int state = StateBytes();
  auto tiles =
      static_cast<std::uint32_t>(DivideUp(arguments.end, ScanTile(state)));
  RETURN_IF_ERROR(
      ReserveStatuses(tiles + tiles / kScanGroup, ScanStatusBytes(state)));
  int begins = begins_ ? 1 : 0;
  int exclusive = before_ ? 1 : 0;
  void* counter = Counter();
  void* statuses = Statuses();
  const std::int64_t blocks = std::min<std::int64_t>(
      tiles, std::int64_t{ScanBlocks(state)} * backend_->multiprocessors());
  return LaunchKernel(
      0, {blocks, kScanThreads, kScanSharedBytes},
      {&arguments, &begins, &exclusive, &tiles, &counter, &statuses});
}

absl::Status SplicedPass::ReserveStatuses(std::int64_t statuses,
                                          int status_bytes) {
  if (++launches_ >= kEpochsOfStatuses) {
    counters_ = Array();  // what is new is zero
    launches_ = 1;
  }
  const std::int64_t bytes = kCounterBytes + statuses * status_bytes;
  return Reserve(sizeof(std::int64_t), bytes / 4);
}

void* SplicedPass::Statuses() { return counters_.data<char>() + kCounterBytes; }

absl::Status SplicedPass::LaunchFilter(Arguments arguments) {
  const std::int64_t tiles = DivideUp(arguments.end, kFilterTile);
  RETURN_IF_ERROR(ReserveStatuses(tiles, kFilterStatusBytes));
  void* kept = scratch_.data<char>();
  void* counter = Counter();
  void* statuses = Statuses();
  return LaunchKernel(0, {tiles, kFilterThreads},
                      {&arguments, &kept, &counter, &statuses});
}

template <typename Arrays>
absl::Status SplicedPass::LaunchPipeline(Arguments arguments, Arrays arrays) {
  constexpr int kVectorBytes = 16;
  const auto* const column = static_cast<const std::uint32_t*>(arguments.in[0]);
  auto* const out = static_cast<std::uint32_t*>(arguments.out[0]);
  const std::int64_t shift = reinterpret_cast<std::uintptr_t>(column) %
                             kVectorBytes / sizeof(std::uint32_t);
  arrays.base = column - shift;
  arrays.begin = shift;
  arrays.end = arguments.end + shift;
  auto tiles = static_cast<std::uint32_t>(DivideUp(arrays.end, kPipelinedTile));
  RETURN_IF_ERROR(ReserveStatuses(tiles, kPipelinedStatusBytes));
  if constexpr (std::is_same_v<Arrays, ScanArrays>) {
    arrays.out_base = out - shift;
    arrays.out_begin = arrays.begin;
    arrays.out_end = arrays.end;
  } else {
    arrays.kept = out;
    arrays.all = scratch_.data<std::int64_t>();
  }
  void* counter = Counter();
  void* words = Statuses();
  const std::int64_t blocks =
      std::min<std::int64_t>(tiles, backend_->multiprocessors());
  return LaunchKernel(0, {blocks, kPipelinedThreads, kPipelinedSharedBytes},
                      {&arguments, &arrays, &tiles, &counter, &words});
}

absl::Status SplicedPass::LaunchPipelinedFilter(Arguments arguments) {
  return LaunchPipeline(arguments, FilterArrays{});
}

absl::Status SplicedPass::LaunchPipelinedScan(Arguments arguments) {
  ScanArrays arrays{};
  arrays.inclusive = !before_;
  return LaunchPipeline(arguments, arrays);
}

ConstArrayView SplicedPass::Kept() const {
  return {scratch_.data<std::int64_t>(), 1, backend_->memory()};
}

int SplicedPass::StateBytes() const {
  const std::size_t values = functions_.prologue.results().size();
  int words = 1;
  while (words < static_cast<int>(values)) words *= 2;
  return words * (template_.wide ? 8 : 4);
}

absl::Status SplicedPass::Reserve(std::int64_t bytes, std::int64_t counters) {
  if (bytes > scratch_.size()) {
    scratch_ = Array();  // what is given back first can serve the new array
    ASSIGN_OR_RETURN(scratch_, backend_->Allocate(ElementType::kUInt8, bytes));
  }
  if (counters <= counters_.size()) return absl::OkStatus();
  counters_ = Array();
  ASSIGN_OR_RETURN(Array fresh,
                   backend_->Allocate(ElementType::kUInt32, counters));
  const std::vector<std::uint32_t> zeros(static_cast<std::size_t>(counters));
  RETURN_IF_ERROR(
      backend_->Copy(ConstArrayView(absl::MakeConstSpan(zeros)), fresh.view()));
  counters_ = std::move(fresh);
  return absl::OkStatus();
}

}  // namespace concord::sequence
