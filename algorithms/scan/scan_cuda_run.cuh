// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_SCAN_SCAN_CUDA_RUN_CUH_
#define CONCORD_ALGORITHMS_SCAN_SCAN_CUDA_RUN_CUH_

#include <cuda_runtime.h>

#include <cstdint>
#include <memory>
#include <utility>

#include "algorithms/scan/scan.h"
#include "backends/cuda/cuda_backend.h"
#include "backends/cuda/operator_traits.cuh"
#include "backends/cuda/scratch.cuh"

namespace concord {

// What every scan on a GPU does before it launches. `Derived` has
//
//   template <typename Op>
//   absl::Status Launch(ConstArrayView in, ArrayView out,
//                       const Options& options);
//
// which is called with at least one element, of the type Op::Element or of the
// other type of integers of the same size.
template <typename Derived>
class ScanOnCuda : public Scan {
 public:
  // `name`: "scan/cuda/naive".
  ScanOnCuda(std::shared_ptr<Backend> backend, const char* name)
      : name_(name), backend_(AsCuda(std::move(backend))), scratch_(backend_) {}

  absl::Status Run(ConstArrayView in, ArrayView out,
                   const Options& options) final {
    absl::Status status =
        CheckScanArguments(in, out, backend_->memory(), name_);
    if (status.ok()) status = CheckScanBlock(options.block);
    if (!status.ok() || in.empty()) return status;
    status = backend_->Activate();
    if (!status.ok()) return status;
    return DispatchScan(options.op, in.type(), [&](auto op) {
      return static_cast<Derived*>(this)
          ->template Launch<SignFree<decltype(op)>>(in, out, options);
    });
  }

 protected:
  const char* name() const { return name_; }
  const std::shared_ptr<CudaBackend>& backend() const { return backend_; }
  cudaStream_t stream() const { return backend_->stream(); }
  Scratch& scratch() { return scratch_; }

 private:
  const char* name_;
  std::shared_ptr<CudaBackend> backend_;
  Scratch scratch_;
};

// The number of the calling thread in a grid with a thread for each element.
__device__ __forceinline__ int64_t GlobalThread() {
  return int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
}

}  // namespace concord

#endif  // CONCORD_ALGORITHMS_SCAN_SCAN_CUDA_RUN_CUH_
