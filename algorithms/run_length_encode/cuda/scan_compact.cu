// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The textbook's method (G. E. Blelloch, "Prefix sums and their applications",
// 1990): a flag for each element that starts a run, a scan of the flags, which
// numbers the runs, and a scatter of their values and starts; lengths are the
// differences of neighbouring starts. The scan is in three launches: counts of
// tiles, their scan in one block, ranks within tiles. The array is read twice,
// and the starts are written and read once more.

#include <cuda_runtime.h>

#include <cstdint>

#include "concord/algorithms/run_length_encode/cuda/run.cuh"
#include "concord/algorithms/run_length_encode/run_length_encode.h"
#include "concord/backends/cuda/warp.cuh"
#include "concord/core/operators.h"

namespace concord::run_length_encode {
namespace {

constexpr int kThreads = 256;
constexpr int kWarps = kThreads / kWarpSize;
constexpr int kRounds = 16;
constexpr int64_t kTile = int64_t{kThreads} * kRounds;

// The scan of the counts of tiles, in one block of the largest size.
constexpr int kScanThreads = 1024;

template <typename Word>
__device__ bool StartsRun(const Word* in, int64_t i, int64_t n) {
  return i < n && (i == 0 || in[i] != in[i - 1]);
}

// Each of `kCount` warps of a block has a sum; returns that of the warps before
// the caller's, and sets `total` to that of all. Twice in a row it needs a
// barrier in between.
template <int kCount>
__device__ int64_t SumBefore(int64_t sum, int64_t& total) {
  static_assert(kCount <= kWarpSize);
  __shared__ int64_t sums[kCount];
  if (LaneId() == 0) sums[WarpId()] = sum;
  __syncthreads();
  int64_t before = 0;
  total = 0;
#pragma unroll
  for (int w = 0; w < kCount; ++w) {
    before += w < WarpId() ? sums[w] : 0;
    total += sums[w];
  }
  return before;
}

template <typename Word>
__global__ void CountStarts(const Word* in, int64_t n, int64_t* counts) {
  const int64_t first = blockIdx.x * kTile;
  int count = 0;
  for (int round = 0; round < kRounds; ++round) {
    const int64_t i = first + round * kThreads + threadIdx.x;
    count += __popc(__ballot_sync(kWholeWarp, StartsRun(in, i, n)));
  }
  int64_t total;
  SumBefore<kWarps>(count, total);
  if (threadIdx.x == 0) counts[blockIdx.x] = total;
}

// The counts become those of what precedes them.
__global__ void ScanCounts(int64_t* counts, int64_t tiles, int64_t* runs) {
  int64_t sum = 0;
  for (int64_t first = 0; first < tiles; first += kScanThreads) {
    const int64_t tile = first + threadIdx.x;
    const int64_t count = tile < tiles ? counts[tile] : 0;
    int64_t scanned[1] = {count};
    WarpInclusiveScan<Add<int64_t>>(scanned);
    int64_t total;
    const int64_t before = SumBefore<kScanThreads / kWarpSize>(
        ShuffleFrom(scanned[0], kWarpSize - 1), total);
    if (tile < tiles) counts[tile] = sum + before + scanned[0] - count;
    sum += total;
    __syncthreads();  // before SumBefore writes again
  }
  if (threadIdx.x == 0) *runs = sum;
}

template <typename Word, typename Length>
__global__ void ScatterStarts(const Word* in, int64_t n, const int64_t* counts,
                              Word* values, Length* starts) {
  int64_t rank = counts[blockIdx.x];
  for (int round = 0; round < kRounds; ++round) {
    const int64_t i = blockIdx.x * kTile + round * kThreads + threadIdx.x;
    const bool starts_run = StartsRun(in, i, n);
    const unsigned ballot = __ballot_sync(kWholeWarp, starts_run);
    int64_t total;
    const int64_t before = SumBefore<kWarps>(__popc(ballot), total);
    if (starts_run) {
      const int64_t run =
          rank + before + __popc(ballot & ((1u << LaneId()) - 1));
      values[run] = in[i];
      starts[run] = static_cast<Length>(i);
    }
    rank += total;
    __syncthreads();  // before SumBefore writes again
  }
}

template <typename Length>
__global__ void SubtractStarts(const Length* starts, const int64_t* runs,
                               int64_t n, Length* lengths) {
  const int64_t count = *runs;
  for (int64_t k = blockIdx.x * int64_t{kThreads} + threadIdx.x; k < count;
       k += int64_t{gridDim.x} * kThreads) {
    const int64_t end = k + 1 < count ? starts[k + 1] : n;
    lengths[k] = static_cast<Length>(end - starts[k]);
  }
}

class RunLengthEncodeScanCompact
    : public RunLengthEncodeOnCuda<RunLengthEncodeScanCompact> {
 public:
  using RunLengthEncodeOnCuda::RunLengthEncodeOnCuda;

  template <typename Word, typename Length>
  absl::Status Launch(ConstArrayView in_view, const Outputs& out) {
    const Word* const in = in_view.data<Word>();
    const int64_t n = in_view.size();
    const int64_t tiles = DivideUp(n, kTile);
    const int64_t count_bytes = tiles * static_cast<int64_t>(sizeof(int64_t));
    absl::Status status = scratch().Reserve(
        count_bytes + n * static_cast<int64_t>(sizeof(Length)));
    if (!status.ok()) return status;
    auto* const counts = scratch().data<int64_t>();
    auto* const starts = scratch().data<Length>(count_bytes);
    auto* const runs = out.runs.data<int64_t>();
    const LaunchShape shape = {tiles, kThreads};
    status = Queue(CountStarts<Word>, shape, in, n, counts);
    status.Update(Queue(ScanCounts, {1, kScanThreads}, counts, tiles, runs));
    status.Update(Queue(ScatterStarts<Word, Length>, shape, in, n, counts,
                        out.values.data<Word>(), starts));
    status.Update(Queue(SubtractStarts<Length>, shape, starts, runs, n,
                        out.lengths.data<Length>()));
    return status;
  }
};

const bool kRegistered = RegisterOnCuda<RunLengthEncodeScanCompact>(
    "scan_compact", /*rank=*/1, "flags, scan, scatter",
    Contract()
        .SpecialValues("floats are equal when their bits are")
        .Boundaries({kTile, (kTile * kScanThreads)})
        .Notes("needs memory for as many lengths as there are elements"));

}  // namespace
}  // namespace concord::run_length_encode
