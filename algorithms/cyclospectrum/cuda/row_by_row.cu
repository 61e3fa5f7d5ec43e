// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The optimised kernel of "Non-linear Thinking with CUDA" (2016): one launch
// for all pieces of the same number of masses, each of which is the one from
// the launch before and a mass more. There it is the host that sorts.

#include <cuda_runtime.h>

#include <cstdint>
#include <memory>
#include <utility>

#include "concord/algorithms/cyclospectrum/cyclospectrum.h"
#include "concord/algorithms/cyclospectrum/cuda/sorter.cuh"
#include "concord/backends/cuda/cuda_status.h"
#include "concord/core/registry.h"

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

class CyclospectrumRowByRow : public CyclospectrumBySorting {
 public:
  explicit CyclospectrumRowByRow(std::shared_ptr<CudaBackend> backend)
      : CyclospectrumBySorting(std::move(backend),
                               "cyclospectrum/cuda/row_by_row") {}

 private:
  absl::Status WritePieces(ConstArrayView masses, const void* /*sums*/,
                           ArrayView pieces) override {
    return DispatchMasses(masses.type(), [&](auto tag) {
      using T = decltype(tag);
      const int64_t n = masses.size();
      const auto blocks = static_cast<unsigned>((n + kThreads - 1) / kThreads);
      for (int64_t length = 0; length < n - 1; ++length) {
        AddMass<T><<<blocks, kThreads, 0, backend().stream()>>>(
            masses.data<T>(), n, length, pieces.data<T>());
      }
      return LaunchStatus("cyclospectrum/cuda/row_by_row");
    });
  }
};

Contract MakeContract() {
  Contract contract;
  contract.element_types = {ElementType::kInt32, ElementType::kInt64};
  contract.boundaries = {int64_t{kThreads} * kThreads};
  contract.notes =
      "one launch for each number of masses; takes twice as much memory again "
      "as the spectrum";
  return contract;
}

const bool kRegistered = Registry<Cyclospectrum>::Get().Add(
    "cuda", "row_by_row", /*rank=*/3,
    "the article's second kernel, each piece from the one before it; a radix "
    "sort",
    MakeContract(), [](std::shared_ptr<Backend> backend) {
      return std::make_unique<CyclospectrumRowByRow>(
          AsCuda(std::move(backend)));
    });

}  // namespace
}  // namespace concord::cyclospectrum
