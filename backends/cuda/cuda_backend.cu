// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "concord/backends/cuda/cuda_backend.h"
#include "concord/backends/cuda/cuda_status.h"
#include "concord/backends/cuda/kept_memory.h"
#include "concord/backends/cuda/read_pass.cuh"
#include "concord/backends/cuda/stream_backend.h"
#include "concord/core/checked_size.h"
#include "concord/core/errors.h"
#include "concord/core/fills.h"

namespace concord {
namespace {

// Memory in the order of one stream, from a pool of our own, so that a limit or
// a large working set here never disturbs other users of the device.
class CudaPool : public MemoryPool {
 public:
  CudaPool(int device, std::shared_ptr<CUstream_st> stream)
      : MemoryPool(Memory("cuda", device)),
        device_(device),
        stream_(std::move(stream)) {}

  ~CudaPool() override {
    kept_.reset();  // first: other pools ask for what it keeps
    if (pool_ == nullptr) return;
    const OnDevice there(device_);
    TryCuda(cudaStreamSynchronize(stream_.get()));
    TryCuda(cudaMemPoolDestroy(pool_));
  }

  absl::Status Init() {
    cudaMemPoolProps properties = {};
    properties.allocType = cudaMemAllocationTypePinned;
    properties.location.type = cudaMemLocationTypeDevice;
    properties.location.id = device_;
    cudaError_t error = cudaMemPoolCreate(&pool_, &properties);
    if (error == cudaSuccess) {
      // Memory that was freed stays with the pool for the next array.
      std::uint64_t keep = ~std::uint64_t{0};
      error = cudaMemPoolSetAttribute(pool_, cudaMemPoolAttrReleaseThreshold,
                                      &keep);
    }
    RETURN_IF_ERROR(CudaStatus(error, "making a memory pool"));
    // Last: from here on other threads ask for what the pool keeps.
    kept_.emplace([this] { GiveBackWhatIsKept(); });
    return absl::OkStatus();
  }

 protected:
  void* Acquire(std::int64_t bytes) override {
    void* data = nullptr;
    if (Try(&data, bytes)) return data;
    // Kept blocks of other sizes, or other pools', may be what is in the way.
    KeptMemory::AllGiveBack();
    return Try(&data, bytes) ? data : nullptr;
  }

  void Release(void* data, std::int64_t) override {
    const OnDevice there(device_);
    TryCuda(cudaFreeAsync(data, stream_.get()));
  }

  std::int64_t AvailableBytes() const override {
    const OnDevice there(device_);
    return FreeDeviceMemory();
  }

 private:
  bool Try(void** data, std::int64_t bytes) {
    const OnDevice there(device_);
    return TryCuda(cudaMallocFromPoolAsync(
        data, static_cast<std::size_t>(bytes), pool_, stream_.get()));
  }

  void GiveBackWhatIsKept() {
    const OnDevice there(device_);
    if (!WaitForStream(stream_.get())) return;
    TryCuda(cudaMemPoolTrimTo(pool_, 0));
  }

  const int device_;
  // Arrays outlive backends: what frees them must be there as long as they are.
  const std::shared_ptr<CUstream_st> stream_;
  cudaMemPool_t pool_ = nullptr;
  std::optional<KeptMemory> kept_;
};

class EventTimer : public Timer {
 public:
  EventTimer(int device, std::shared_ptr<CUstream_st> stream)
      : device_(device), stream_(std::move(stream)) {}
  ~EventTimer() override {
    if (start_ != nullptr) TryCuda(cudaEventDestroy(start_));
    if (stop_ != nullptr) TryCuda(cudaEventDestroy(stop_));
  }

  absl::Status Init() {
    RETURN_IF_ERROR(CudaStatus(cudaEventCreate(&start_), "an event"));
    return CudaStatus(cudaEventCreate(&stop_), "an event");
  }
  absl::Status Start() override { return Record(start_, "starting a timer"); }
  absl::Status Stop() override { return Record(stop_, "stopping a timer"); }
  absl::StatusOr<double> Seconds() override {
    float milliseconds = 0;
    cudaError_t error = cudaEventSynchronize(stop_);
    if (error == cudaSuccess) {
      error = cudaEventElapsedTime(&milliseconds, start_, stop_);
    }
    if (error != cudaSuccess) return CudaStatus(error, "reading a timer");
    return milliseconds * 1e-3;
  }

 private:
  absl::Status Record(cudaEvent_t event, const char* what) {
    // The default stream is that of the current device.
    const OnDevice there(device_);
    return CudaStatus(cudaEventRecord(event, stream_.get()), what);
  }

  const int device_;
  // Timers may outlive backends.
  const std::shared_ptr<CUstream_st> stream_;
  cudaEvent_t start_ = nullptr;
  cudaEvent_t stop_ = nullptr;
};

class StreamBackend : public CudaBackend, public Fills {
 public:
  StreamBackend(StreamBackendParts parts, const cudaDeviceProp& properties,
                std::shared_ptr<Array> sink)
      : CudaBackend(std::move(parts.info), std::move(parts.pool)),
        device_(parts.device),
        multiprocessors_(properties.multiProcessorCount),
        architecture_(properties.major * 10 + properties.minor),
        max_shared_memory_(
            static_cast<std::int64_t>(properties.sharedMemPerBlockOptin)),
        stream_(std::move(parts.stream)),
        health_(std::move(parts.health)),
        sink_(std::move(sink)) {}

  cudaStream_t stream() const override { return stream_.get(); }
  int device() const override { return device_; }
  int multiprocessors() const override { return multiprocessors_; }
  int architecture() const override { return architecture_; }
  std::int64_t max_shared_memory_per_block() const override {
    return max_shared_memory_;
  }

  absl::Status Activate() override {
    RETURN_IF_ERROR(Health());
    return CudaStatus(cudaSetDevice(device_), info().spec);
  }

  absl::StatusOr<Array> AllocateHost(ElementType type,
                                     std::int64_t size) override {
    RETURN_IF_ERROR(Activate());
    ASSIGN_OR_RETURN(const std::int64_t bytes, CheckedBytes({size}, type));
    void* data = nullptr;
    // An empty array has an address of its own, like every other.
    const cudaError_t error = cudaMallocHost(
        &data, static_cast<std::size_t>(std::max<std::int64_t>(bytes, 1)));
    RETURN_IF_ERROR(CudaStatus(error, bytes, " bytes of host memory"));
    return Array(
        ArrayView(data, type, size, Memory::Host()),
        std::shared_ptr<void>(data, [](void* d) { TryCuda(cudaFreeHost(d)); }));
  }

  absl::Status Fill(ArrayView data) override {
    RETURN_IF_ERROR(Activate());
    return CudaStatus(
        cudaMemsetAsync(data.data(), 0, static_cast<std::size_t>(data.bytes()),
                        stream()),
        "filling an array");
  }

  absl::Status Synchronize() override {
    // The default stream is that of the current device. What is queued is
    // waited for whatever has become of the device's health.
    const OnDevice there(device_);
    RETURN_IF_ERROR(
        CudaStatus(cudaStreamSynchronize(stream()), "work on ", info().spec));
    return Health();
  }

 protected:
  absl::Status CopyChecked(ConstArrayView from, ArrayView to) override {
    if (Overlap(from, to)) return CopyByTheSide(from, to);
    // CUDA refuses copies of mapped memory that the current device, which may
    // be another one, has no access to.
    RETURN_IF_ERROR(Activate());
    cudaError_t error = cudaMemcpyAsync(to.data(), from.data(),
                                        static_cast<std::size_t>(from.bytes()),
                                        cudaMemcpyDefault, stream());
    const bool host = from.memory().is_host() || to.memory().is_host();
    if (error == cudaSuccess && host) error = cudaStreamSynchronize(stream());
    if (error == cudaSuccess) return host ? Health() : absl::OkStatus();
    return CudaStatus(error, "copying ", from.bytes(), " bytes from ",
                      from.memory().name(), " to ", to.memory().name());
  }

  absl::Status ReadChecked(ConstArrayView data) override {
    RETURN_IF_ERROR(Activate());
    return CudaStatus(concord::ReadOnce(data.data(), data.bytes(),
                                        sink_->data<std::uint32_t>(), stream()),
                      "reading an array once");
  }

  absl::StatusOr<std::unique_ptr<Timer>> MakeTimer() override {
    RETURN_IF_ERROR(Activate());
    auto timer = std::make_unique<EventTimer>(device_, stream_);
    RETURN_IF_ERROR(timer->Init());
    return timer;
  }

 private:
  absl::Status Health() const { return health_ ? health_() : absl::OkStatus(); }

  const int device_;
  const int multiprocessors_;
  const int architecture_;
  const std::int64_t max_shared_memory_;
  std::shared_ptr<CUstream_st> stream_;
  const std::function<absl::Status()> health_;
  std::shared_ptr<Array> sink_;
};

absl::StatusOr<std::shared_ptr<Backend>> MakeBackend(
    int device, std::shared_ptr<CUstream_st> stream) {
  auto pool = std::make_shared<CudaPool>(device, stream);
  RETURN_IF_ERROR(pool->Init());
  return MakeStreamBackend({{"cuda", absl::StrCat("cuda:", device), "", {}},
                            device,
                            std::move(stream),
                            std::move(pool),
                            {}});
}

absl::StatusOr<std::shared_ptr<Backend>> Open(absl::string_view argument) {
  int device = 0;
  if (!argument.empty() &&
      (!absl::SimpleAtoi(argument, &device) || device < 0)) {
    return InvalidArgumentError("backend 'cuda:", argument,
                                "': the device is a whole number from 0 on");
  }
  const OnDevice callers;
  RETURN_IF_ERROR(UseCudaDevice(device));
  ASSIGN_OR_RETURN(std::shared_ptr<CUstream_st> stream, NewStream());
  return MakeBackend(device, std::move(stream));
}

const bool kRegistered =
    RegisterBackend({"cuda", /*rank=*/20, ProbeCuda, Open,
                     absl::StrCat("CUDA runtime ", CUDART_VERSION / 1000, ".",
                                  CUDART_VERSION % 1000 / 10)});

}  // namespace

OnDevice::OnDevice() { TryCuda(cudaGetDevice(&before_)); }

OnDevice::OnDevice(int device) : OnDevice() {
  if (device != before_) TryCuda(cudaSetDevice(device));
}

OnDevice::~OnDevice() {
  int now = before_;
  TryCuda(cudaGetDevice(&now));
  if (now != before_) TryCuda(cudaSetDevice(before_));
}

std::int64_t FreeDeviceMemory() {
  std::size_t free = 0;
  std::size_t total = 0;
  TryCuda(cudaMemGetInfo(&free, &total));
  return static_cast<std::int64_t>(free);
}

absl::StatusOr<std::shared_ptr<CUstream_st>> NewStream() {
  cudaStream_t stream = nullptr;
  RETURN_IF_ERROR(CudaStatus(
      cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "a stream"));
  return std::shared_ptr<CUstream_st>(
      stream, [](cudaStream_t s) { TryCuda(cudaStreamDestroy(s)); });
}

bool WaitForStream(cudaStream_t stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  return TryCuda(cudaStreamIsCapturing(stream, &status)) &&
         status == cudaStreamCaptureStatusNone &&
         TryCuda(cudaStreamSynchronize(stream));
}

absl::StatusOr<std::shared_ptr<CudaBackend>> MakeStreamBackend(
    StreamBackendParts parts) {
  cudaDeviceProp properties;
  RETURN_IF_ERROR(CudaStatus(cudaGetDeviceProperties(&properties, parts.device),
                             "reading the device's properties"));
  const Facts facts = FactsOf(properties);
  parts.info.facts.insert(parts.info.facts.end(), facts.begin(), facts.end());
  ASSIGN_OR_RETURN(Array sink, parts.pool->Allocate(ElementType::kUInt32, 1));
  return std::make_shared<StreamBackend>(
      std::move(parts), properties, std::make_shared<Array>(std::move(sink)));
}

absl::StatusOr<std::shared_ptr<Backend>> WrapCudaStream(cudaStream_t stream,
                                                        int device) {
  // Handles are addresses of objects, but for two that stand for the default
  // stream.
  const auto handle = reinterpret_cast<std::uintptr_t>(stream);
  if (handle > 2 && (handle < 4096 || handle % alignof(void*) != 0)) {
    return InvalidArgumentError(handle, " is not the handle of a stream");
  }
  const OnDevice callers;
  RETURN_IF_ERROR(UseCudaDevice(device));
  // The caller's own: nothing is done when its last user here goes.
  return MakeBackend(device, {stream, [](cudaStream_t) {}});
}

}  // namespace concord
