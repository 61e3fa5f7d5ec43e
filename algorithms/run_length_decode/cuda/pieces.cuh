// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Parts of long runs, which one launch leaves to the next.

#ifndef CONCORD_ALGORITHMS_RUN_LENGTH_DECODE_CUDA_PIECES_CUH_
#define CONCORD_ALGORITHMS_RUN_LENGTH_DECODE_CUDA_PIECES_CUH_

#include <cstdint>

#include "concord/algorithms/run_length_decode/cuda/lengths.cuh"
#include "concord/backends/cuda/dependent_launch.cuh"
#include "concord/backends/cuda/last_block.cuh"
#include "concord/backends/cuda/warp.cuh"

namespace concord::run_length_decode {

// Runs from this length on are cut.
inline constexpr int kLongRun = 1024;
inline constexpr int kPieceElements = 8192;

// So many elements of the output from `first` on.
template <typename Word>
struct PieceOfRun {
  int64_t first;
  int32_t count;
  Word value;
};

// In any order.
template <typename Word>
struct PiecesOfRuns {
  PieceOfRun<Word>* piece;
  unsigned* count;
  unsigned room;

  // Of `capacity` results: a run that is cut has at least kLongRun of them.
  static int64_t Most(int64_t capacity) {
    return capacity / kPieceElements + capacity / kLongRun + 1;
  }

  // Adds those of a run; a whole warp calls it.
  __device__ void Add(int64_t first, int64_t count_of_run, Word value) const {
    const auto pieces = static_cast<unsigned>(
        (count_of_run + kPieceElements - 1) / kPieceElements);
    unsigned at = 0;
    if (LaneId() == 0) at = atomicAdd(count, pieces);
    at = ShuffleFrom(at, 0);
    for (unsigned i = LaneId(); i < pieces && at + i < room; i += kWarpSize) {
      const int64_t begin = int64_t{i} * kPieceElements;
      piece[at + i] = {first + begin,
                       static_cast<int32_t>(
                           min(count_of_run - begin, int64_t{kPieceElements})),
                       value};
    }
  }
};

inline constexpr int kFillThreads = 256;

// Fills the pieces, and makes the list an empty one again. `arrivals` is that
// of ArriveLast.
template <typename Word>
__global__ void __launch_bounds__(kFillThreads)
    FillPieces(PiecesOfRuns<Word> pieces, Word* out, unsigned* arrivals) {
  constexpr int kShare = kPieceElements / (kFillThreads / kWarpSize);
  StartBesideGridBefore();
  const unsigned count = min(*pieces.count, pieces.room);
  for (unsigned i = blockIdx.x; i < count; i += gridDim.x) {
    const PieceOfRun<Word> piece = pieces.piece[i];
    const int begin = min(WarpId() * kShare, piece.count);
    const int end = min(begin + kShare, piece.count);
    FillByWarp(out + piece.first + begin, end - begin, piece.value);
  }
  __syncthreads();  // all threads of the block have read the count
  if (ArriveLast(arrivals) && threadIdx.x == 0) *pieces.count = 0;
}

}  // namespace concord::run_length_decode

#endif  // CONCORD_ALGORITHMS_RUN_LENGTH_DECODE_CUDA_PIECES_CUH_
