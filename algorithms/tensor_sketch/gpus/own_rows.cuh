// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0
//
// The words of DNA of whole sequences, which members share out by themselves.
// Of the line on which all rows lie (cuda/pieces.cuh) each has an equal part,
// finds the rows that begin there, and counts them as cuda/word_counts does. So
// the host waits for nothing, and queues one kernel for each member.
//
// A sketch is added up in shared memory and stored as a whole: it may cross a
// link, where single additions would be slow.

#ifndef CONCORD_ALGORITHMS_TENSOR_SKETCH_GPUS_OWN_ROWS_CUH_
#define CONCORD_ALGORITHMS_TENSOR_SKETCH_GPUS_OWN_ROWS_CUH_

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "concord/algorithms/tensor_sketch/cuda/pieces.cuh"
#include "concord/algorithms/tensor_sketch/cuda/run.cuh"
#include "concord/algorithms/tensor_sketch/cuda/word_worker.cuh"
#include "concord/algorithms/tensor_sketch/cuts.h"
#include "concord/backends/cuda/launch.cuh"
#include "concord/backends/gpus/gpus_backend.h"
#include "concord/backends/gpus/group_launch.cuh"
#include "concord/core/errors.h"

namespace concord::tensor_sketch {

// Of the longest sketch that finds room where a warp counts letters: 532.
inline constexpr int kMostOwnDim =
    sizeof(WarpScratch<uint64_t>) / sizeof(uint64_t);

// The first row that begins at a point of the line, or behind it. All lanes of
// a warp call it together.
__device__ inline int64_t FirstRowFrom(const Line& line, int64_t point) {
  const int64_t row = RowAt(line, point);
  return row + (line.Start(row) < point);
}

// The line of rows [first, last), cut in spans for so many warps.
__device__ inline Line PartOf(const RowsOnGpu& rows, int64_t first,
                              int64_t last, int64_t warps) {
  Line part = {{rows.begins + first, rows.ends + first, last - first, 0},
               kLeastWordSpan,
               rows.begins[first]};
  const int64_t length = part.Start(part.rows.count);
  part.span = max(part.span, (length + warps - 1) / warps);
  return part;
}

// Counts a span, and stores the sketches of the rows that are complete with it.
// The first row of the line is number `first` of the output.
__device__ __forceinline__ void SketchSpan(const SketchProblem& problem,
                                           const Line& line, int64_t first,
                                           int64_t span, const Place* places,
                                           WarpScratch<uint64_t>* scratch,
                                           uint64_t* slots,
                                           unsigned* arrivals) {
  WordWorker<uint64_t> worker(&scratch[WarpId()], slots);
  CountSpan(problem.letters, line, span, arrivals, &worker, [&](int64_t row) {
    // Between one row and the next, nothing else is kept there.
    auto* const sketch = reinterpret_cast<uint64_t*>(&scratch[WarpId()]);
    const int dim = problem.tables.dim;
    uint64_t* const out =
        static_cast<uint64_t*>(problem.out) + (first + row) * dim;
    __syncwarp();
    for (int i = LaneId(); i < dim; i += kWarpSize) sketch[i] = 0;
    __syncwarp();
    worker.Hash(places, problem.tables.t, sketch, 0);
    __syncwarp();
    for (int i = LaneId(); i < dim; i += kWarpSize) out[i] = sketch[i];
    __syncwarp();
  });
}

// [from, to) is the member's part of the line. There are slots and counters of
// arrivals for as many spans as the kernel has warps.
template <typename = void>
__global__ void __launch_bounds__(kWordThreads, kWordBlocks)
    CountOwnRows(const __grid_constant__ SketchProblem problem, int64_t from,
                 int64_t to, uint64_t* slots, unsigned* arrivals) {
  __shared__ WarpScratch<uint64_t> scratch[kWordWarps];
  __shared__ Place places[kWords];
  __shared__ int tables[2][kLetters * kLongestWord];
  __shared__ int64_t cuts[2];
  // In registers it would be in the way of those who count.
  __shared__ Line own;

  // What lies with another member is asked for once, and all at the same time.
  const int of_tables = problem.tables.alphabet_size * problem.tables.t;
  if (threadIdx.x < of_tables) {
    tables[0][threadIdx.x] = problem.tables.hashes[threadIdx.x];
    tables[1][threadIdx.x] = problem.tables.signs[threadIdx.x];
  }
  if (WarpId() < 2) {
    const int64_t row =
        FirstRowFrom({problem.rows, 0, 0}, WarpId() == 0 ? from : to);
    if (LaneId() == 0) cuts[WarpId()] = row;
  }
  __syncthreads();
  if (cuts[0] == cuts[1]) return;
  if (threadIdx.x == 0) {
    own = PartOf(problem.rows, cuts[0], cuts[1], gridDim.x * kWordWarps);
  }
  FindPlaces({tables[0], tables[1], problem.tables.alphabet_size,
              problem.tables.t, problem.tables.dim},
             places);
  __syncthreads();

  const int64_t span = int64_t{blockIdx.x} * kWordWarps + WarpId();
  if (span * own.span >= own.Start(own.rows.count)) return;
  SketchSpan(problem, own, cuts[0], span, places, scratch, slots, arrivals);
}

// Queues that kernel on all members, and keeps what it needs from call to call.
class OwnRows {
 public:
  explicit OwnRows(std::shared_ptr<GpusBackend> backend)
      : backend_(std::move(backend)) {
    for (int i = 0; i < backend_->members(); ++i) {
      memory_.emplace_back(backend_->member(i));
    }
  }

  // Whether it can make these sketches.
  static bool Makes(const TensorSketch::Options& options) {
    return options.window == 0 && !options.normalized &&
           AreWordsOfDna(options.alphabet_size, options.t) &&
           options.dim <= kMostOwnDim;
  }

  absl::Status Queue(const ConstArrayView& letters,
                     const ConstArrayView& offsets,
                     const ConstArrayView& hashes, const ConstArrayView& signs,
                     const ArrayView& out, const TensorSketch::Options& options,
                     absl::string_view what) {
    const auto* const begins = offsets.data<int64_t>();
    const SketchProblem problem = {
        letters.data<uint8_t>(),
        letters.size(),
        {begins, begins + 1, offsets.size() - 1, 0},
        {hashes.data<int>(), signs.data<int>(), options.alphabet_size,
         options.t, options.dim},
        /*normalized=*/false,
        out.data()};
    const int64_t length = problem.size + kRowCost * problem.rows.count;
    const int members = backend_->members();
    return backend_->RunTogether(
        SetOf(members, [](int) { return true; }), [&](int i) -> absl::Status {
          const CudaBackend& member = *backend_->member(i);
          // A member may have all but one letter: whole rows are its own.
          const int64_t blocks =
              std::min(int64_t{kWordBlocks} * member.multiprocessors(),
                       DivideUp(length, kLeastWordSpan * kWordWarps));
          RETURN_IF_ERROR(memory_[i].Prepare(blocks * kWordWarps, kSlotSize));
          return QueueKernel(member, what, CountOwnRows<>,
                             {blocks, kWordThreads}, problem,
                             CostOfParts(length, i, members),
                             CostOfParts(length, i + 1, members),
                             memory_[i].slots(), memory_[i].arrivals());
        });
  }

 private:
  const std::shared_ptr<GpusBackend> backend_;
  std::vector<PieceMemory> memory_;
};

}  // namespace concord::tensor_sketch

#endif  // CONCORD_ALGORITHMS_TENSOR_SKETCH_GPUS_OWN_ROWS_CUH_
