// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include <cuda_runtime.h>

#include <algorithm>

#include "concord/algorithms/cyclospectrum/cuda/sorter.cuh"
#include "concord/backends/cuda/grid_map.cuh"
#include "concord/backends/cuda/launch.cuh"
#include "concord/core/errors.h"
#include "concord/core/registry.h"

namespace concord::cyclospectrum {
namespace {

constexpr int kThreads = 256;
// Rows of pieces that are written at the same time; what CUDA allows is 65535.
constexpr int64_t kMostRows = 32768;

// Of each piece and what it lacks of the circle, one stands for both: of those
// of fewer than n / 2 masses each, of those of n / 2 masses every second. The
// lighter one's mass is written, after that of the piece of no masses.
template <typename T>
__global__ void __launch_bounds__(kThreads)
    WriteLighterHalf(DeviceCircle<T> circle, T* half) {
  using Mass = typename DeviceCircle<T>::Mass;
  const int64_t first = blockIdx.x * int64_t{kThreads} + threadIdx.x;
  if (first == 0 && blockIdx.y == 0) half[0] = 0;
  const int64_t n = circle.n;
  for (int64_t length = 1 + int64_t{blockIdx.y}; 2 * length <= n;
       length += gridDim.y) {
    if (first >= (2 * length == n ? length : n)) continue;
    const Mass mass = circle.sums[first + length] - circle.sums[first];
    half[1 + (length - 1) * n + first] =
        static_cast<T>(min(mass, circle.total - mass));
  }
}

}  // namespace

SpectrumSorter::SpectrumSorter(std::shared_ptr<CudaBackend> backend)
    : backend_(backend),
      sort_(Registry<RadixSort>::Get().Create(backend)),
      histogram_(backend) {}

absl::Status SpectrumSorter::Sort(ConstArrayView pieces, ArrayView sorted,
                                  std::uint64_t largest) {
  if (!sort_.ok()) return sort_.status();
  RadixSort::Options options;
  options.end_bit = 1;
  while (largest >> options.end_bit != 0) ++options.end_bit;
  return (*sort_)->Run(pieces, NoValues(), sorted, NoValues(), options);
}

template <typename T>
absl::Status SpectrumSorter::Write(const DeviceCircle<T>& circle,
                                   ConstArrayView pieces,
                                   const SpectrumOutputs& to) {
  if (to.as == Cyclospectrum::As::kSpectrum) {
    return Sort(pieces, to.out, circle.total);
  }
  ASSIGN_OR_RETURN(Array sorted,
                   backend_->Allocate(pieces.type(), pieces.size()));
  RETURN_IF_ERROR(Sort(pieces, sorted.view(), circle.total));
  return histogram_.Write(circle, SortedHalf<T>{sorted.data<T>()},
                          circle.size() / 2, to);
}

template <typename T>
absl::Status SpectrumSorter::WriteFromHalf(const DeviceCircle<T>& circle,
                                           const SpectrumOutputs& to) {
  const int64_t half = circle.size() / 2;
  const bool as_spectrum = to.as == Cyclospectrum::As::kSpectrum;
  // The upper half of the spectrum is where the pieces can wait.
  Array memory;
  if (!as_spectrum) {
    ASSIGN_OR_RETURN(memory, backend_->Allocate(to.out.type(), 2 * half));
  }
  const ArrayView both = as_spectrum ? to.out : memory.view();
  const ArrayView sorted = both.Slice(0, half);
  const ArrayView pieces = both.Slice(half, half);
  absl::Status status = QueueKernel(
      *backend_, "half of the pieces of cyclospectrum", WriteLighterHalf<T>,
      {circle.n / kThreads + 1, kThreads, /*shared_bytes=*/0,
       /*rows=*/std::clamp<int64_t>(circle.n / 2, 1, kMostRows)},
      circle, pieces.data<T>());
  if (status.ok()) status = Sort(pieces, sorted, circle.total / 2);
  if (!status.ok()) return status;
  T* const elements = sorted.data<T>();
  if (!as_spectrum) {
    return histogram_.Write(circle, SortedHalf<T>{elements}, half, to);
  }
  const int64_t last = 2 * half - 1;
  const T total = static_cast<T>(circle.total);
  return QueueMap(
      *backend_, "the mirror image of cyclospectrum", half,
      [=] __device__(int64_t i) { elements[last - i] = total - elements[i]; });
}

template absl::Status SpectrumSorter::Write(
    const DeviceCircle<std::int32_t>& circle, ConstArrayView pieces,
    const SpectrumOutputs& to);
template absl::Status SpectrumSorter::Write(
    const DeviceCircle<std::int64_t>& circle, ConstArrayView pieces,
    const SpectrumOutputs& to);
template absl::Status SpectrumSorter::WriteFromHalf(
    const DeviceCircle<std::int32_t>& circle, const SpectrumOutputs& to);
template absl::Status SpectrumSorter::WriteFromHalf(
    const DeviceCircle<std::int64_t>& circle, const SpectrumOutputs& to);

}  // namespace concord::cyclospectrum
