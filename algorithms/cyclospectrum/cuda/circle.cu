// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include <cuda_runtime.h>

#include "concord/algorithms/cyclospectrum/cuda/block_scan.cuh"
#include "concord/algorithms/cyclospectrum/cuda/circle.cuh"
#include "concord/backends/cuda/launch.cuh"

namespace concord::cyclospectrum {
namespace {

// One block: the masses of the largest spectrum that a GPU has room for take it
// some 20 us.
constexpr int kThreads = 1024;

template <typename T>
__global__ void __launch_bounds__(kThreads)
    SumMasses(const T* masses, int64_t n, std::make_unsigned_t<T>* sums) {
  using Mass = std::make_unsigned_t<T>;
  bool has_zero = false;
  const Mass total = ScanByBlock<kThreads, Mass>(
      n,
      [&](int64_t i) {
        const auto mass = static_cast<Mass>(masses[i]);
        has_zero |= mass == 0;
        return mass;
      },
      [=](int64_t i, Mass sum, Mass all) {
        sums[i] = sum;
        sums[n + i] = all + sum;
      });
  if (threadIdx.x <= DeviceCircle<T>::kSumsBehind) {
    sums[2 * n + threadIdx.x] = 2 * total;
  }
  // After it, the sums can be read.
  has_zero = __syncthreads_or(has_zero);
  constexpr int kFew = DeviceCircle<T>::kFewEqualSums;
  bool has_many = false;
  if (has_zero && n > kFew) {
    for (int64_t i = threadIdx.x; i < n; i += kThreads) {
      has_many |= sums[i] == sums[i + kFew];
    }
  }
  has_many = __syncthreads_or(has_many);
  if (threadIdx.x == 0) {
    sums[2 * n + DeviceCircle<T>::kSumsBehind + 1] = has_many;
  }
}

}  // namespace

template <typename T>
absl::StatusOr<DeviceCircle<T>> CircleMaker::Make(ConstArrayView masses) {
  using Mass = std::make_unsigned_t<T>;
  const int64_t n = masses.size();
  absl::Status status =
      sums_.Reserve<Mass>(2 * n + 1 + DeviceCircle<T>::kSumsBehind + 1);
  auto* const sums = sums_.data<Mass>();
  if (status.ok()) {
    status = QueueKernel(*backend_, "the sums of cyclospectrum", SumMasses<T>,
                         {1, kThreads}, masses.data<T>(), n, sums);
  }
  if (!status.ok()) return status;
  // Twice the total, and whether many sums are equal.
  Mass found[2] = {};
  status =
      backend_->Copy(ConstArrayView(sums + 2 * n + DeviceCircle<T>::kSumsBehind,
                                    2, backend_->memory()),
                     ArrayView(absl::MakeSpan(found)));
  if (!status.ok()) return status;
  return DeviceCircle<T>{sums, n, found[0] / 2, found[1] == 0};
}

template absl::StatusOr<DeviceCircle<std::int32_t>> CircleMaker::Make(
    ConstArrayView masses);
template absl::StatusOr<DeviceCircle<std::int64_t>> CircleMaker::Make(
    ConstArrayView masses);

}  // namespace concord::cyclospectrum
