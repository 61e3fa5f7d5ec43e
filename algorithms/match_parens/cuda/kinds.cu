// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>
#include <utility>

#include "concord/algorithms/match_parens/cuda/kinds.cuh"
#include "concord/backends/cuda/cuda_status.h"
#include "concord/backends/cuda/ordered_fold.cuh"

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

absl::Status KindMatcher::StoreBalanced(int64_t* fault) {
  // All bits of -1 are set.
  return CudaStatus(
      cudaMemsetAsync(fault, 0xff, sizeof(*fault), backend_->stream()), kWhere);
}

absl::Status KindMatcher::FindFault(Span<const uint8_t> in,
                                    const Brackets& brackets, int64_t* fault) {
  const cudaStream_t stream = backend_->stream();
  const int64_t rows = (in.end + kRow - 1) / kRow;
  const int64_t tiles = (in.end + kTile - 1) / kTile;
  const auto blocks = static_cast<unsigned>((tiles + kWarps - 1) / kWarps);
  // One row more, which leaves nothing: its place in the scan is the total.
  const int64_t effect_bytes =
      (rows + 1) * static_cast<int64_t>(sizeof(RowEffect));
  absl::Status status = table_.Reserve(sizeof(brackets.code));
  status.Update(rows_.Reserve(effect_bytes));
  status.Update(faults_.Reserve(sizeof(Faults)));
  if (!status.ok()) return status;
  auto* const effects = reinterpret_cast<RowEffect*>(rows_.data());
  auto* const faults = reinterpret_cast<Faults*>(faults_.data());
  const auto* const table = reinterpret_cast<const int8_t*>(table_.data());

  // From pageable memory: it is read before the call returns.
  status = CudaStatus(
      cudaMemcpyAsync(table_.data(), brackets.code, sizeof(brackets.code),
                      cudaMemcpyHostToDevice, stream),
      kWhere);
  status.Update(CudaStatus(
      cudaMemsetAsync(faults, 0xff, sizeof(Faults), stream), kWhere));
  status.Update(CudaStatus(
      cudaMemsetAsync(effects + rows, 0, sizeof(RowEffect), stream), kWhere));
  for (const auto kernel : {ReduceRows<false>, ReduceRows<true>}) {
    status.Update(CudaStatus(
        cudaFuncSetAttribute(kernel,
                             cudaFuncAttributeMaxDynamicSharedMemorySize,
                             kFoldSharedBytes),
        kWhere));
  }
  if (!status.ok()) return status;
  ReduceRows<false><<<blocks, kThreads, kFoldSharedBytes, stream>>>(
      in, table, effects, Left{}, faults);
  status = LaunchStatus(kWhere);
  if (!status.ok()) return status;

  std::size_t bytes = 0;
  const auto scan = [&](void* scratch) {
    return CudaStatus(cub::DeviceScan::ExclusiveScan(
                          scratch, bytes, effects, effects, AddEffects(),
                          RowEffect{}, rows + 1, stream),
                      kWhere);
  };
  status = scan(nullptr);
  if (status.ok()) status = cub_.Reserve(static_cast<int64_t>(bytes));
  if (status.ok()) status = scan(cub_.data());
  if (!status.ok()) return status;
  RowEffect total;
  status = CudaStatus(cudaMemcpyAsync(&total, effects + rows, sizeof(total),
                                      cudaMemcpyDeviceToHost, stream),
                      kWhere);
  if (status.ok()) status = backend_->Synchronize();
  if (!status.ok()) return status;

  if (total.brackets > 0) {
    status = left_.Reserve(
        2 * RoundUp(total.brackets * static_cast<int64_t>(sizeof(uint32_t))) +
        2 * total.brackets * static_cast<int64_t>(sizeof(Bracket)));
    if (!status.ok()) return status;
    ReduceRows<true><<<blocks, kThreads, kFoldSharedBytes, stream>>>(
        in, table, effects,
        Left{reinterpret_cast<uint32_t*>(left_.data()),
             reinterpret_cast<Bracket*>(left_.data() +
                                        2 * RoundUp(total.brackets * 4))},
        faults);
    status = LaunchStatus(kWhere);
    if (status.ok()) status = SortAndCompare(total.brackets);
    if (!status.ok()) return status;
  }
  StoreFault<<<1, 1, 0, stream>>>(faults, fault);
  return LaunchStatus(kWhere);
}

absl::Status KindMatcher::SortAndCompare(int64_t count) {
  const int64_t depth_bytes = RoundUp(count * 4);
  auto* const depths = reinterpret_cast<uint32_t*>(left_.data());
  auto* const brackets =
      reinterpret_cast<Bracket*>(left_.data() + 2 * depth_bytes);
  cub::DoubleBuffer<uint32_t> keys(
      depths, reinterpret_cast<uint32_t*>(left_.data() + depth_bytes));
  cub::DoubleBuffer<Bracket> values(brackets, brackets + count);
  // No depth reaches the number of brackets; the bits above that of ~0 say no
  // more than the one bit beyond.
  int bits = 1;
  while (bits < 32 && count >> (bits - 1) != 0) ++bits;
  std::size_t bytes = 0;
  const auto sort = [&](void* scratch) {
    return CudaStatus(
        cub::DeviceRadixSort::SortPairs(scratch, bytes, keys, values, count, 0,
                                        bits, backend_->stream()),
        kWhere);
  };
  absl::Status status = sort(nullptr);
  if (status.ok()) status = cub_.Reserve(static_cast<int64_t>(bytes));
  if (status.ok()) status = sort(cub_.data());
  if (!status.ok()) return status;
  constexpr int kOfBlock = 256;
  CompareNeighbours<<<static_cast<unsigned>((count + kOfBlock - 1) / kOfBlock),
                      kOfBlock, 0, backend_->stream()>>>(
      Left{keys.Current(), values.Current()}, count,
      reinterpret_cast<Faults*>(faults_.data()));
  return LaunchStatus(kWhere);
}

}  // namespace concord::match_parens
