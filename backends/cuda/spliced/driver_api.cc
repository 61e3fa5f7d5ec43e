// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/backends/cuda/spliced/driver_api.h"

#include <dlfcn.h>

#include <cstddef>
#include <fstream>
#include <mutex>
#include <utility>

#include "absl/strings/str_cat.h"
#include "concord/backends/cuda/spliced/symbols.h"
#include "concord/core/errors.h"

namespace concord::spliced {
namespace {

// Of cuda.h, whose numbers never change: results, options of the compiler, its
// inputs, attributes of kernels.
constexpr int kSuccess = 0;
constexpr int kOutOfMemory = 2;
constexpr int kNoBinaryForGpu = 209;
constexpr int kJitCompilerNotFound = 221;
constexpr int kUnsupportedPtxVersion = 222;
constexpr int kJitCompilationDisabled = 223;

constexpr int kErrorLogBuffer = 5;
constexpr int kErrorLogBufferSize = 6;

constexpr int kInputPtx = 1;

constexpr int kSharedSize = 8;
constexpr int kLocalSize = 3;
constexpr int kRegisters = 4;

typedef struct CUlinkState_st* CUlinkState;

constexpr std::size_t kLogBytes = 8192;
// A block has so much shared memory without asking.
constexpr int kSharedAnyway = 48 << 10;
constexpr std::int64_t kMostBlocks = (std::int64_t{1} << 31) - 1;

// Why the driver cannot compile; nullptr for other results.
const char* WhyNotCompiled(int result) {
  switch (result) {
    case kJitCompilerNotFound:
      return "the driver's compiler, libnvidia-ptxjitcompiler.so.1, is not "
             "installed";
    case kUnsupportedPtxVersion:
      return "the driver is older than the CUDA toolkit that this program was "
             "built with, or than NVRTC";
    case kJitCompilationDisabled:
      return "the driver was told not to compile (CUDA_DISABLE_PTX_JIT)";
    case kNoBinaryForGpu:
      return "the GPU is older than what this code is for";
    default:
      return nullptr;
  }
}

}  // namespace

struct DriverApi::Functions {
  int (*cuDriverGetVersion)(int*);
  int (*cuGetErrorName)(int, const char**);
  int (*cuLinkCreate_v2)(unsigned, int*, void**, CUlinkState*);
  int (*cuLinkAddData_v2)(CUlinkState, int, void*, std::size_t, const char*,
                          unsigned, int*, void**);
  int (*cuLinkComplete)(CUlinkState, void**, std::size_t*);
  int (*cuLinkDestroy)(CUlinkState);
  int (*cuModuleLoadData)(CUmodule*, const void*);
  int (*cuModuleUnload)(CUmodule);
  int (*cuModuleGetFunction)(CUfunction*, CUmodule, const char*);
  int (*cuFuncSetAttribute)(CUfunction, int, int);
  int (*cuFuncGetAttribute)(int*, int, CUfunction);
  int (*cuLaunchKernel)(CUfunction, unsigned, unsigned, unsigned, unsigned,
                        unsigned, unsigned, unsigned, cudaStream_t, void**,
                        void**);
};

absl::StatusOr<DriverApi> DriverApi::Open() {
  // For as long as the program runs: modules are unloaded last.
  void* const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    return UnavailableError("there is no CUDA driver: ", dlerror());
  }
  auto functions = std::make_shared<Functions>();
  Symbols symbols(library);
#define CONCORD_FIND(name) symbols.Find(functions->name, #name)
  CONCORD_FIND(cuDriverGetVersion);
  CONCORD_FIND(cuGetErrorName);
  CONCORD_FIND(cuLinkCreate_v2);
  CONCORD_FIND(cuLinkAddData_v2);
  CONCORD_FIND(cuLinkComplete);
  CONCORD_FIND(cuLinkDestroy);
  CONCORD_FIND(cuModuleLoadData);
  CONCORD_FIND(cuModuleUnload);
  CONCORD_FIND(cuModuleGetFunction);
  CONCORD_FIND(cuFuncSetAttribute);
  CONCORD_FIND(cuFuncGetAttribute);
  CONCORD_FIND(cuLaunchKernel);
#undef CONCORD_FIND
  if (symbols.missing() != nullptr) {
    return UnavailableError("the CUDA driver has no ", symbols.missing());
  }
  return DriverApi(std::move(functions));
}

absl::StatusOr<const DriverApi*> DriverApi::Get() {
  static const auto* const kOpened = new absl::StatusOr<DriverApi>(Open());
  if (!kOpened->ok()) return kOpened->status();
  return &**kOpened;
}

absl::Status DriverApi::Check(int result, absl::string_view doing,
                              absl::string_view what) const {
  if (result == kSuccess) return absl::OkStatus();
  if (const char* const why = WhyNotCompiled(result)) {
    return UnavailableError(doing, " ", what, ": ", why);
  }
  const char* name = nullptr;
  functions_->cuGetErrorName(result, &name);
  const std::string message =
      absl::StrCat(doing, " ", what, ": ", name == nullptr ? "error" : name,
                   " (", result, ")");
  return result == kOutOfMemory ? absl::ResourceExhaustedError(message)
                                : absl::InternalError(message);
}

std::string DriverApi::Version() const {
  int version = 0;
  functions_->cuDriverGetVersion(&version);
  std::string own;
  std::ifstream("/sys/module/nvidia/version") >> own;
  return absl::StrCat(version, " ", own);
}

absl::StatusOr<std::string> DriverApi::Compile(absl::string_view ptx,
                                               absl::string_view what) const {
  std::string log(kLogBytes, '\0');
  int options[] = {kErrorLogBuffer, kErrorLogBufferSize};
  // The size travels in the place of a pointer.
  void* values[] = {log.data(), reinterpret_cast<void*>(log.size())};
  CUlinkState state = nullptr;
  RETURN_IF_ERROR(Check(functions_->cuLinkCreate_v2(2, options, values, &state),
                        "starting to compile", what));
  const std::unique_ptr<CUlinkState_st, int (*)(CUlinkState)> owner(
      state, functions_->cuLinkDestroy);
  // The text ends with a 0 that counts.
  std::string text(ptx);
  void* code = nullptr;
  std::size_t size = 0;
  int result = functions_->cuLinkAddData_v2(state, kInputPtx, text.data(),
                                            text.size() + 1, "spliced.ptx", 0,
                                            nullptr, nullptr);
  if (result == kSuccess) {
    result = functions_->cuLinkComplete(state, &code, &size);
  }
  absl::Status status = Check(result, "compiling", what);
  if (status.code() == absl::StatusCode::kInternal && log[0] != '\0') {
    status = InternalError(status.message(), "\n", log.c_str());
  }
  if (!status.ok()) return status;
  return std::string(static_cast<const char*>(code), size);
}

absl::StatusOr<std::shared_ptr<CUmod_st>> DriverApi::Load(
    absl::string_view code, absl::string_view what) const {
  // Copied, because the driver reads words.
  const std::string image(code);
  CUmodule module = nullptr;
  RETURN_IF_ERROR(Check(functions_->cuModuleLoadData(&module, image.data()),
                        "loading", what));
  return std::shared_ptr<CUmod_st>(module, functions_->cuModuleUnload);
}

absl::StatusOr<CUfunction> DriverApi::Kernel(CUmodule module,
                                             const char* name) const {
  CUfunction kernel = nullptr;
  RETURN_IF_ERROR(Check(functions_->cuModuleGetFunction(&kernel, module, name),
                        "looking for", name));
  return kernel;
}

absl::StatusOr<KernelResources> DriverApi::ResourcesOf(
    CUfunction kernel) const {
  KernelResources resources{};
  RETURN_IF_ERROR(Check(
      functions_->cuFuncGetAttribute(&resources.registers, kRegisters, kernel),
      "asking for", "registers"));
  RETURN_IF_ERROR(Check(functions_->cuFuncGetAttribute(&resources.local_bytes,
                                                       kLocalSize, kernel),
                        "asking for", "local memory"));
  return resources;
}

absl::Status DriverApi::AllowSharedMemory(CUfunction kernel, int bytes,
                                          absl::string_view what) const {
  // The limit only rises: others may launch the kernel at the same time.
  static auto* const mutex = new std::mutex();
  const std::lock_guard<std::mutex> lock(*mutex);
  int allowed = 0;
  RETURN_IF_ERROR(
      Check(functions_->cuFuncGetAttribute(&allowed, kSharedSize, kernel),
            "asking for", "shared memory"));
  if (bytes <= allowed) return absl::OkStatus();
  return Check(functions_->cuFuncSetAttribute(kernel, kSharedSize, bytes),
               "shared memory for", what);
}

absl::Status DriverApi::Launch(CUfunction kernel, const GridShape& shape,
                               cudaStream_t stream, void** parameters,
                               absl::string_view what) const {
  if (shape.blocks > kMostBlocks) {
    return ResourceExhaustedError(what, ": a grid of ", shape.blocks,
                                  " blocks; CUDA's have at most ", kMostBlocks);
  }
  if (shape.shared_bytes > kSharedAnyway) {
    RETURN_IF_ERROR(AllowSharedMemory(kernel, shape.shared_bytes, what));
  }
  return Check(
      functions_->cuLaunchKernel(kernel, static_cast<unsigned>(shape.blocks), 1,
                                 1, static_cast<unsigned>(shape.threads), 1, 1,
                                 static_cast<unsigned>(shape.shared_bytes),
                                 stream, parameters, nullptr),
      "launch of", what);
}

}  // namespace concord::spliced
