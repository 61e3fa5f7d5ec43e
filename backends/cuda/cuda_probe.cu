// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// How far a machine gets with CUDA, and why no further.

#include <cuda_runtime.h>
#include <dlfcn.h>

#include <set>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "concord/backends/cuda/cuda_status.h"
#include "concord/backends/cuda/stream_backend.h"
#include "concord/core/errors.h"

namespace concord {
namespace {

__global__ void CanThisDeviceRunOurCode() {}

std::string Version(int version) {
  return absl::StrCat(version / 1000, ".", version % 1000 / 10);
}

// How far one device gets, by making its context.
BackendStage ProbeDevice(int device, std::string* reason) {
  cudaError_t error = cudaSetDevice(device);
  cudaFuncAttributes attributes;
  if (error == cudaSuccess) {
    error = cudaFuncGetAttributes(&attributes, CanThisDeviceRunOurCode);
  }
  if (error == cudaSuccess) return BackendStage::kOk;
  cudaGetLastError();
  *reason = absl::StrCat("device ", device, ": ", cudaGetErrorString(error));
  switch (error) {
    case cudaErrorNoKernelImageForDevice:
    case cudaErrorUnsupportedPtxVersion:
    case cudaErrorInvalidDeviceFunction:
      return BackendStage::kNoCodeForArch;
    case cudaErrorMemoryAllocation:
      return BackendStage::kOutOfMemory;
    default:
      return BackendStage::kNoDevice;
  }
}

// The compute capabilities that are known to run our code.
using Capabilities = std::set<std::pair<int, int>>;

// The same for one of many. A context takes time and hundreds of megabytes of
// its device. So none is made where a device of the same capability has run our
// code: what else is wrong with it is found when it is opened.
BackendStage ProbeUnlessKnown(int device, Capabilities& known,
                              cudaDeviceProp* properties, std::string* reason) {
  int mode = cudaComputeModeDefault;
  cudaError_t error = cudaGetDeviceProperties(properties, device);
  if (error == cudaSuccess) {
    error = cudaDeviceGetAttribute(&mode, cudaDevAttrComputeMode, device);
  }
  if (error != cudaSuccess) {
    cudaGetLastError();
    *reason = absl::StrCat("device ", device, ": ", cudaGetErrorString(error));
    return BackendStage::kNoDevice;
  }
  const std::pair<int, int> capability = {properties->major, properties->minor};
  if (mode != cudaComputeModeProhibited &&
      known.count(capability) > 0) {
    return BackendStage::kOk;
  }
  const BackendStage stage = ProbeDevice(device, reason);
  if (stage == BackendStage::kOk) known.insert(capability);
  return stage;
}

}  // namespace

Facts FactsOf(const cudaDeviceProp& properties) {
  int driver = 0;
  int runtime = 0;
  TryCuda(cudaDriverGetVersion(&driver));
  TryCuda(cudaRuntimeGetVersion(&runtime));
  return {{"gpu", properties.name},
          {"compute_capability",
           absl::StrCat(properties.major, ".", properties.minor)},
          {"multiprocessors", absl::StrCat(properties.multiProcessorCount)},
          {"memory_bytes", absl::StrCat(properties.totalGlobalMem)},
          {"l2_bytes", absl::StrCat(properties.l2CacheSize)},
          {"driver_cuda", Version(driver)},
          {"runtime_cuda", Version(runtime)}};
}

BackendStatus ProbeCuda() {
  BackendStatus status;
  status.name = "cuda";
  // The runtime is linked in; the driver's library is loaded by it.
  void* const driver = dlopen("libcuda.so.1", RTLD_LAZY);
  if (driver == nullptr) {
    status.stage = BackendStage::kLibraryMissing;
    status.reason = "the NVIDIA driver's libcuda.so.1 is not installed";
    return status;
  }
  dlclose(driver);
  int count = 0;
  const cudaError_t error = cudaGetDeviceCount(&count);
  if (error != cudaSuccess || count == 0) {
    cudaGetLastError();
    status.stage = error == cudaErrorInsufficientDriver
                       ? BackendStage::kDriverTooOld
                       : BackendStage::kNoDevice;
    status.reason = error == cudaSuccess ? "no CUDA device was found"
                                         : cudaGetErrorString(error);
    return status;
  }
  const OnDevice callers;
  // The backend is available when one device is; the rest say why they are not.
  BackendStage worst = BackendStage::kOk;
  Capabilities known;
  for (int device = 0; device < count; ++device) {
    cudaDeviceProp properties;
    std::string reason;
    const BackendStage stage =
        ProbeUnlessKnown(device, known, &properties, &reason);
    if (stage == BackendStage::kOk) {
      status.devices.push_back(
          {absl::StrCat("cuda:", device), FactsOf(properties)});
    } else {
      worst = stage;
      absl::StrAppend(&status.reason, status.reason.empty() ? "" : "; ",
                      reason);
    }
  }
  if (status.devices.empty()) {
    status.stage = worst;
  } else {
    status.reason.clear();
  }
  return status;
}

// Ok and the current device, when it exists and can run our code.
absl::Status UseCudaDevice(int device) {
  int count = 0;
  TryCuda(cudaGetDeviceCount(&count));
  if (device >= count) {
    return UnavailableError(
        "cuda:", device, " is not available (no_device: there ",
        count == 1 ? "is 1 device)" : absl::StrCat("are ", count, " devices)"));
  }
  std::string reason;
  const BackendStage stage = ProbeDevice(device, &reason);
  if (stage == BackendStage::kOk) return absl::OkStatus();
  return UnavailableError("cuda:", device, " is not available (", Name(stage),
                          ": ", reason, ")");
}

}  // namespace concord
