// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0
//
// How rows of any lengths are dealt out in equal parts, and how the parts of a
// row come together again.
//
// Lay the rows, sequences or windows, on a line, each as long as it has letters
// (windows all as long as the longest) plus a constant that stands for the work
// of opening and closing it. Cut the line in spans of equal length, one for
// each worker. A span holds whole rows, and pieces of at most two longer ones.
// All of this follows from the offsets, so there is nothing to prepare and
// nothing that the host has to see.
//
// The pieces of a row are the leaves of a binary tree. Of two neighbours
// the one that arrives last joins both and climbs on; the first one leaves. The
// one that arrives at the root has the whole row.

#ifndef CONCORD_ALGORITHMS_TENSOR_SKETCH_CUDA_PIECES_CUH_
#define CONCORD_ALGORITHMS_TENSOR_SKETCH_CUDA_PIECES_CUH_

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>

#include "concord/algorithms/tensor_sketch/cuda/run.cuh"
#include "concord/backends/cuda/scratch.cuh"
#include "concord/backends/cuda/warp.cuh"

namespace concord::tensor_sketch {

// A row of no letters costs about as much as a block of 256 of them.
inline constexpr int64_t kRowCost = 256;

// Into how many spans of which length the host cuts the line.
struct Cut {
  int64_t span;
  int64_t spans;
};

// Whether the line is of a length that an int64 holds. Of many windows that are
// said to be longer than all sequences it may not be.
inline bool LineFits(const SketchProblem& problem) {
  constexpr int64_t kMostLength = std::numeric_limits<int64_t>::max() / 2;
  return problem.rows.count == 0 ||
         problem.rows.window <= kMostLength / problem.rows.count - kRowCost;
}

inline Cut CutLine(const SketchProblem& problem, int64_t least_span,
                   int64_t most_spans) {
  const int64_t letters = problem.rows.window == 0
                              ? problem.size
                              : problem.rows.window * problem.rows.count;
  const int64_t length = letters + kRowCost * problem.rows.count;
  const int64_t span = std::max(least_span, DivideUp(length, most_spans));
  return {span, DivideUp(length, span)};
}

struct Line {
  RowsOnGpu rows;
  int64_t span;  // its length on the line
  // The letter at which the line begins, unless rows are windows.
  int64_t origin;

  __device__ int64_t Start(int64_t row) const {
    return (rows.window == 0 ? rows.begins[row] - origin : row * rows.window) +
           kRowCost * row;
  }
};

// Where a span cuts a row.
struct Piece {
  int64_t begin, end;  // letters
  int64_t first_span;  // that holds a piece of the row
  int64_t index;       // of this piece in the row
  int64_t count;       // of pieces of the row
};

// The row at a point of the line that the rows cover. All lanes of a warp call
// it together: each probes one place in 33.
__device__ inline int64_t RowAt(const Line& line, int64_t point) {
  int64_t first = 0;
  int64_t last = line.rows.count;
  while (last - first > 1) {
    const int64_t step = (last - first + kWarpSize) / (kWarpSize + 1);
    const int64_t probe = first + (LaneId() + 1) * step;
    const bool not_after = probe < last && line.Start(probe) <= point;
    first += step * __popc(__ballot_sync(kWholeWarp, not_after));
    last = min(last, first + step);
  }
  return first;
}

__device__ inline Piece PieceOf(const Line& line, int64_t row, int64_t span) {
  const int64_t letters = line.rows.begins[row];
  const int64_t end = line.rows.ends[row];
  const int64_t start = line.Start(row);
  const int64_t length =
      line.rows.window == 0 ? end - letters : line.rows.window;
  const int64_t stop = start + length + kRowCost;
  const int64_t from = span * line.span;
  const int64_t to = from + line.span;
  // Most rows are whole: they need none of the divisions.
  if (start >= from && stop <= to) return {letters, end, span, 0, 1};
  const int64_t first = start / line.span;
  const int64_t opened = start + kRowCost;
  return {letters + min(max(from - opened, int64_t{0}), end - letters),
          letters + min(max(to - opened, int64_t{0}), end - letters), first,
          span - first, (stop - 1) / line.span - first + 1};
}

// Where the piece of that number keeps its counts. Two pieces of one span are
// the end of one row and the beginning of another.
__device__ inline int64_t SlotOf(const Piece& piece, int64_t index) {
  return 2 * (piece.first_span + index) + (index == 0);
}

// Joins the counts of a piece with those of the other pieces of its row.
// True for the one worker that has them all in the end. `Worker` knows how to
//   Store(slot), Load(slot)   put away its counts; get those of another
//   Append(), Prepend()       join what was loaded after or before its own
//   Arrive(counter)           how many were there before, for all its threads;
//                             the second to arrive makes it zero again
// `arrivals` has a counter for each span, all of them zero before and after.
template <typename Worker>
__device__ bool JoinPieces(const Piece& piece, unsigned* arrivals,
                           Worker* worker) {
  for (int64_t width = 1; width < piece.count; width *= 2) {
    const int64_t left = piece.index & ~(2 * width - 1);
    const int64_t right = left + width;
    if (right >= piece.count) continue;
    const bool is_left = piece.index < right;
    worker->Store(SlotOf(piece, is_left ? left : right));
    // No other pair of neighbours has a right one that begins in this span.
    if (worker->Arrive(arrivals + piece.first_span + right) == 0) return false;
    worker->Load(SlotOf(piece, is_left ? right : left));
    if (is_left) {
      worker->Append();
    } else {
      worker->Prepend();
    }
  }
  return true;
}

// Counts the pieces of a span; calls done(row) where that completes a row.
template <typename Worker, typename Done>
__device__ void CountSpan(const uint8_t* letters, const Line& line,
                          int64_t span, unsigned* arrivals, Worker* worker,
                          const Done& done) {
  const int64_t end = (span + 1) * line.span;
  for (int64_t i = RowAt(line, span * line.span);
       i < line.rows.count && line.Start(i) < end; ++i) {
    const Piece piece = PieceOf(line, i, span);
    worker->CountPiece(letters + piece.begin, letters + piece.end);
    if (JoinPieces(piece, arrivals, worker)) done(i);
  }
}

// What the pieces need on the device from call to call.
class PieceMemory {
 public:
  explicit PieceMemory(const std::shared_ptr<CudaBackend>& backend)
      : slots_(backend), arrivals_(backend) {}

  // Room for the slots of that many spans, each slot of `slot_size` counts, and
  // counters of arrivals, which are zero between calls.
  absl::Status Prepare(int64_t spans, int64_t slot_size) {
    absl::Status status = slots_.Reserve<uint64_t>(2 * spans * slot_size);
    status.Update(arrivals_.Reserve<unsigned>(spans));
    return status;
  }

  uint64_t* slots() const { return slots_.data<uint64_t>(); }
  unsigned* arrivals() const { return arrivals_.data<unsigned>(); }

 private:
  Scratch slots_, arrivals_;
};

}  // namespace concord::tensor_sketch

#endif  // CONCORD_ALGORITHMS_TENSOR_SKETCH_CUDA_PIECES_CUH_
