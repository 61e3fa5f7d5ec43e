// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// How the kernels of each frame are launched.

#include <algorithm>
#include <cstddef>
#include <vector>

#include "concord/algorithms/reduce/reduce.h"
#include "concord/algorithms/sequence/spliced/filter_arrays.h"
#include "concord/algorithms/sequence/spliced/pass.h"
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
  const std::int64_t blocks =
      DivideUp(arguments.end, kMapTile) - arguments.begin / kMapTile;
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
  RETURN_IF_ERROR(Reserve(results * bytes, 1));
  void* chunk_results = scratch_.data<char>();
  void* arrivals = counters_.data<char>();
  return LaunchKernel(0, {blocks, Tree::kSegmentsPerChunk * kLanes},
                      {&arguments, &rows, &chunk_results, &arrivals});
}

absl::Status SplicedPass::LaunchFold(Arguments arguments) {
  const std::int64_t rows = DivideUp(arguments.end, spliced::kFoldRow);
  const std::int64_t blocks = DivideUp(rows, kFoldBlockRows);
  const std::int64_t groups = AllGroups(blocks);
  const std::int64_t state = StateBytes();
  RETURN_IF_ERROR(Reserve((blocks + groups + 1) * state, groups + 1));
  auto pieces = RowPieces::Of(functions_.prologue.ParameterTypes());
  int shared_bytes = kFoldBlockRows * pieces.stride_bytes;
  if (!pieces.fit()) arguments.aligned = shared_bytes = 0;
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
  // Elements of each level; those of the next are the totals of its chunks.
  std::vector<std::int64_t> counts = {arguments.end};
  std::int64_t states = 0;
  while (counts.back() > kScanChunk) {
    counts.push_back(DivideUp(counts.back(), kScanChunk));
    states += counts.back();
  }
  const std::size_t levels = counts.size();
  RETURN_IF_ERROR(Reserve(states * StateBytes()));
  // Where each level is, but for the first; the last has nothing above it.
  std::vector<void*> at(levels + 1);
  char* next = scratch_.data<char>();
  for (std::size_t level = 1; level < levels; ++level) {
    at[level] = next;
    next += counts[level] * StateBytes();
  }
  for (std::size_t level = 1; level < levels; ++level) {
    const std::int64_t blocks = counts[level] - 1;
    RETURN_IF_ERROR(
        level == 1 ? LaunchKernel(1, {blocks, kScanChunk}, {&arguments, &at[1]})
                   : LaunchKernel(2, {blocks, kScanChunk},
                                  {&arguments, &at[level - 1], &at[level]}));
  }
  int begins = begins_ ? 1 : 0;
  int exclusive = before_ ? 1 : 0;
  for (std::size_t level = levels - 1; level > 0; --level) {
    RETURN_IF_ERROR(LaunchKernel(
        3, {DivideUp(counts[level], kScanChunk), kScanChunk},
        {&arguments, &begins, &counts[level], &at[level + 1], &at[level]}));
  }
  return LaunchKernel(0, {DivideUp(counts[0], kScanChunk), kScanChunk},
                      {&arguments, &begins, &exclusive, &at[1]});
}

absl::Status SplicedPass::ReserveStatuses(std::int64_t tiles,
                                          int status_bytes) {
  if (++launches_ >= kFilterEpochs) {
    counters_ = Array();  // what is new is zero
    launches_ = 1;
  }
  const std::int64_t bytes = kCounterBytes + tiles * status_bytes;
  return Reserve(sizeof(std::int64_t), bytes / 4);
}

absl::Status SplicedPass::LaunchFilter(Arguments arguments) {
  const std::int64_t tiles = DivideUp(arguments.end, kFilterTile);
  RETURN_IF_ERROR(ReserveStatuses(tiles, kFilterStatusBytes));
  void* kept = scratch_.data<char>();
  void* counter = counters_.data<char>();
  void* statuses = counters_.data<char>() + kCounterBytes;
  return LaunchKernel(0, {tiles, kFilterThreads},
                      {&arguments, &kept, &counter, &statuses});
}

absl::Status SplicedPass::LaunchPipelinedFilter(Arguments arguments) {
  constexpr int kVectorBytes = 16;
  const auto* const column = static_cast<const std::uint32_t*>(arguments.in[0]);
  const std::int64_t shift = reinterpret_cast<std::uintptr_t>(column) %
                             kVectorBytes / sizeof(std::uint32_t);
  FilterArrays arrays{column - shift, shift, arguments.end + shift,
                      static_cast<std::uint32_t*>(arguments.out[0]), nullptr};
  auto tiles = static_cast<std::uint32_t>(DivideUp(arrays.end, kPipelinedTile));
  RETURN_IF_ERROR(ReserveStatuses(tiles, kPipelinedStatusBytes));
  arrays.all = scratch_.data<std::int64_t>();
  void* counter = counters_.data<char>();
  void* words = counters_.data<char>() + kCounterBytes;
  const std::int64_t blocks =
      std::min<std::int64_t>(tiles, backend_->multiprocessors());
  return LaunchKernel(0, {blocks, kPipelinedThreads, kPipelinedSharedBytes},
                      {&arguments, &arrays, &tiles, &counter, &words});
}

absl::StatusOr<std::int64_t> SplicedPass::Kept() {
  std::int64_t kept[1] = {0};
  const ConstArrayView all(scratch_.data<std::int64_t>(), 1,
                           backend_->memory());
  RETURN_IF_ERROR(backend_->Copy(all, ArrayView(absl::MakeSpan(kept))));
  return kept[0];
}

std::int64_t SplicedPass::StateBytes() const {
  const std::size_t values = functions_.prologue.results().size();
  std::int64_t words = 1;
  while (words < static_cast<std::int64_t>(values)) words *= 2;
  return words * (template_.wide ? 8 : 4);
}

absl::Status SplicedPass::Reserve(std::int64_t bytes, std::int64_t counters) {
  if (bytes > scratch_.size()) {
    scratch_ = Array();  // what is given back first can serve the new array
    ASSIGN_OR_RETURN(scratch_, backend_->Allocate(ElementType::kUInt8, bytes));
  }
  if (counters <= counters_.size()) return absl::OkStatus();
  counters_ = Array();
  ASSIGN_OR_RETURN(counters_,
                   backend_->Allocate(ElementType::kUInt32, counters));
  const std::vector<std::uint32_t> zeros(static_cast<std::size_t>(counters));
  return backend_->Copy(ConstArrayView(absl::MakeConstSpan(zeros)),
                        counters_.view());
}

}  // namespace concord::sequence
