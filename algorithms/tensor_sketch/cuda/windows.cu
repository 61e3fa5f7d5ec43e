// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0
//
// Where the windows of sequences lie, for all CUDA implementations.

#include <cub/block/block_scan.cuh>

#include "concord/algorithms/tensor_sketch/cuda/run.cuh"

namespace concord::tensor_sketch {
namespace {

constexpr int kThreads = 1024;

// Sequences that are cut in windows, as in TensorSketch.
struct Windows {
  const int64_t* offsets;
  int64_t sequences;
  int64_t window, stride;

  __device__ int64_t Of(int64_t sequence) const {
    const int64_t letters = offsets[sequence + 1] - offsets[sequence];
    return letters < window ? 1 : 1 + (letters - window) / stride;
  }
};

// first[i] = the windows of the sequences before sequence i. One block, for
// there are few sequences compared with letters.
__global__ void __launch_bounds__(kThreads)
    SumWindows(Windows windows, int64_t* first) {
  using Scan = cub::BlockScan<int64_t, kThreads>;
  __shared__ typename Scan::TempStorage scratch;
  int64_t before = 0;
  for (int64_t tile = 0; tile < windows.sequences; tile += kThreads) {
    const int64_t sequence = tile + threadIdx.x;
    const bool is_one = sequence < windows.sequences;
    int64_t sum, total;
    Scan(scratch).ExclusiveSum(is_one ? windows.Of(sequence) : 0, sum, total);
    if (is_one) first[sequence] = before + sum;
    before += total;
    __syncthreads();
  }
  if (threadIdx.x == 0) first[windows.sequences] = before;
}

__global__ void WriteWindows(Windows windows, const int64_t* first,
                             int64_t count, int64_t* begins, int64_t* ends) {
  const int64_t row = int64_t{blockIdx.x} * kThreads + threadIdx.x;
  if (row >= count) return;
  if (row >= first[windows.sequences]) {
    begins[row] = ends[row] = 0;
    return;
  }
  // The last sequence that begins at or before the row.
  int64_t low = 0;
  int64_t high = windows.sequences;
  while (high - low > 1) {
    const int64_t middle = low + (high - low) / 2;
    (first[middle] <= row ? low : high) = middle;
  }
  const int64_t begin =
      windows.offsets[low] + (row - first[low]) * windows.stride;
  begins[row] = begin;
  ends[row] = min(begin + windows.window, windows.offsets[low + 1]);
}

}  // namespace

absl::StatusOr<RowsOnGpu> FindWindows(ConstArrayView offsets, int64_t count,
                                      const TensorSketch::Options& options,
                                      const CudaBackend& backend,
                                      Scratch* scratch) {
  const Windows windows = {offsets.data<int64_t>(), offsets.size() - 1,
                           options.window, options.stride};
  absl::Status status = scratch->Reserve<int64_t>(offsets.size() + 2 * count);
  if (!status.ok()) return status;
  auto* const first = scratch->data<int64_t>();
  int64_t* const begins = first + offsets.size();
  int64_t* const ends = begins + count;
  constexpr char kWhat[] = "the windows of tensor_sketch";
  status =
      QueueKernel(backend, kWhat, SumWindows, {1, kThreads}, windows, first);
  status.Update(QueueKernel(backend, kWhat, WriteWindows,
                            {DivideUp(count, kThreads), kThreads}, windows,
                            first, count, begins, ends));
  if (!status.ok()) return status;
  return RowsOnGpu{begins, ends, count, options.window};
}

}  // namespace concord::tensor_sketch
