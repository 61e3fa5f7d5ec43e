// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include <cuda_runtime.h>

#include <cstring>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "concord/backends/cuda/cuda_backend.h"
#include "concord/backends/cuda/cuda_status.h"
#include "concord/backends/cuda/launch.cuh"
#include "concord/backends/cuda/stream_backend.h"
#include "concord/backends/mpi/gpu_link.h"
#include "concord/core/errors.h"

namespace concord {
namespace {

static_assert(sizeof(GpuHandle) == sizeof(cudaIpcMemHandle_t));
static_assert(sizeof(GpuUuid) == sizeof(cudaUUID_t));

constexpr int kThreads = 256;

template <typename T>
__global__ void AddToAll(T* positions, int64_t count, T by) {
  const int64_t i = int64_t{blockIdx.x} * kThreads + threadIdx.x;
  if (i < count) positions[i] += by;
}

template <typename T>
absl::Status Shift(const CudaBackend& backend, ArrayView positions,
                   std::int64_t by) {
  return QueueKernel(backend, "moving positions", AddToAll<T>,
                     {DivideUp(positions.size(), kThreads), kThreads},
                     positions.data<T>(), positions.size(), static_cast<T>(by));
}

// The windows that no team has. Memory must not be freed while another process
// has it open, and no process knows when the others have closed it. So a window
// lives as long as its process, and waits here for the next team of its GPU and
// size.
class SpareWindows {
 public:
  static SpareWindows& Get() {
    static auto* const windows = new SpareWindows;
    return *windows;
  }

  // Null where there is none.
  char* Take(int device, std::int64_t bytes) {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::vector<char*>& spare = spare_[{device, bytes}];
    if (spare.empty()) return nullptr;
    char* const window = spare.back();
    spare.pop_back();
    return window;
  }
  void Give(int device, std::int64_t bytes, char* window) {
    const std::lock_guard<std::mutex> lock(mutex_);
    spare_[{device, bytes}].push_back(window);
  }

 private:
  std::mutex mutex_;
  std::map<std::pair<int, std::int64_t>, std::vector<char*>> spare_;
};

CudaBackend& OnCuda(Backend& local) { return static_cast<CudaBackend&>(local); }

}  // namespace

BackendStatus ProbeGpus() { return ProbeCuda(); }

bool HasGpu() {
  int count = 0;
  return TryCuda(cudaGetDeviceCount(&count)) && count > 0;
}

absl::StatusOr<GpuUuid> UuidOf(Backend& local) {
  cudaDeviceProp properties;
  RETURN_IF_ERROR(
      CudaStatus(cudaGetDeviceProperties(&properties, OnCuda(local).device()),
                 "reading the properties of ", local.info().spec));
  GpuUuid uuid;
  std::memcpy(uuid.data(), &properties.uuid, uuid.size());
  return uuid;
}

absl::StatusOr<GpuWindow> MakeWindow(Backend& local, std::int64_t bytes) {
  RETURN_IF_ERROR(local.Activate());
  const int device = OnCuda(local).device();
  void* data = SpareWindows::Get().Take(device, bytes);
  if (data == nullptr) {
    // Not of the backend's pool, whose memory has no handles.
    RETURN_IF_ERROR(
        CudaStatus(cudaMalloc(&data, static_cast<std::size_t>(bytes)),
                   "a window of ", bytes, " bytes on ", local.info().spec));
  }
  GpuWindow window;
  window.data = {static_cast<char*>(data), [device, bytes](char* d) {
                   SpareWindows::Get().Give(device, bytes, d);
                 }};
  cudaIpcMemHandle_t handle;
  RETURN_IF_ERROR(CudaStatus(cudaIpcGetMemHandle(&handle, data),
                             "a handle of memory on ", local.info().spec));
  std::memcpy(window.handle.data(), &handle, sizeof(handle));
  return window;
}

absl::StatusOr<std::shared_ptr<char>> OpenWindow(Backend& local,
                                                 const GpuHandle& handle) {
  RETURN_IF_ERROR(local.Activate());
  cudaIpcMemHandle_t theirs;
  std::memcpy(&theirs, handle.data(), sizeof(theirs));
  void* data = nullptr;
  RETURN_IF_ERROR(CudaStatus(
      cudaIpcOpenMemHandle(&data, theirs, cudaIpcMemLazyEnablePeerAccess),
      "opening another rank's memory on ", local.info().spec));
  return std::shared_ptr<char>(static_cast<char*>(data), [](char* d) {
    TryCuda(cudaIpcCloseMemHandle(d));
  });
}

absl::Status ShiftOnGpu(Backend& local, ArrayView positions, std::int64_t by) {
  RETURN_IF_ERROR(local.Activate());
  return positions.type() == ElementType::kUInt32
             ? Shift<std::uint32_t>(OnCuda(local), positions, by)
             : Shift<std::int64_t>(OnCuda(local), positions, by);
}

absl::StatusOr<bool> IsDone(Backend& local) {
  RETURN_IF_ERROR(local.Activate());
  const cudaError_t error = cudaStreamQuery(OnCuda(local).stream());
  if (error == cudaErrorNotReady) {
    cudaGetLastError();
    return false;
  }
  RETURN_IF_ERROR(CudaStatus(error, "work on ", local.info().spec));
  return true;
}

}  // namespace concord
