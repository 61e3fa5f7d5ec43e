// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Decoding of short runs as a job of backends/cuda/pipeline.cuh: the array that
// it reads is that of the lengths. A tile amounts to their sum. A warp takes
// rows of 32 neighbouring runs, one for each lane; scans of rows say where in
// the warp's results each run goes. Runs are written side by side in shared
// memory, of which neighbouring lanes write neighbouring parts, and leave it as
// whole lines.
//
// A run of kLongRun elements or more is cut into pieces, which a second launch
// fills, all blocks sharing them, so that few long runs among short ones keep
// no warp busy for long.

#ifndef CONCORD_ALGORITHMS_RUN_LENGTH_DECODE_CUDA_PIPELINED_CUH_
#define CONCORD_ALGORITHMS_RUN_LENGTH_DECODE_CUDA_PIPELINED_CUH_

#include <cstdint>

#include "concord/algorithms/run_length_decode/cuda/lengths.cuh"
#include "concord/algorithms/run_length_decode/cuda/pieces.cuh"
#include "concord/backends/cuda/copy_out.cuh"
#include "concord/backends/cuda/pipeline.cuh"
#include "concord/backends/cuda/vector.cuh"
#include "concord/backends/cuda/warp.cuh"
#include "concord/core/operators.h"

namespace concord::run_length_decode {

// The first kFew of `count` elements, without a branch.
inline constexpr int kFew = 4;

template <typename Word>
__device__ __forceinline__ void WriteFew(Word* to, int count, Word value) {
#pragma unroll
  for (int i = 0; i < kFew; ++i) {
    if (i < count) to[i] = value;
  }
}

// Writes a run for each lane, `count` elements (none if that is not positive)
// from element `begin` on; a whole warp calls it.
template <typename Word, typename Index>
__device__ __forceinline__ void WriteRow(Word* to, Index begin, int count,
                                         Word value) {
  // Longer ones are written by the warp.
  constexpr int kOfLane = 16;
  const int mine = count <= kOfLane ? count : 0;
  for (int k = 0; __any_sync(kWholeWarp, k < mine); k += kFew) {
    WriteFew(to + (begin + k), mine - k, value);
  }
  unsigned others = __ballot_sync(kWholeWarp, count > kOfLane);
  while (others != 0) {
    const int lane = __ffs(static_cast<int>(others)) - 1;
    others &= others - 1;
    FillByWarp(to + ShuffleFrom(begin, lane), ShuffleFrom(count, lane),
               ShuffleFrom(value, lane));
  }
}

// The results of a warp that are not in global memory yet.
template <typename Word>
class Window {
 public:
  static constexpr int kBytes = 2560;
  static constexpr int kElements = kBytes / sizeof(Word);
  // Rows that are scanned together: their scans hide each other's latency.
  // (2^28 int32 in runs of 1 to 4 elements took 523 us with eight and 590 with
  // four, 2^26 int64 325 and 246, as registers do not suffice for eight.)
  static constexpr int kRows = sizeof(Word) == 8 ? 4 : 8;
  // Those that are written together. Words of 4 bytes fit if runs have five
  // elements on average.
  static constexpr int kRowsTogether = 4;

  // Results go to out[first, capacity).
  __device__ Window(Word* memory, Word* out, int64_t first, int64_t capacity)
      : memory_(memory), out_(out), first_(first), capacity_(capacity) {}

  // Adds the runs of kRows rows, none of them of kLongRun elements. A whole
  // warp calls this and `Flush`.
  __device__ __forceinline__ void Add(const int (&length)[kRows],
                                      const Word (&value)[kRows]) {
    // Two rows share a word; each of their sums fits into a half of it.
    static_assert(kWarpSize * kLongRun <= 1 << 16);
    uint32_t ends[kRows / 2];
#pragma unroll
    for (int j = 0; j < kRows / 2; ++j) {
      ends[j] = static_cast<uint32_t>(length[2 * j + 1]) << 16 | length[2 * j];
    }
    WarpInclusiveScan<concord::Add<uint32_t>>(ends);
    int place[kRows];  // in the row
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      place[r] =
          static_cast<int>(ends[r / 2] >> (r % 2 * 16) & 0xffff) - length[r];
    }
#pragma unroll
    for (int first = 0; first < kRows; first += kRowsTogether) {
      int total = 0;
#pragma unroll
      for (int r = first; r < first + kRowsTogether; ++r) {
        place[r] += total;
        const uint32_t of_row = ShuffleFrom(ends[r / 2], kWarpSize - 1);
        total += static_cast<int>(of_row >> (r % 2 * 16) & 0xffff);
      }
      if (filled_ + total > kElements) Flush();
      if (total <= kElements) {
        WriteFitting(length + first, value + first, place + first);
        filled_ += total;
      } else {
#pragma unroll
        for (int r = first; r < first + kRowsTogether; ++r) {
          AddRow(length[r], value[r],
                 static_cast<int>(ends[r / 2] >> (r % 2 * 16) & 0xffff));
        }
      }
    }
  }

  __device__ __forceinline__ void Flush() {
    const int64_t room = capacity_ - first_;
    __syncwarp();
    if (room > 0) {
      CopyOut<kLines>(out_ + first_, memory_,
                      static_cast<int>(min(int64_t{filled_}, room)));
    }
    __syncwarp();
    first_ += filled_;
    filled_ = 0;
  }

 private:
  // Of 128 bytes, on their way together.
  static constexpr int kLines = 6;

  // Of kRowsTogether rows.
  __device__ __forceinline__ void WriteFitting(const int* length,
                                               const Word* value,
                                               const int* place) {
    bool all_are_few = true;
#pragma unroll
    for (int r = 0; r < kRowsTogether; ++r) all_are_few &= length[r] <= kFew;
    if (__all_sync(kWholeWarp, all_are_few)) {
#pragma unroll
      for (int r = 0; r < kRowsTogether; ++r) {
        WriteFew(memory_ + (filled_ + place[r]), length[r], value[r]);
      }
    } else {
#pragma unroll
      for (int r = 0; r < kRowsTogether; ++r) {
        WriteRow(memory_, filled_ + place[r], length[r], value[r]);
      }
    }
  }

  // A row, whatever its length. `end` is where this lane's run ends in it.
  __device__ __forceinline__ void AddRow(int length, Word value, int end) {
    int left = ShuffleFrom(end, kWarpSize - 1);
    if (filled_ + left > kElements) Flush();
    left += filled_;
    int place = filled_ + end - length;
#pragma unroll 1
    for (;;) {
      const int begin = max(place, 0);
      const int stop = min(place + length, kElements);
      WriteRow(memory_, begin, stop - begin, value);
      filled_ = min(left, kElements);
      if (left <= kElements) return;
      Flush();
      place -= kElements;
      left -= kElements;
    }
  }

  Word* const memory_;
  Word* const out_;
  int64_t first_;
  const int64_t capacity_;
  int filled_ = 0;
};

template <typename Word>
struct DecodeShape : PipelineShape {
  static constexpr int kStages = 4;
  static constexpr int kLag = 2;
  // Whether the segment has a long run.
  static constexpr int kNoteBytes = 16;

  // Of a warp.
  __device__ static Word* WindowOfWarp() {
    __shared__ Word windows[kWarps * kTeams][Window<Word>::kElements];
    return windows[WarpId()];
  }
};

template <typename Word, typename Length>
struct DecodeJob {
  using Element = Length;
  using Aggregate = int64_t;
  using Combine = AddSizes;
  using Prefix = int64_t;
  using Shape = DecodeShape<Word>;
  using L = PipelineLayout<DecodeJob>;
  static constexpr int kRows = Window<Word>::kRows;
  static constexpr int kBatch = kRows * kWarpSize;

  Span<const Length> in;
  // The value of in.base[k] is values[k].
  const Word* values;
  Word* out;
  int64_t capacity;
  int64_t* size;
  PiecesOfRuns<Word> pieces;

  __device__ static int64_t Empty() { return 0; }
  __device__ int64_t Lift(int64_t sum, uint32_t) const { return sum; }
  __device__ static int64_t Join(int64_t a, int64_t b) {
    return AddSizes()(a, b);
  }
  __device__ static int64_t JoinLanes(int64_t sum) {
    return WarpReduce<AddSizes>(sum);
  }
  __device__ Length Absent() const { return 0; }

  __device__ __forceinline__ int64_t
  Reduce(const Segment<Length>& segment) const {
    int short_sum = 0;
    int64_t sum = 0;
    bool has_long = false;
#pragma unroll
    for (int i = 0; i < Shape::kVectors; ++i) {
      const Vector<Length> vector = segment.vectors[i * kWarpSize + LaneId()];
#pragma unroll
      for (int k = 0; k < Vector<Length>::kLanes; ++k) {
        const Length length = max(vector.lane(k), Length{0});
        has_long |= length >= kLongRun;
        short_sum += static_cast<int>(length);
        if constexpr (sizeof(Length) == 8) {
          sum = AddSizes()(sum, length);
        } else {
          sum += length;
        }
      }
    }
    const bool any_long = __any_sync(kWholeWarp, has_long);
    if (LaneId() == 0) *reinterpret_cast<int*>(segment.note) = any_long;
    return any_long
               ? WarpReduce<AddSizes>(sum)
               : static_cast<int64_t>(__reduce_add_sync(kWholeWarp, short_sum));
  }

  __device__ __forceinline__ void Write(const Segment<Length>& segment,
                                        PipelineTurn<DecodeJob>& turn) const {
    Word next[kRows];
    LoadValues(segment.first, next);
    const int64_t before = turn.AwaitPrefix();
    if (before < capacity) {
      if (*reinterpret_cast<const int*>(segment.note) != 0) {
        WriteLongRuns(segment, before);
      } else {
        WriteShortRuns(segment, before, next);
      }
    }
    turn.Release();
  }

  __device__ void Finish(int64_t all) const { *size = all; }

 private:
  __device__ __forceinline__ static const Length* LengthsOf(
      const Segment<Length>& segment) {
    return reinterpret_cast<const Length*>(segment.vectors);
  }

  __device__ __forceinline__ Word ValueAt(int64_t k) const {
    return k >= in.begin && k < in.end ? values[k] : Word{0};
  }

  // Of this lane, in the rows from there on.
  __device__ __forceinline__ void LoadValues(int64_t first,
                                             Word (&value)[kRows]) const {
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      value[r] = ValueAt(first + r * kWarpSize + LaneId());
    }
  }

  // `next` has the values of the first rows.
  __device__ __forceinline__ void WriteShortRuns(const Segment<Length>& segment,
                                                 int64_t before,
                                                 Word (&next)[kRows]) const {
    static_assert(L::kSegmentElements % kBatch == 0);
    const Length* const lengths = LengthsOf(segment);
    Window<Word> window(Shape::WindowOfWarp(), out, before, capacity);
#pragma unroll 1
    for (int first = 0; first < L::kSegmentElements; first += kBatch) {
      int length[kRows];
      Word value[kRows];
#pragma unroll
      for (int r = 0; r < kRows; ++r) {
        value[r] = next[r];
        // None is long, but one below 0 may be far below.
        length[r] = static_cast<int>(
            max(lengths[first + r * kWarpSize + LaneId()], Length{0}));
      }
      if (first + kBatch < L::kSegmentElements) {
        LoadValues(segment.first + first + kBatch, next);
      }
      window.Add(length, value);
    }
    window.Flush();
  }

  // Long runs are left to the next launch, and the others go out at once.
  __device__ __noinline__ void WriteLongRuns(Segment<Length> segment,
                                             int64_t before) const {
    const Length* const lengths = LengthsOf(segment);
#pragma unroll 1
    for (int i = LaneId(); i < L::kSegmentElements; i += kWarpSize) {
      int64_t ends[1] = {max(static_cast<int64_t>(lengths[i]), int64_t{0})};
      WarpInclusiveScan<AddSizes>(ends);
      const int64_t begin =
          min(AddSizes()(before, ShiftIn<AddSizes>(ends[0])), capacity);
      const int64_t end = min(AddSizes()(before, ends[0]), capacity);
      const int64_t count = end - begin;
      const Word value = ValueAt(segment.first + i);
      WriteRow(out, begin, count < kLongRun ? static_cast<int>(count) : 0,
               value);
      unsigned longs = __ballot_sync(kWholeWarp, count >= kLongRun);
      while (longs != 0) {
        const int lane = __ffs(static_cast<int>(longs)) - 1;
        longs &= longs - 1;
        pieces.Add(ShuffleFrom(begin, lane), ShuffleFrom(count, lane),
                   ShuffleFrom(value, lane));
      }
      before = AddSizes()(before, ShuffleFrom(ends[0], kWarpSize - 1));
    }
  }
};

}  // namespace concord::run_length_decode

#endif  // CONCORD_ALGORITHMS_RUN_LENGTH_DECODE_CUDA_PIPELINED_CUH_
