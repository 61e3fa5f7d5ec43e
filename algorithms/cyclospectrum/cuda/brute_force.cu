// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The first kernel of "Non-linear Thinking with CUDA" (2016): a thread for each
// piece adds up its masses, which together takes n^3 / 2 additions. There it is
// the host that sorts.

#include <cuda_runtime.h>

#include <cstdint>

#include "concord/algorithms/cyclospectrum/cuda/run.cuh"
#include "concord/algorithms/cyclospectrum/cyclospectrum.h"
#include "concord/backends/cuda/launch.cuh"

namespace concord::cyclospectrum {
namespace {

// The article's blocks: 16 starts of 16 lengths.
constexpr int kEdge = 16;

// Some seconds.
constexpr std::int64_t kMostMasses = 20000;

template <typename T>
__global__ void AddUpPieces(const T* masses, int64_t n, T* pieces) {
  const int64_t first = blockIdx.x * int64_t{kEdge} + threadIdx.x;
  const int64_t length = blockIdx.y * int64_t{kEdge} + threadIdx.y;
  if (first >= n || length >= n - 1) return;
  T piece = 0;
  for (int64_t i = first; i <= first + length; ++i) {
    piece += masses[i >= n ? i - n : i];
  }
  pieces[length * n + first] = piece;
}

class CyclospectrumBruteForce
    : public CyclospectrumBySorting<CyclospectrumBruteForce> {
 public:
  using CyclospectrumBySorting::CyclospectrumBySorting;

  template <typename T>
  absl::Status WritePieces(const DeviceCircle<T>& circle, const T* masses,
                           T* pieces) {
    const int64_t blocks = DivideUp(circle.n, kEdge);
    return QueueKernel(
        *backend(), name(), AddUpPieces<T>,
        {blocks, dim3(kEdge, kEdge), /*shared_bytes=*/0, /*rows=*/blocks},
        masses, circle.n, pieces);
  }
};

const bool kRegistered = RegisterOnCuda<CyclospectrumBruteForce>(
    "brute_force", /*rank=*/1,
    "the article's first kernel, a thread for each piece; a radix sort",
    Contract()
        .Types({ElementType::kInt32, ElementType::kInt64})
        .AtMost(kMostMasses)
        .Boundaries({(kEdge * kEdge)})
        .Notes("n^3 / 2 additions; takes twice as much memory again as the "
               "spectrum"));

}  // namespace
}  // namespace concord::cyclospectrum
