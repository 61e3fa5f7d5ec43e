// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The four primitives of R. Yadav and B. Houghton, "StandardML-GPU: adding fast
// CUDA bindings to Standard ML" (2017), built on our own scans and reductions:
//
//   sums  = inclusive scan (+) of the elements
//   mins  = exclusive scan (min) of the sums
//   gains = sums - mins
//   best  = reduce (max) of the gains
//
// Their CUDA version starts the second scan with the largest integer, where
// their Standard ML has 0, and so loses the empty prefix: every run that begins
// at the first element ([1, 2, 3] gives 5). Here 0 takes part in the map.
//
// Then two more maps and reductions find where the run is. The smallest prefix
// sum before an end, at its first occurrence, is where the best run to that end
// begins; that place only moves on from end to end, so the first end with the
// largest gain belongs to the run that begins first.

#include <cuda_runtime.h>

#include <cstdint>
#include <memory>
#include <type_traits>

#include "concord/algorithms/max_subarray/cuda/run.cuh"
#include "concord/algorithms/max_subarray/max_subarray.h"
#include "concord/algorithms/reduce/reduce.h"
#include "concord/algorithms/scan/scan.h"
#include "concord/backends/cuda/grid_map.cuh"
#include "concord/core/registry.h"

namespace concord::max_subarray {
namespace {

class MaxSubarrayScanPipeline
    : public MaxSubarrayOnCuda<MaxSubarrayScanPipeline> {
 public:
  using MaxSubarrayOnCuda::MaxSubarrayOnCuda;

  template <typename T>
  absl::Status Launch(ConstArrayView in, SumOf<T>* sum, int64_t* run) {
    if constexpr (std::is_integral_v<T>) {
      return LaunchOnIntegers<T>(in, sum, run);
    }
    return absl::InvalidArgumentError(
        "max_subarray/cuda/scan_pipeline is for integers: differences of "
        "prefix sums of floats lose what they are to tell");
  }

  // Not private, because it makes lambdas for the device.
  template <typename T, typename Sum = SumOf<T>>
  absl::Status LaunchOnIntegers(ConstArrayView in, Sum* best, int64_t* bounds) {
    const int64_t n = in.size();
    absl::StatusOr<Array> sums_array =
        backend()->Allocate(ElementTypeOf<Sum>(), n);
    absl::StatusOr<Array> mins_array =
        backend()->Allocate(ElementTypeOf<Sum>(), n);
    absl::StatusOr<Array> third_array =
        backend()->Allocate(ElementType::kInt64, n);
    absl::Status status = scan_.status();
    status.Update(reduce_.status());
    status.Update(sums_array.status());
    status.Update(mins_array.status());
    status.Update(third_array.status());
    if (!status.ok()) return status;
    const T* const elements = in.data<T>();
    Sum* const sums = sums_array->data<Sum>();
    Sum* const mins = mins_array->data<Sum>();
    // The gains first, indices later.
    int64_t* const indices = third_array->data<int64_t>();
    Sum* const gains = reinterpret_cast<Sum*>(indices);
    const ArrayView gains_view(gains, n, in.memory());

    status = Map(n, [=] __device__(int64_t i) {
      sums[i] = static_cast<Sum>(elements[i]);
    });
    if (status.ok()) {
      status = (*scan_)->Run(sums_array->view(), sums_array->view(),
                             {Scan::Kind::kInclusive, Scan::Op::kAdd});
    }
    if (status.ok()) {
      status = (*scan_)->Run(sums_array->view(), mins_array->view(),
                             {Scan::Kind::kExclusive, Scan::Op::kMin});
    }
    if (status.ok()) {
      status = Map(n, [=] __device__(int64_t i) {
        mins[i] = min(mins[i], Sum{0});
        gains[i] = sums[i] - mins[i];
      });
    }
    if (status.ok()) {
      status = (*reduce_)->Run(gains_view, ArrayView(best, 1, in.memory()),
                               {Reduce::Op::kMax});
    }

    // The first end of a best run ...
    if (status.ok()) {
      status = Map(n, [=] __device__(int64_t i) {
        indices[i] = sums[i] - mins[i] == *best ? i + 1 : n;
      });
    }
    if (status.ok()) {
      status = ReduceLeast(third_array->view(), bounds + 1);
    }
    // ... and where the prefix sum first is the smallest before it.
    if (status.ok()) {
      status = Map(n, [=] __device__(int64_t i) {
        const Sum before = i == 0 ? Sum{0} : sums[i - 1];
        indices[i] = before == mins[bounds[1] - 1] ? i : n;
      });
    }
    if (status.ok()) {
      status = ReduceLeast(third_array->view(), bounds);
    }
    return status;
  }

 private:
  template <typename F>
  absl::Status Map(int64_t n, F f) {
    return QueueMap(*backend(), name(), n, f);
  }

  // The least index, as int64, among those that a map has left in `indices`.
  absl::Status ReduceLeast(ConstArrayView indices, int64_t* least) {
    return (*reduce_)->Run(indices, ArrayView(least, 1, indices.memory()),
                           {Reduce::Op::kMin});
  }

  absl::StatusOr<std::unique_ptr<Scan>> scan_ =
      Registry<Scan>::Get().Create(backend());
  absl::StatusOr<std::unique_ptr<Reduce>> reduce_ =
      Registry<Reduce>::Get().Create(backend());
};

const bool kRegistered = RegisterOnCuda<MaxSubarrayScanPipeline>(
    "scan_pipeline", /*rank=*/2, "scan, scan of minima, differences, reduction",
    Contract()
        .Types({ElementType::kInt8, ElementType::kUInt8, ElementType::kInt32,
                ElementType::kUInt32, ElementType::kInt64,
                ElementType::kUInt64})
        .Notes("needs 24 bytes of memory for each element"));

}  // namespace
}  // namespace concord::max_subarray
