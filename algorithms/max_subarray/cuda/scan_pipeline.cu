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
#include <utility>

#include "concord/algorithms/max_subarray/max_subarray.h"
#include "concord/algorithms/max_subarray/max_subarray_summary.h"
#include "concord/algorithms/reduce/reduce.h"
#include "concord/algorithms/scan/scan.h"
#include "concord/backends/cuda/cuda_backend.h"
#include "concord/backends/cuda/cuda_status.h"
#include "concord/backends/cuda/grid_map.cuh"
#include "concord/core/registry.h"

namespace concord::max_subarray {
namespace {

constexpr char kWhere[] = "max_subarray/cuda/scan_pipeline";

template <typename Sum>
__global__ void StoreEmptyRun(Sum* sum, int64_t* run) {
  StoreEmptyResult(sum, run);
}

class MaxSubarrayScanPipeline : public MaxSubarray {
 public:
  explicit MaxSubarrayScanPipeline(std::shared_ptr<Backend> backend)
      : backend_(AsCuda(std::move(backend))),
        scan_(Registry<Scan>::Get().Create(backend_)),
        reduce_(Registry<Reduce>::Get().Create(backend_)) {}

  absl::Status Run(ConstArrayView in, ArrayView sum, ArrayView run,
                   const Options&) override {
    absl::Status status =
        CheckMaxSubarrayArguments(in, sum, run, backend_->memory(), kWhere);
    if (status.ok()) status = scan_.status();
    if (status.ok()) status = reduce_.status();
    if (status.ok() && IsFloat(in.type())) {
      status = absl::InvalidArgumentError(
          "max_subarray/cuda/scan_pipeline is for integers: differences of "
          "prefix sums of floats lose what they are to tell");
    }
    if (status.ok()) status = backend_->Activate();
    if (!status.ok()) return status;
    return Dispatch(in.type(), [&](auto tag) -> absl::Status {
      using T = typename decltype(tag)::type;
      if constexpr (std::is_integral_v<T>) return RunOn<T>(in, sum, run);
      return absl::OkStatus();
    });
  }

  // Not private, because it makes lambdas for the device.
  template <typename T>
  absl::Status RunOn(ConstArrayView in, ArrayView sum, ArrayView run) {
    using Sum = SumOf<T>;
    Sum* const best = sum.data<Sum>();
    int64_t* const bounds = run.data<int64_t>();
    if (in.empty()) {
      StoreEmptyRun<<<1, 1, 0, backend_->stream()>>>(best, bounds);
      return LaunchStatus(kWhere);
    }
    const int64_t n = in.size();
    absl::StatusOr<Array> sums_array =
        backend_->Allocate(ElementTypeOf<Sum>(), n);
    if (!sums_array.ok()) return sums_array.status();
    absl::StatusOr<Array> mins_array =
        backend_->Allocate(ElementTypeOf<Sum>(), n);
    if (!mins_array.ok()) return mins_array.status();
    absl::StatusOr<Array> third_array =
        backend_->Allocate(ElementType::kInt64, n);
    if (!third_array.ok()) return third_array.status();
    const T* const elements = in.data<T>();
    Sum* const sums = sums_array->data<Sum>();
    Sum* const mins = mins_array->data<Sum>();
    // The gains first, indices later.
    int64_t* const indices = third_array->data<int64_t>();
    Sum* const gains = reinterpret_cast<Sum*>(indices);
    const ArrayView gains_view(gains, n, in.memory());

    absl::Status status = Map(n, [=] __device__(int64_t i) {
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
      status = (*reduce_)->Run(gains_view, sum, {Reduce::Op::kMax});
    }

    // The first end of a best run ...
    if (status.ok()) {
      status = Map(n, [=] __device__(int64_t i) {
        indices[i] = sums[i] - mins[i] == *best ? i + 1 : n;
      });
    }
    if (status.ok()) {
      status = ReduceLeast(third_array->view(), run.Slice(1, 1));
    }
    // ... and where the prefix sum first is the smallest before it.
    if (status.ok()) {
      status = Map(n, [=] __device__(int64_t i) {
        const Sum before = i == 0 ? Sum{0} : sums[i - 1];
        indices[i] = before == mins[bounds[1] - 1] ? i : n;
      });
    }
    if (status.ok()) {
      status = ReduceLeast(third_array->view(), run.Slice(0, 1));
    }
    return status;
  }

 private:
  template <typename F>
  absl::Status Map(int64_t n, F f) {
    LaunchMap(n, backend_->stream(), f);
    return LaunchStatus(kWhere);
  }

  // The least index, as int64, among those that a map has left in `indices`.
  absl::Status ReduceLeast(ConstArrayView indices, ArrayView least) {
    return (*reduce_)->Run(indices, least, {Reduce::Op::kMin});
  }

  std::shared_ptr<CudaBackend> backend_;
  absl::StatusOr<std::unique_ptr<Scan>> scan_;
  absl::StatusOr<std::unique_ptr<Reduce>> reduce_;
};

Contract MakeContract() {
  Contract contract;
  contract.element_types = {ElementType::kInt8,  ElementType::kUInt8,
                            ElementType::kInt32, ElementType::kUInt32,
                            ElementType::kInt64, ElementType::kUInt64};
  contract.notes = "needs 24 bytes of memory for each element";
  return contract;
}

const bool kRegistered = Registry<MaxSubarray>::Get().Add(
    "cuda", "scan_pipeline", /*rank=*/2,
    "scan, scan of minima, differences, reduction", MakeContract(),
    [](std::shared_ptr<Backend> backend) {
      return std::make_unique<MaxSubarrayScanPipeline>(std::move(backend));
    });

}  // namespace
}  // namespace concord::max_subarray
