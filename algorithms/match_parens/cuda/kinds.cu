// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include <cuda_runtime.h>

#include <cstdint>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>
#include <limits>
#include <utility>

#include "concord/algorithms/match_parens/cuda/kinds.cuh"
#include "concord/backends/cuda/cub_calls.cuh"
#include "concord/backends/cuda/cuda_status.h"
#include "concord/backends/cuda/launch.cuh"
#include "concord/backends/cuda/ordered_fold.cuh"
#include "concord/core/errors.h"

namespace concord::match_parens {
namespace {

constexpr char kWhere[] = "match_parens/cuda, several kinds";

// Tiles of one piece for each row.
constexpr int64_t kRow = kPieceElements<uint8_t>;
constexpr int64_t kTile = kWarpSize * kRow;

// Half as large as the blocks of a fold, because the stacks take as much shared
// memory as the rows.
constexpr int kWarps = kFoldWarps / 2;
constexpr int kThreads = kWarps * kWarpSize;
constexpr int kStackDistance = kFoldSharedBytes / 2;

// The least position of a wrong closing bracket, and of one never closed.
struct Faults {
  unsigned long long closing;
  unsigned long long never_closed;
};
constexpr unsigned long long kNone = ~0ull;

// What a row leaves, and in a scan what all rows before it leave.
struct RowEffect {
  int64_t brackets;
  int64_t depth;
};

struct AddEffects {
  __device__ RowEffect operator()(const RowEffect& a,
                                  const RowEffect& b) const {
    return {a.brackets + b.brackets, a.depth + b.depth};
  }
};

// A bracket that is left: where it is, and its code as a byte.
using Bracket = uint64_t;
__device__ Bracket MakeBracket(int64_t position, int code) {
  return static_cast<uint64_t>(position) << 8 | static_cast<uint8_t>(code);
}
__device__ int64_t PositionOf(Bracket bracket) {
  return static_cast<int64_t>(bracket >> 8);
}
__device__ int CodeOf(Bracket bracket) {
  return static_cast<int8_t>(bracket & 0xff);
}

struct Left {
  uint32_t* depths;
  Bracket* brackets;
};

// Goes through each row with a stack, of the places in the row. Without
// `kWrite`, counts what is left; with it, writes that behind what is left of
// the rows before.
template <bool kWrite>
__global__ void __launch_bounds__(kThreads)
    ReduceRows(Span<const uint8_t> in, const int8_t* table, RowEffect* effects,
               Left left, Faults* faults) {
  __shared__ int8_t codes[256];
  for (int i = threadIdx.x; i < 256; i += kThreads) codes[i] = table[i];
  __syncthreads();
  const int64_t tile = blockIdx.x * int64_t{kWarps} + WarpId();
  if (tile * kTile >= in.end) return;
  Vector<uint8_t>* const rows = PiecesOfWarp<uint8_t>();
  FetchPieces<0>(in, FoldPlan(), tile * kTile, 0, rows);
  WaitForCopies();
  __syncwarp();
  const int64_t first = tile * kTile + LaneId() * kRow;
  if (first >= in.end) return;

  const auto* const row =
      reinterpret_cast<const uint8_t*>(rows + LaneId() * kPieceStride);
  uint8_t* const stack = const_cast<uint8_t*>(row) + kStackDistance;
  const auto begin = static_cast<int>(max(in.begin - first, int64_t{0}));
  const auto end = static_cast<int>(min(in.end - first, kRow));
  int closing = 0;
  int height = 0;
  RowEffect before{};
  if constexpr (kWrite) before = effects[first / kRow];
  for (int i = begin; i < end; ++i) {
    const int code = codes[row[i]];
    if (code > 0) {
      stack[height++] = static_cast<uint8_t>(i);
    } else if (code < 0 && height > 0) {
      if (codes[row[stack[--height]]] != -code) {
        atomicMin(&faults->closing, first + i - in.begin);
        // What comes later does not matter any more, wherever it goes.
      }
    } else if (code < 0) {
      if constexpr (kWrite) {
        const int64_t position = first + i - in.begin;
        const int64_t depth = before.depth - closing - 1;
        if (depth < 0) atomicMin(&faults->closing, position);
        left.depths[before.brackets + closing] =
            depth < 0 ? ~0u : static_cast<uint32_t>(depth);
        left.brackets[before.brackets + closing] = MakeBracket(position, code);
      }
      ++closing;
    }
  }
  if constexpr (kWrite) {
    const int64_t bottom = before.depth - closing;
    for (int k = 0; k < height; ++k) {
      const int64_t at = before.brackets + closing + k;
      const int64_t depth = bottom + k;
      left.depths[at] = depth < 0 ? ~0u : static_cast<uint32_t>(depth);
      left.brackets[at] =
          MakeBracket(first + stack[k] - in.begin, codes[row[stack[k]]]);
    }
  } else {
    effects[first / kRow] = {closing + height, height - closing};
  }
}

__global__ void CompareNeighbours(Left sorted, int64_t count, Faults* faults) {
  const int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
  if (i >= count) return;
  const uint32_t depth = sorted.depths[i];
  if (depth == ~0u) return;  // past a fault that is known
  const int code = CodeOf(sorted.brackets[i]);
  const auto position =
      static_cast<unsigned long long>(PositionOf(sorted.brackets[i]));
  if (code < 0) {
    const bool has_partner = i > 0 && sorted.depths[i - 1] == depth &&
                             CodeOf(sorted.brackets[i - 1]) == -code;
    if (!has_partner) atomicMin(&faults->closing, position);
  } else {
    const bool is_closed = i + 1 < count && sorted.depths[i + 1] == depth;
    if (!is_closed) atomicMin(&faults->never_closed, position);
  }
}

__global__ void StoreFault(const Faults* faults, int64_t* fault) {
  const unsigned long long found =
      faults->closing != kNone ? faults->closing : faults->never_closed;
  *fault = static_cast<int64_t>(found);  // kNone is -1
}

int64_t RoundUp(int64_t bytes) { return (bytes + 255) / 256 * 256; }

}  // namespace

KindMatcher::KindMatcher(std::shared_ptr<CudaBackend> backend)
    : backend_(std::move(backend)),
      table_(backend_),
      rows_(backend_),
      left_(backend_),
      cub_(backend_),
      faults_(backend_) {}

absl::Status KindMatcher::FindFault(Span<const uint8_t> in,
                                    const Brackets& brackets, int64_t* fault) {
  const cudaStream_t stream = backend_->stream();
  const int64_t rows = DivideUp(in.end, kRow);
  const LaunchShape shape = {DivideUp(DivideUp(in.end, kTile), kWarps),
                             kThreads, kFoldSharedBytes};
  absl::Status status = table_.Reserve(sizeof(brackets.code));
  // One row more, which leaves nothing: its place in the scan is the total.
  status.Update(rows_.Reserve<RowEffect>(rows + 1));
  status.Update(faults_.Reserve<Faults>(1));
  if (!status.ok()) return status;
  auto* const effects = rows_.data<RowEffect>();
  auto* const faults = faults_.data<Faults>();
  const auto* const table = table_.data<int8_t>();

  // From pageable memory: it is read before the call returns.
  status = CudaStatus(
      cudaMemcpyAsync(table_.data(), brackets.code, sizeof(brackets.code),
                      cudaMemcpyHostToDevice, stream),
      kWhere);
  status.Update(CudaStatus(
      cudaMemsetAsync(faults, 0xff, sizeof(Faults), stream), kWhere));
  status.Update(CudaStatus(
      cudaMemsetAsync(effects + rows, 0, sizeof(RowEffect), stream), kWhere));
  if (!status.ok()) return status;
  status = QueueKernel(*backend_, kWhere, ReduceRows<false>, shape, in, table,
                       effects, Left{}, faults);
  status.Update(RunCub(cub_, kWhere, [&](void* memory, std::size_t& bytes) {
    return cub::DeviceScan::ExclusiveScan(memory, bytes, effects, effects,
                                          AddEffects(), RowEffect{}, rows + 1,
                                          stream);
  }));
  if (!status.ok()) return status;
  RowEffect total;
  status = CudaStatus(cudaMemcpyAsync(&total, effects + rows, sizeof(total),
                                      cudaMemcpyDeviceToHost, stream),
                      kWhere);
  if (status.ok()) status = backend_->Synchronize();
  if (!status.ok()) return status;

  // Depths have 32 bits, and one of their values says that there is none.
  constexpr int64_t kMostLeft = std::numeric_limits<uint32_t>::max() - 1;
  if (total.brackets > kMostLeft) {
    return ResourceExhaustedError(
        kWhere, ": ", total.brackets,
        " brackets have no partner in their row; it takes at most ", kMostLeft);
  }
  if (total.brackets > 0) {
    status = left_.Reserve(
        2 * RoundUp(total.brackets * static_cast<int64_t>(sizeof(uint32_t))) +
        2 * total.brackets * static_cast<int64_t>(sizeof(Bracket)));
    if (!status.ok()) return status;
    status = QueueKernel(*backend_, kWhere, ReduceRows<true>, shape, in, table,
                         effects,
                         {left_.data<uint32_t>(),
                          left_.data<Bracket>(2 * RoundUp(total.brackets * 4))},
                         faults);
    if (status.ok()) status = SortAndCompare(total.brackets);
    if (!status.ok()) return status;
  }
  return QueueKernel(*backend_, kWhere, StoreFault, {1, 1}, faults, fault);
}

absl::Status KindMatcher::SortAndCompare(int64_t count) {
  const int64_t depth_bytes = RoundUp(count * 4);
  auto* const brackets = left_.data<Bracket>(2 * depth_bytes);
  cub::DoubleBuffer<uint32_t> keys(left_.data<uint32_t>(),
                                   left_.data<uint32_t>(depth_bytes));
  cub::DoubleBuffer<Bracket> values(brackets, brackets + count);
  // No depth reaches the number of brackets; the bits above that of ~0 say no
  // more than the one bit beyond.
  int bits = 1;
  while (bits < 32 && count >> (bits - 1) != 0) ++bits;
  RETURN_IF_ERROR(RunCub(cub_, kWhere, [&](void* memory, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortPairs(memory, bytes, keys, values, count,
                                           0, bits, backend_->stream());
  }));
  constexpr int kOfBlock = 256;
  return QueueKernel(*backend_, kWhere, CompareNeighbours,
                     {DivideUp(count, kOfBlock), kOfBlock},
                     {keys.Current(), values.Current()}, count,
                     faults_.data<Faults>());
}

}  // namespace concord::match_parens
