// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Elements for which a function is true, in order, in one pass over memory: the
// decoupled look-back of D. Merrill and M. Garland ("Single-pass parallel
// prefix scan with decoupled look-back", 2016) over counts. Each warp notes
// which elements of its segment are kept. Once it is known how many the tiles
// before keep, it goes through its notes and computes the results of those
// elements, for which it reads the columns again: they are still in a cache. So
// neither types nor numbers of results matter to the frame.

#include <cuda_runtime.h>

#include <cstdint>

#include "concord/algorithms/sequence/spliced/shapes.h"
#include "concord/backends/cuda/lookback.cuh"
#include "concord/backends/cuda/spliced/arguments.h"
#include "concord/backends/cuda/tile_status.cuh"
#include "concord/backends/cuda/warp.cuh"
#include "concord/core/operators.h"

namespace concord::sequence {

constexpr int kFilterWarps = kFilterThreads / kWarpSize;
constexpr int kSegment = kFilterTile / kFilterWarps;

// Elements that a lane reads, or puts, before it uses the first, each a warp
// behind the one before.
constexpr int kKeepBatch = 8;
constexpr int kPutBatch = 4;

// What a warp notes: which elements of its segment are kept, in order.
class KeptNotes {
 public:
  __device__ explicit KeptNotes(uint16_t* notes) : notes_(notes) {}

  // All lanes call it; `element`: this lane's, from the segment's first on.
  __device__ __forceinline__ void Add(bool kept, int element) {
    const unsigned all = __ballot_sync(kWholeWarp, kept);
    if (kept) {
      notes_[count_ + __popc(all & ((1u << LaneId()) - 1))] =
          static_cast<uint16_t>(element);
    }
    count_ += __popc(all);
  }
  __device__ int count() const { return count_; }
  __device__ int64_t operator[](int k) const { return notes_[k]; }

 private:
  uint16_t* const notes_;
  int count_ = 0;
};

// Notes the elements of the segment that begins at `first`.
__device__ __forceinline__ void NoteKept(int64_t first, int64_t end,
                                         KeptNotes& notes) {
  if (first + kSegment <= end) {
#pragma unroll 1
    for (int k = LaneId(); k < kSegment; k += kKeepBatch * kWarpSize) {
      uint32_t keep[kKeepBatch];
      asm volatile("//CONCORD keep %0, %1, %2, %3, %4, %5, %6, %7, %8, %9"
                   : "=&r"(keep[0]), "=&r"(keep[1]), "=&r"(keep[2]),
                     "=&r"(keep[3]), "=&r"(keep[4]), "=&r"(keep[5]),
                     "=&r"(keep[6]), "=&r"(keep[7])
                   : "l"(first + k), "n"(kWarpSize));
#pragma unroll
      for (int b = 0; b < kKeepBatch; ++b) {
        notes.Add(keep[b] != 0, k + b * kWarpSize);
      }
    }
    return;
  }
#pragma unroll 1
  for (int k = LaneId(); first + k - LaneId() < end; k += kWarpSize) {
    uint32_t keep = 0;
    if (first + k < end) {
      asm volatile("//CONCORD keep %0, %1, %2"
                   : "=r"(keep)
                   : "l"(first + k), "n"(kWarpSize));
    }
    notes.Add(keep != 0, k);
  }
}

// Puts the elements of the segment at `first` that were noted at result `at`
// and behind.
__device__ __forceinline__ void PutKept(int64_t first, const KeptNotes& notes,
                                        int64_t at) {
  const auto put = [&](int k) {
    if (k < 0 || k >= notes.count()) return;
    asm volatile("//CONCORD put %0, %1, %2"
                 :
                 : "l"(first + notes[k]), "l"(at + k), "n"(kWarpSize)
                 : "memory");
  };
  // The first step ends where a line of the results does, whatever their type.
  int k = LaneId() - static_cast<int>(at % kWarpSize);
  put(k);
#pragma unroll 1
  for (k += kWarpSize; k - LaneId() + kPutBatch * kWarpSize <= notes.count();
       k += kPutBatch * kWarpSize) {
    asm volatile("//CONCORD put %0, %1, %2, %3, %4, %5"
                 :
                 : "l"(first + notes[k]), "l"(first + notes[k + kWarpSize]),
                   "l"(first + notes[k + 2 * kWarpSize]),
                   "l"(first + notes[k + 3 * kWarpSize]), "l"(at + k),
                   "n"(kWarpSize)
                 : "memory");
  }
#pragma unroll 1
  for (; k - LaneId() < notes.count(); k += kWarpSize) put(k);
}

// What the tiles before this one keep; tells the others. A whole warp calls it.
__device__ __forceinline__ int64_t PrefixOf(TileTicket ticket, int64_t kept,
                                            StatusWord* statuses) {
  Lookback<int64_t> lookback(statuses, ticket.epoch);
  int64_t prefix = 0;
  if (ticket.tile > 0) {
    if (LaneId() == 0) lookback.PublishAggregate(ticket.tile, kept);
    prefix = lookback.ExclusivePrefix<concord::Add<int64_t>>(ticket.tile);
  }
  if (LaneId() == 0) lookback.PublishPrefix(ticket.tile, prefix + kept);
  return prefix;
}

// A block for each tile. `all`: how many are kept. `counter` and `statuses` are
// of this kernel alone (backends/cuda/tile_status.cuh), zero at first.
extern "C" __global__ void __launch_bounds__(kFilterThreads,
                                             kFilterBlocksPerMultiprocessor)
    concord_filter(const __grid_constant__ spliced::Arguments arguments,
                   int64_t* all, unsigned long long* counter,
                   StatusWord* statuses) {
  __shared__ uint16_t notes_of_block[kFilterTile];
  __shared__ TileTicket ticket;
  __shared__ int kept_by_warp[kFilterWarps];
  __shared__ int64_t kept_before;
  if (threadIdx.x == 0) ticket = DrawTile(counter, gridDim.x);
  __syncthreads();
  const int64_t first =
      int64_t{ticket.tile} * kFilterTile + WarpId() * kSegment;
  KeptNotes notes(notes_of_block + WarpId() * kSegment);
  NoteKept(first, arguments.end, notes);
  if (LaneId() == 0) kept_by_warp[WarpId()] = notes.count();
  __syncthreads();
  const int of_warp = LaneId() < kFilterWarps ? kept_by_warp[LaneId()] : 0;
  if (WarpId() == 0) {
    const int kept = WarpReduce<concord::Add<int>>(of_warp);
    const int64_t before = PrefixOf(ticket, kept, statuses);
    if (LaneId() == 0) {
      kept_before = before;
      if (ticket.tile == gridDim.x - 1) *all = before + kept;
    }
  }
  const int warps_before =
      WarpReduce<concord::Add<int>>(LaneId() < WarpId() ? of_warp : 0);
  __syncthreads();
  PutKept(first, notes, kept_before + warps_before);
}

}  // namespace concord::sequence
