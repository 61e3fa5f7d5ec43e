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
  const Mass total = ScanByBlock<kThreads, Mass>(
      n, [=](int64_t i) { return static_cast<Mass>(masses[i]); },
      [=](int64_t i, Mass sum, Mass all) {
        sums[i] = sum;
        sums[n + i] = all + sum;
      });
  if (threadIdx.x <= DeviceCircle<T>::kSumsBehind) {
    sums[2 * n + threadIdx.x] = 2 * total;
  }
}

}  // namespace

template <typename T>
absl::StatusOr<DeviceCircle<T>> CircleMaker::Make(ConstArrayView masses) {
  using Mass = std::make_unsigned_t<T>;
  const int64_t n = masses.size();
  absl::Status status =
      sums_.Reserve<Mass>(2 * n + 1 + DeviceCircle<T>::kSumsBehind);
  auto* const sums = sums_.data<Mass>();
  if (status.ok()) {
    status = QueueKernel(*backend_, "the sums of cyclospectrum", SumMasses<T>,
                         {1, kThreads}, masses.data<T>(), n, sums);
  }
  if (!status.ok()) return status;
  Mass total = 0;
  status = backend_->Copy(ConstArrayView(sums + n, 1, backend_->memory()),
                          ArrayView(absl::MakeSpan(&total, 1)));
  if (!status.ok()) return status;
  return DeviceCircle<T>{sums, n, total};
}

template absl::StatusOr<DeviceCircle<std::int32_t>> CircleMaker::Make(
    ConstArrayView masses);
template absl::StatusOr<DeviceCircle<std::int64_t>> CircleMaker::Make(
    ConstArrayView masses);

}  // namespace concord::cyclospectrum
