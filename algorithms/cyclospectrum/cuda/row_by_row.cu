// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The optimised kernel of "Non-linear Thinking with CUDA" (2016): one launch
// for all pieces of the same number of masses, each of which is the one from
// the launch before and a mass more. There it is the host that sorts.

#include <cuda_runtime.h>

#include <cstdint>

#include "concord/algorithms/cyclospectrum/cuda/run.cuh"
#include "concord/algorithms/cyclospectrum/cyclospectrum.h"

namespace concord::cyclospectrum {
namespace {

// The article's.
constexpr int kThreads = 256;

// The pieces of `length` + 1 masses.
template <typename T>
__global__ void AddMass(const T* masses, int64_t n, int64_t length, T* pieces) {
  const int64_t first = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
  if (first >= n) return;
  const int64_t last = first + length;
  const T shorter = length == 0 ? T{0} : pieces[(length - 1) * n + first];
  pieces[length * n + first] = shorter + masses[last >= n ? last - n : last];
}

class CyclospectrumRowByRow
    : public CyclospectrumBySorting<CyclospectrumRowByRow> {
 public:
  using CyclospectrumBySorting::CyclospectrumBySorting;

  template <typename T>
  absl::Status WritePieces(const DeviceCircle<T>& circle, const T* masses,
                           T* pieces) {
    const LaunchShape shape = {DivideUp(circle.n, kThreads), kThreads};
    absl::Status status;
    for (int64_t length = 0; length < circle.n - 1 && status.ok(); ++length) {
      status = Queue(AddMass<T>, shape, masses, circle.n, length, pieces);
    }
    return status;
  }
};

const bool kRegistered = RegisterOnCuda<CyclospectrumRowByRow>(
    "row_by_row", /*rank=*/3,
    "the article's second kernel, each piece from the one before it; a radix "
    "sort",
    Contract()
        .Types({ElementType::kInt32, ElementType::kInt64})
        .Boundaries({int64_t{kThreads} * kThreads})
        .Notes("one launch for each number of masses; takes twice as much "
               "memory again as the spectrum"));

}  // namespace
}  // namespace concord::cyclospectrum
