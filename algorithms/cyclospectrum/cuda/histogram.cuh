// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Histograms, of the lower half of a spectrum: the upper one mirrors it. One
// launch finds the values that occur, numbers them by decoupled look-back and
// writes them; a second one takes the differences of where they start.

#ifndef CONCORD_ALGORITHMS_CYCLOSPECTRUM_CUDA_HISTOGRAM_CUH_
#define CONCORD_ALGORITHMS_CYCLOSPECTRUM_CUDA_HISTOGRAM_CUH_

#include <cuda_runtime.h>

#include <cstdint>
#include <memory>
#include <utility>

#include "concord/algorithms/cyclospectrum/cyclospectrum.h"
#include "concord/algorithms/cyclospectrum/cuda/block_scan.cuh"
#include "concord/algorithms/cyclospectrum/cuda/circle.cuh"
#include "concord/backends/cuda/cuda_backend.h"
#include "concord/backends/cuda/grid_map.cuh"
#include "concord/backends/cuda/launch.cuh"
#include "concord/backends/cuda/lookback.cuh"
#include "concord/backends/cuda/scratch.cuh"
#include "concord/backends/cuda/tile_words.cuh"

namespace concord::cyclospectrum {

// An entry, if item i begins one.
template <typename T>
struct Entry {
  bool begins;
  T value;
  int64_t start;  // its first place in the spectrum
};

// The items are the elements of a sorted half.
template <typename T>
struct SortedHalf {
  const T* elements;

  __device__ Entry<T> At(int64_t i) const {
    const T value = elements[i];
    return {i == 0 || elements[i - 1] != value, value, i};
  }
};

// The items are values, with the offsets of CountTiles.
template <typename T>
struct CountedHalf {
  const int64_t* offsets;

  __device__ Entry<T> At(int64_t i) const {
    return {offsets[i] < offsets[i + 1], static_cast<T>(i), offsets[i]};
  }
};

inline constexpr int kHistogramThreads = 256;
inline constexpr int kHistogramRows = 8;
inline constexpr int64_t kHistogramItems = kHistogramThreads * kHistogramRows;

// values[k] and starts[k] of entry k, and how many there are.
template <typename Half, typename T>
__global__ void __launch_bounds__(kHistogramThreads)
    NumberEntries(Half half, int64_t items, unsigned long long* counter,
                  StatusWord* statuses, T* values, int64_t* starts,
                  int64_t* entries) {
  constexpr int kWarps = kHistogramThreads / kWarpSize;
  __shared__ TileTicket ticket;
  __shared__ int64_t first_entry;
  if (threadIdx.x == 0) ticket = DrawTile(counter, gridDim.x);
  __syncthreads();
  // Each warp has rows of its own, one behind the other.
  const int64_t begin =
      ticket.tile * kHistogramItems + WarpId() * (kHistogramRows * kWarpSize);
  unsigned masks[kHistogramRows];
  int count = 0;
#pragma unroll
  for (int row = 0; row < kHistogramRows; ++row) {
    const int64_t i = begin + row * kWarpSize + LaneId();
    masks[row] = __ballot_sync(kWholeWarp, i < items && half.At(i).begins);
    count += __popc(masks[row]);
  }
  const SumsOfWarps<int> sums =
      SumByWarps<kWarps * kWarpSize>(LaneId() == 0 ? count : 0);
  if (WarpId() == 0) {
    Lookback<int64_t> lookback(statuses, ticket.epoch);
    int64_t before = 0;
    if (ticket.tile > 0) {
      if (LaneId() == 0) lookback.PublishAggregate(ticket.tile, sums.all);
      before = lookback.template ExclusivePrefix<Add<int64_t>>(ticket.tile);
    }
    if (LaneId() == 0) {
      lookback.PublishPrefix(ticket.tile, before + sums.all);
      first_entry = before;
      if (ticket.tile == gridDim.x - 1) *entries = before + sums.all;
    }
  }
  __syncthreads();
  int64_t entry = first_entry + sums.before;
#pragma unroll
  for (int row = 0; row < kHistogramRows; ++row) {
    if (masks[row] >> LaneId() & 1) {
      const Entry<T> found = half.At(begin + row * kWarpSize + LaneId());
      const int64_t k = entry + __popc(masks[row] & ((1u << LaneId()) - 1));
      values[k] = found.value;
      starts[k] = found.start;
    }
    entry += __popc(masks[row]);
  }
}

// Writes histograms; keeps memory from call to call.
class HistogramWriter {
 public:
  explicit HistogramWriter(std::shared_ptr<CudaBackend> backend)
      : backend_(std::move(backend)), words_(backend_), starts_(backend_) {}

  // Of `items` items.
  template <typename T, typename Half>
  absl::Status Write(const DeviceCircle<T>& circle, Half half, int64_t items,
                     const SpectrumOutputs& to) {
    if (to.out.size() <
        MostDistinct(circle.size(), static_cast<int64_t>(circle.total))) {
      return absl::InvalidArgumentError("'out' has no room for the histogram");
    }
    const int64_t tiles = DivideUp(items, kHistogramItems);
    absl::Status status = words_.Prepare<StatusWord>(tiles);
    status.Update(starts_.Reserve<int64_t>(items + 1));
    if (!status.ok()) return status;
    auto* const entries = starts_.data<int64_t>();
    status =
        QueueKernel(*backend_, "numbering the masses of cyclospectrum",
                    NumberEntries<Half, T>, {tiles, kHistogramThreads}, half,
                    items, words_.counter(), words_.words<StatusWord>(),
                    to.out.data<T>(), entries + 1, entries);
    if (!status.ok()) return status;
    return WriteCounts<T>(circle, items, entries, to.out.data<T>(),
                          to.counts.data<int64_t>(),
                          to.distinct.data<int64_t>());
  }

  // Not private, because it makes a lambda for the device. `most` is the most
  // that *entries can be; their starts follow it.
  template <typename T>
  absl::Status WriteCounts(const DeviceCircle<T>& circle, int64_t most,
                           const int64_t* entries, T* values, int64_t* counts,
                           int64_t* distinct) {
    const int64_t size = circle.size();
    const T total = static_cast<T>(circle.total);
    return QueueMap(
        *backend_, "counts of cyclospectrum", most, [=] __device__(int64_t k) {
          const int64_t lower = *entries;
          if (k >= lower) return;
          const int64_t* const starts = entries + 1;
          // Half of the total mirrors itself.
          const T last = values[lower - 1];
          const bool has_middle = total - last == last;
          const int64_t all = 2 * lower - (has_middle ? 1 : 0);
          if (k == 0) *distinct = all;
          const bool is_middle = has_middle && k == lower - 1;
          const int64_t count = k < lower - 1 ? starts[k + 1] - starts[k]
                                : is_middle   ? size - 2 * starts[k]
                                              : size / 2 - starts[k];
          counts[k] = count;
          if (is_middle) return;
          values[all - 1 - k] = total - values[k];
          counts[all - 1 - k] = count;
        });
  }

 private:
  std::shared_ptr<CudaBackend> backend_;
  TileWords words_;
  // How many entries there are, and where they start.
  Scratch starts_;
};

}  // namespace concord::cyclospectrum

#endif  // CONCORD_ALGORITHMS_CYCLOSPECTRUM_CUDA_HISTOGRAM_CUH_
