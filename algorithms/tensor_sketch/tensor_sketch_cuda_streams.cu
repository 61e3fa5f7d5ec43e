// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0
//
// Version 4 of the article: the launches of version 3, dealt out to many
// streams, so that they run at the same time. The streams fork from the
// backend's own stream and join it again by events, so that to a caller it is
// one piece of work in order.
//
// R. Groot Koerkamp, "28000x speedup with Numba.CUDA" (2021).

#include <vector>

#include "algorithms/tensor_sketch/tensor_sketch_cuda_two_waits.cuh"

namespace concord {
namespace {

using sketch_recurrence::LevelMemory;
using sketch_recurrence::SketchWithTwoWaits;
using sketch_recurrence::ThreadsByLevel;

// As many kernels run at the same time at most, since compute capability 3.5
// (128 on some devices).
constexpr int kStreams = 32;

// A stream with the event that says where its work has got to.
class Branch {
 public:
  Branch() = default;
  Branch(const Branch&) = delete;
  Branch& operator=(const Branch&) = delete;
  ~Branch() {
    if (end_ != nullptr) cudaEventDestroy(end_);
    if (stream_ != nullptr) cudaStreamDestroy(stream_);
  }

  cudaError_t Init() {
    const cudaError_t error =
        cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking);
    if (error != cudaSuccess) return error;
    return cudaEventCreateWithFlags(&end_, cudaEventDisableTiming);
  }

  cudaStream_t stream() const { return stream_; }

  // What is given to this stream from here on comes after the event.
  cudaError_t Fork(cudaEvent_t start) {
    return cudaStreamWaitEvent(stream_, start, 0);
  }
  // What is given to `trunk` from here on comes after this stream's work.
  cudaError_t Join(cudaStream_t trunk) {
    const cudaError_t error = cudaEventRecord(end_, stream_);
    if (error != cudaSuccess) return error;
    return cudaStreamWaitEvent(trunk, end_, 0);
  }

 private:
  cudaStream_t stream_ = nullptr;
  cudaEvent_t end_ = nullptr;
};

class Streams : public TensorSketchOnGpu {
 public:
  explicit Streams(std::shared_ptr<CudaBackend> backend)
      : TensorSketchOnGpu(backend, "streams"), memory_(backend) {}
  ~Streams() override {
    if (start_ != nullptr) cudaEventDestroy(start_);
  }

  absl::Status Launch(const SketchProblem& problem) override {
    absl::Status status = Init();
    int64_t streams = std::min<int64_t>(kStreams, problem.sequences);
    if (status.ok()) {
      status = memory_.Place(problem,
                             reinterpret_cast<const void*>(SketchWithTwoWaits),
                             0, &streams);
    }
    if (!status.ok()) return status;

    cudaError_t error = cudaEventRecord(start_, backend_->stream());
    for (int64_t i = 0; i < streams && error == cudaSuccess; ++i) {
      error = branches_[i].Fork(start_);
    }
    if (error != cudaSuccess) return CudaStatus(error, "forking streams");
    for (int64_t s = 0; s < problem.sequences; ++s) {
      const int64_t i = s % streams;
      SketchWithTwoWaits<<<1, ThreadsByLevel(problem), memory_.shared_bytes(),
                           branches_[i].stream()>>>(problem, s, s + 1,
                                                    memory_.OfBlock(i));
    }
    status = LaunchStatus(name_);
    // Also after a failed launch: nothing may run on when this returns.
    for (int64_t i = 0; i < streams; ++i) {
      status.Update(
          CudaStatus(branches_[i].Join(backend_->stream()), "joining streams"));
    }
    return status;
  }

 private:
  absl::Status Init() {
    if (start_ != nullptr) return absl::OkStatus();
    for (Branch& branch : branches_) {
      absl::Status status = CudaStatus(branch.Init(), "a stream");
      if (!status.ok()) return status;
    }
    return CudaStatus(cudaEventCreateWithFlags(&start_, cudaEventDisableTiming),
                      "an event");
  }

  LevelMemory memory_;
  std::vector<Branch> branches_{kStreams};
  cudaEvent_t start_ = nullptr;
};

const bool kRegistered = RegisterOnGpu<Streams>(
    "streams", /*rank=*/-5,
    "the recurrence, a launch for each sequence on one of 32 streams",
    sketch_recurrence::RecurrenceContract(
        "32 sequences at a time; version 4 of the article"));

}  // namespace
}  // namespace concord
