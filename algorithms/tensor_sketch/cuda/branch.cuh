// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_TENSOR_SKETCH_CUDA_BRANCH_CUH_
#define CONCORD_ALGORITHMS_TENSOR_SKETCH_CUDA_BRANCH_CUH_

#include <cuda_runtime.h>

#include "absl/status/status.h"
#include "concord/backends/cuda/cuda_status.h"

namespace concord::tensor_sketch {

// A further stream beside another one, the trunk, from which its work forks and
// which it joins again.
class Branch {
 public:
  Branch() = default;
  Branch(const Branch&) = delete;
  Branch& operator=(const Branch&) = delete;
  ~Branch() {
    if (event_ != nullptr) TryCuda(cudaEventDestroy(event_));
    if (stream_ != nullptr) TryCuda(cudaStreamDestroy(stream_));
  }

  // After Fork.
  cudaStream_t stream() const { return stream_; }

  // What is given to this stream from here on waits for what the trunk was
  // given before.
  absl::Status Fork(cudaStream_t trunk) {
    if (absl::Status status = Init(); !status.ok()) return status;
    return Wait(trunk, stream_);
  }
  // What is given to the trunk from here on waits for what this stream was
  // given before; which may go on, and join once more.
  absl::Status Join(cudaStream_t trunk) { return Wait(stream_, trunk); }

 private:
  absl::Status Init() {
    if (event_ != nullptr) return absl::OkStatus();
    cudaError_t error = cudaSuccess;
    // There where an event could not be had before.
    if (stream_ == nullptr) {
      error = cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking);
    }
    if (error == cudaSuccess) {
      error = cudaEventCreateWithFlags(&event_, cudaEventDisableTiming);
    }
    return CudaStatus(error, "a further stream");
  }

  absl::Status Wait(cudaStream_t first, cudaStream_t then) {
    cudaError_t error = cudaEventRecord(event_, first);
    if (error == cudaSuccess) error = cudaStreamWaitEvent(then, event_, 0);
    return CudaStatus(error, "ordering streams");
  }

  cudaStream_t stream_ = nullptr;
  cudaEvent_t event_ = nullptr;
};

}  // namespace concord::tensor_sketch

#endif  // CONCORD_ALGORITHMS_TENSOR_SKETCH_CUDA_BRANCH_CUH_
