// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_RADIX_SORT_GPUS_COPY_STREAM_CUH_
#define CONCORD_ALGORITHMS_RADIX_SORT_GPUS_COPY_STREAM_CUH_

#include <cuda_runtime.h>

#include <cstdint>
#include <memory>
#include <type_traits>
#include <vector>

#include "concord/backends/cuda/cuda_status.h"
#include "concord/core/errors.h"

namespace concord::radix_sort {

// A member's second stream, for copies beside the kernels of its own one, which
// wait for each by its number. Kept from call to call; the member's device is
// active in every call.
class CopyStream {
 public:
  // Copies begin behind what is queued on `main`.
  absl::Status Begin(cudaStream_t main) {
    RETURN_IF_ERROR(Make());
    RETURN_IF_ERROR(CudaStatus(cudaEventRecord(begun_.get(), main), kWhat));
    return CudaStatus(cudaStreamWaitEvent(stream_.get(), begun_.get(), 0),
                      kWhat);
  }

  absl::Status Queue(const void* from, void* to, std::int64_t bytes) {
    if (bytes == 0) return absl::OkStatus();
    return CudaStatus(cudaMemcpyAsync(to, from, static_cast<std::size_t>(bytes),
                                      cudaMemcpyDefault, stream_.get()),
                      kWhat);
  }

  // What has been queued here so far is number `i`.
  absl::Status Mark(std::size_t i) {
    while (marks_.size() <= i) {
      ASSIGN_OR_RETURN(Event event, NewMark());
      marks_.push_back(std::move(event));
    }
    return CudaStatus(cudaEventRecord(marks_[i].get(), stream_.get()), kWhat);
  }

  // What is queued on `main` from now on waits for number `i`.
  absl::Status WaitFor(std::size_t i, cudaStream_t main) const {
    return CudaStatus(cudaStreamWaitEvent(main, marks_[i].get(), 0), kWhat);
  }

  // Until nothing of it is under way.
  absl::Status Synchronize() const {
    if (stream_ == nullptr) return absl::OkStatus();
    return CudaStatus(cudaStreamSynchronize(stream_.get()), kWhat);
  }

 private:
  static constexpr char kWhat[] = "copies between members";

  using Event = std::shared_ptr<std::remove_pointer_t<cudaEvent_t>>;

  static absl::StatusOr<Event> NewMark() {
    cudaEvent_t event = nullptr;
    RETURN_IF_ERROR(CudaStatus(
        cudaEventCreateWithFlags(&event, cudaEventDisableTiming), kWhat));
    return Event(event, [](cudaEvent_t e) { TryCuda(cudaEventDestroy(e)); });
  }

  absl::Status Make() {
    if (stream_ != nullptr) return absl::OkStatus();
    ASSIGN_OR_RETURN(begun_, NewMark());
    cudaStream_t stream = nullptr;
    RETURN_IF_ERROR(CudaStatus(
        cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), kWhat));
    stream_.reset(stream,
                  [](cudaStream_t s) { TryCuda(cudaStreamDestroy(s)); });
    return absl::OkStatus();
  }

  std::shared_ptr<std::remove_pointer_t<cudaStream_t>> stream_;
  Event begun_;
  std::vector<Event> marks_;
};

}  // namespace concord::radix_sort

#endif  // CONCORD_ALGORITHMS_RADIX_SORT_GPUS_COPY_STREAM_CUH_
