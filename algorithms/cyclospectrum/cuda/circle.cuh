// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_CYCLOSPECTRUM_CUDA_CIRCLE_CUH_
#define CONCORD_ALGORITHMS_CYCLOSPECTRUM_CUDA_CIRCLE_CUH_

#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

#include "absl/status/statusor.h"
#include "concord/algorithms/cyclospectrum/cyclospectrum.h"
#include "concord/backends/cuda/cuda_backend.h"
#include "concord/backends/cuda/scratch.cuh"
#include "concord/core/array.h"

namespace concord::cyclospectrum {

// A circle of masses on the device, by the sums of its masses up to each of
// them, twice around: the piece from `first` to before `last` has
// sums[last] - sums[first].
template <typename T>
struct DeviceCircle {
  using Mass = std::make_unsigned_t<T>;

  // 2 n + 1 of them; kSumsBehind more may be read and have twice the total.
  const Mass* sums;
  std::int64_t n;
  Mass total;
  // No more than kFewEqualSums of the first n are equal, or 0 and the total.
  bool has_few_equal_sums = false;

  static constexpr int kSumsBehind = 3;
  static constexpr int kFewEqualSums = 255;

  std::int64_t size() const { return n * (n - 1) + 2; }
  // The values up to here and those that mirror them are all that there are.
  std::int64_t half() const { return static_cast<std::int64_t>(total / 2 + 1); }
};

// Where results go.
struct SpectrumOutputs {
  ArrayView out;
  ArrayView counts;
  ArrayView distinct;
  Cyclospectrum::As as;
};

// Makes one at a time, in memory that it keeps from call to call.
class CircleMaker {
 public:
  explicit CircleMaker(std::shared_ptr<CudaBackend> backend)
      : backend_(std::move(backend)), sums_(backend_) {}

  // Waits for the total, which says how to go on.
  template <typename T>
  absl::StatusOr<DeviceCircle<T>> Make(ConstArrayView masses);

 private:
  std::shared_ptr<CudaBackend> backend_;
  Scratch sums_;
};

}  // namespace concord::cyclospectrum

#endif  // CONCORD_ALGORITHMS_CYCLOSPECTRUM_CUDA_CIRCLE_CUH_
