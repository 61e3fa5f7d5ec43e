// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Every piece is a difference of two prefix sums, so one launch writes all of
// them, which are then sorted: by radix_sort, which looks at no more bits than
// the total mass has.

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>

#include "concord/algorithms/cyclospectrum/cuda/run.cuh"
#include "concord/algorithms/cyclospectrum/cyclospectrum.h"
#include "concord/backends/cuda/launch.cuh"

namespace concord::cyclospectrum {
namespace {

constexpr int kThreads = 256;
// Rows of pieces that are written at the same time; what CUDA allows is 65535.
constexpr int64_t kMostRows = 32768;

template <typename T>
__global__ void __launch_bounds__(kThreads)
    WriteDifferences(const std::make_unsigned_t<T>* sums, int64_t n,
                     T* pieces) {
  const int64_t first = blockIdx.x * int64_t{kThreads} + threadIdx.x;
  if (first >= n) return;
  for (int64_t length = 1 + int64_t{blockIdx.y}; length < n;
       length += gridDim.y) {
    pieces[(length - 1) * n + first] =
        static_cast<T>(sums[first + length] - sums[first]);
  }
}

class CyclospectrumPrefixSort
    : public CyclospectrumBySorting<CyclospectrumPrefixSort> {
 public:
  using CyclospectrumBySorting::CyclospectrumBySorting;

  template <typename T>
  absl::Status WritePieces(const DeviceCircle<T>& circle, const T* /*masses*/,
                           T* pieces) {
    const int64_t n = circle.n;
    return QueueKernel(*backend(), name(), WriteDifferences<T>,
                       {DivideUp(n, kThreads), kThreads, /*shared_bytes=*/0,
                        /*rows=*/std::min(n - 1, kMostRows)},
                       circle.sums, n, pieces);
  }
};

const bool kRegistered = RegisterOnCuda<CyclospectrumPrefixSort>(
    "prefix_sort", /*rank=*/5,
    "all differences of prefix sums, then a radix sort",
    Contract()
        .Types({ElementType::kInt32, ElementType::kInt64})
        .Notes("takes twice as much memory again as the spectrum"));

}  // namespace
}  // namespace concord::cyclospectrum
