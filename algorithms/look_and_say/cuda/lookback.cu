// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Step by step, each in one launch and one pass over memory. A block finds
// where the runs of its tile start, how long they are, and so how much it has
// to say; where that belongs the tiles tell each other by decoupled look-back
// (D. Merrill and M. Garland, "Single-pass parallel prefix scan with decoupled
// look-back", NVIDIA technical report NVR-2016-002).
//
// A run belongs to the tile that it starts in. Its end is hardly ever more than
// two digits away, but may be anywhere: a block whose last run leaves the tile
// looks for it, all threads together.

#include <cuda_runtime.h>

#include <cstdint>
#include <memory>
#include <utility>

#include "concord/algorithms/look_and_say/cuda/run.cuh"
#include "concord/algorithms/look_and_say/cuda/steps.h"
#include "concord/backends/cuda/cuda_backend.h"
#include "concord/backends/cuda/lookback.cuh"
#include "concord/backends/cuda/tile_words.cuh"
#include "concord/backends/cuda/vector.cuh"
#include "concord/backends/cuda/warp.cuh"
#include "concord/core/errors.h"
#include "concord/core/operators.h"

namespace concord::look_and_say {
namespace {

// A thread has one vector of 16 digits. What a tile of 8 KiB says, at most
// twice as much, is put together in shared memory. With four blocks on a
// multiprocessor there would be too few registers.
constexpr int kThreads = 512;
constexpr int kBlocksPerMultiprocessor = 3;
constexpr int kDigits = kVectorBytes;
constexpr int64_t kTile = int64_t{kThreads} * kDigits;
constexpr int kWarps = kThreads / kWarpSize;
// Of a tile: two digits for one, but for the run that leaves the tile, whose
// count may have all the digits that an int64 has.
constexpr int64_t kMostSaid = 2 * (kTile - 1) + 20;

using Digits = Span<const uint8_t>;
using Sum = Add<uint64_t>;

__device__ __forceinline__ Vector<uint8_t> LoadDigits(Digits digits,
                                                      int64_t first) {
  if (digits.HoldsVectors(first, kDigits)) return LoadVector(digits, first);
  return LoadElements(digits, first, uint8_t{0});
}

// A bit for each digit of the vector that differs from the one before it;
// `before` is the one before the first.
__device__ __forceinline__ uint32_t ChangesIn(const Vector<uint8_t>& vector,
                                              uint32_t before) {
  uint32_t changes = 0;
  uint32_t last = before << 24;
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    const uint32_t word = vector.word[k];
    // Each byte moved up by one place, the last of the word before into the
    // lowest.
    const uint32_t shifted = __funnelshift_l(last, word, 8);
    // 1 in each byte that differs; the product gathers them in the top bits.
    const uint32_t differs = __vcmpne4(word, shifted) & 0x01010101u;
    changes |= (differs * 0x10204080u >> 28) << (4 * k);
    last = word;
  }
  return changes;
}

// Where runs start in the vector at `first`, as bits. The end of the digits
// counts as a start, so that the last run ends; nothing behind it does.
__device__ __forceinline__ uint32_t StartsIn(Digits digits, int64_t first,
                                             const Vector<uint8_t>& vector) {
  const uint32_t before =
      first > digits.begin && first <= digits.end ? digits.base[first - 1] : 0;
  uint32_t starts = ChangesIn(vector, before);
  if (digits.begin >= first && digits.begin < first + kDigits) {
    const uint32_t bit = 1u << (digits.begin - first);
    starts = (starts & ~(bit - 1)) | bit;
  }
  if (digits.end < first + kDigits) {
    const int64_t left = digits.end - first;
    starts = left < 0 ? 0 : (starts & ((1u << left) - 1)) | 1u << left;
  }
  return starts;
}

__device__ __forceinline__ int DecimalDigits(int64_t count) {
  int digits = 1;
  for (; count >= 10; count /= 10) ++digits;
  return digits;
}

// The runs of a thread's vector.
struct Runs {
  // Bits of where runs start, with those of the next vector above them.
  uint32_t window;
  // Those that this thread has to say.
  uint32_t said;
  const uint32_t* starts_behind;  // of the vectors after the next, in the tile
  int vectors_behind;
  // From the end of those to the end of the run there.
  int64_t rest;

  __device__ __forceinline__ int64_t LengthOf(int bit) const {
    const uint32_t next = window >> (bit + 1);
    if (next != 0) return __ffs(next);
    int64_t length = 2 * kDigits - bit;
    for (int i = 0; i < vectors_behind; ++i, length += kDigits) {
      if (starts_behind[i] != 0) return length + __ffs(starts_behind[i]) - 1;
    }
    return length + rest;
  }

  // Whether a run may have a count of two digits.
  __device__ __forceinline__ bool AnyLong() const {
    uint32_t ends_soon = 0;
#pragma unroll
    for (int i = 1; i <= 9; ++i) ends_soon |= window >> i;
    return (said & ~ends_soon) != 0;
  }
};

__device__ __forceinline__ uint32_t SaidSize(const Runs& runs, bool decimal) {
  uint32_t size = 2 * __popc(runs.said);
  if (!decimal || !runs.AnyLong()) return size;
  for (uint32_t rest = runs.said; rest != 0; rest &= rest - 1) {
    size += DecimalDigits(runs.LengthOf(__ffs(rest) - 1)) - 1;
  }
  return size;
}

__device__ __forceinline__ void Say(const Runs& runs,
                                    const Vector<uint8_t>& vector, bool decimal,
                                    uint8_t* out) {
#pragma unroll
  for (int bit = 0; bit < kDigits; ++bit) {
    if ((runs.said >> bit & 1) == 0) continue;
    int64_t count = runs.LengthOf(bit);
    if (decimal && count >= 10) {
      const int places = DecimalDigits(count);
      for (int i = places; i-- > 0; count /= 10) out[i] = count % 10;
      out += places;
    } else {
      *out++ = static_cast<uint8_t>(count);
    }
    *out++ = vector.lane(bit);
  }
}

// How far it is from `first` to the first digit that is not `digit`, or to the
// end. The whole block calls it.
__device__ int64_t DistanceToChange(Digits digits, int64_t first,
                                    uint8_t digit) {
  __shared__ unsigned nearest;
  for (int64_t at = first;; at += kTile) {
    __syncthreads();
    if (threadIdx.x == 0) nearest = kTile;
    __syncthreads();
    const int64_t mine = at + threadIdx.x * kDigits;
    if (mine < digits.end) {
      const Vector<uint8_t> vector = LoadDigits(digits, mine);
#pragma unroll
      for (int k = kDigits - 1; k >= 0; --k) {
        if (mine + k >= digits.end || vector.lane(k) != digit) {
          atomicMin(&nearest, threadIdx.x * kDigits + k);
        }
      }
    } else {
      atomicMin(&nearest, static_cast<unsigned>(threadIdx.x * kDigits));
    }
    __syncthreads();
    if (nearest < kTile) return at - first + nearest;
  }
}

// Writes `size` bytes of shared memory, which stand in it as far behind a
// multiple of 16 as `out` is.
__device__ __forceinline__ void StoreBlock(const uint8_t* shared, uint8_t* out,
                                           uint32_t size) {
  const uint32_t shift = reinterpret_cast<uintptr_t>(out) % kVectorBytes;
  const uint32_t end = shift + size;
  uint8_t* const base = out - shift;
  for (uint32_t at = threadIdx.x * kVectorBytes; at < end;
       at += kThreads * kVectorBytes) {
    if (at >= shift && at + kVectorBytes <= end) {
      *reinterpret_cast<uint4*>(base + at) =
          *reinterpret_cast<const uint4*>(shared + at);
    } else {
      for (uint32_t i = max(at, shift); i < min(at + kVectorBytes, end); ++i) {
        base[i] = shared[i];
      }
    }
  }
}

__global__ void __launch_bounds__(kThreads, kBlocksPerMultiprocessor)
    SayTiles(Digits digits, uint8_t* out, bool decimal, uint32_t tiles,
             unsigned long long* counter, StatusWord* statuses,
             int64_t* said_size) {
  __shared__ TileTicket ticket;
  // One for each thread's vector and for the one behind the tile.
  __shared__ uint32_t starts[kThreads + 1];
  __shared__ uint32_t warp_sizes[kWarps];
  __shared__ uint64_t tile_prefix;
  __shared__ __align__(kVectorBytes) uint8_t said[kMostSaid + kVectorBytes];

  const int thread = threadIdx.x;
  if (thread == 0) ticket = DrawTile(counter, tiles);
  __syncthreads();
  const int64_t tile_first = ticket.tile * kTile;
  const int64_t first = tile_first + thread * kDigits;
  const Vector<uint8_t> vector = LoadDigits(digits, first);
  starts[thread] = StartsIn(digits, first, vector);
  if (thread == 0) {
    const int64_t behind = tile_first + kTile;
    starts[kThreads] = StartsIn(digits, behind, LoadDigits(digits, behind));
  }
  // In the midst of a long run nobody has anything to say.
  const bool says_some = __syncthreads_or(starts[thread] != 0) != 0;

  int64_t rest = 0;
  if (says_some && starts[kThreads] == 0 && tile_first + kTile < digits.end) {
    rest = DistanceToChange(digits, tile_first + kTile + kDigits,
                            digits.base[tile_first + kTile - 1]);
  }
  Runs runs;
  runs.window = starts[thread] | starts[thread + 1] << kDigits;
  runs.said = starts[thread];
  if (digits.end < first + kDigits) {
    // The end of the digits is no run.
    runs.said = digits.end <= first
                    ? 0
                    : runs.said & ((1u << (digits.end - first)) - 1);
  }
  runs.starts_behind = starts + thread + 2;
  runs.vectors_behind = kThreads - 1 - thread;
  runs.rest = rest;

  const uint32_t size = SaidSize(runs, decimal);
  uint32_t before[1] = {size};
  WarpInclusiveScan<Add<uint32_t>>(before);
  if (LaneId() == kWarpSize - 1) warp_sizes[WarpId()] = before[0];
  __syncthreads();
  if (WarpId() == 0) {
    uint32_t totals[1] = {LaneId() < kWarps ? warp_sizes[LaneId()] : 0};
    WarpInclusiveScan<Add<uint32_t>>(totals);
    const uint64_t tile_size = ShuffleFrom(totals[0], kWarps - 1);
    __syncwarp();
    if (LaneId() < kWarps) warp_sizes[LaneId()] = totals[0];
    Lookback<uint64_t> lookback(statuses, ticket.epoch);
    uint64_t prefix = 0;
    if (ticket.tile > 0) {
      if (LaneId() == 0) lookback.PublishAggregate(ticket.tile, tile_size);
      prefix = lookback.ExclusivePrefix<Sum>(ticket.tile);
    }
    if (LaneId() == 0) {
      lookback.PublishPrefix(ticket.tile, prefix + tile_size);
      tile_prefix = prefix;
      if (ticket.tile == tiles - 1) {
        *said_size = static_cast<int64_t>(prefix + tile_size);
      }
    }
  }
  __syncthreads();

  uint8_t* const to = out + tile_prefix;
  const uint32_t shift = reinterpret_cast<uintptr_t>(to) % kVectorBytes;
  const uint32_t warps_before = WarpId() == 0 ? 0 : warp_sizes[WarpId() - 1];
  Say(runs, vector, decimal, said + shift + warps_before + before[0] - size);
  __syncthreads();
  StoreBlock(said, to, warp_sizes[kWarps - 1]);
}

class LookbackStepper : public DeviceStepper {
 public:
  using DeviceStepper::DeviceStepper;

  absl::StatusOr<int64_t> Say(const DeviceStep& step) override {
    const int64_t shift = ElementsPastBoundary(step.digits);
    const int64_t tiles = DivideUp(step.size + shift, kTile);
    RETURN_IF_ERROR(words_.Prepare<StatusWord>(tiles));
    auto* const said_size = words_.own<int64_t>();
    RETURN_IF_ERROR(QueueKernel(
        *backend_, "look_and_say/cuda/lookback", SayTiles, {tiles, kThreads},
        ShiftedSpan(step.digits, step.size, shift), step.said,
        step.counts == LookAndSay::Counts::kDecimal,
        static_cast<uint32_t>(tiles), words_.counter(),
        words_.words<StatusWord>(), said_size));
    if (step.said_size >= 0) return step.said_size;
    int64_t size = 0;
    RETURN_IF_ERROR(
        backend_->Copy(ConstArrayView(said_size, 1, backend_->memory()),
                       ArrayView(absl::MakeSpan(&size, 1))));
    return size;
  }

 private:
  // With the size that is said.
  TileWords words_{backend_, sizeof(int64_t)};
};

const bool kRegistered = RegisterOnCuda<LookAndSayBySteps<LookbackStepper>>(
    "lookback", /*rank=*/8,
    "step by step, each one pass with decoupled look-back",
    Contract()
        .Types({ElementType::kUInt8})
        .Boundaries({kDigits, kTile, kTile + kDigits, 3 * kTile})
        .Keeps(kKeepsTileWords)
        .Notes("holds two steps in memory, whatever part is wanted"));

}  // namespace

std::unique_ptr<DeviceStepper> NewLookbackStepper(
    std::shared_ptr<CudaBackend> backend) {
  return std::make_unique<LookbackStepper>(std::move(backend));
}

}  // namespace concord::look_and_say
