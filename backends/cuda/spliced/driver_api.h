// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_BACKENDS_CUDA_SPLICED_DRIVER_API_H_
#define CONCORD_BACKENDS_CUDA_SPLICED_DRIVER_API_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

// The same declarations as CUDA's, whose headers .cu files alone include.
typedef struct CUstream_st* cudaStream_t;
typedef struct CUfunc_st* CUfunction;
typedef struct CUmod_st* CUmodule;

namespace concord::spliced {

// What a grid is made of, in one dimension.
struct GridShape {
  std::int64_t blocks;
  int threads;
  int shared_bytes = 0;
};

struct KernelResources {
  int registers;
  // Of a thread in memory: not 0 where registers were too few.
  int local_bytes;
};

// The compiler and the loader of the CUDA driver, whose library is looked for
// when it is first wanted: programs start without one. All calls are for the
// calling thread's current device (CudaBackend::Activate).
class DriverApi {
 public:
  // Unavailable: there is no driver, or one without these functions; says
  // which.
  static absl::StatusOr<const DriverApi*> Get();

  // Of the CUDA version that it supports and, where the system tells, the
  // driver's own: "13000 580.159.03".
  std::string Version() const;

  // Machine code for the current device. `what` is for errors.
  //
  // Unavailable: the driver cannot compile it, because its compiler is not
  // installed, because it is older than this PTX, or because it was told not
  // to; says which. Internal: it is not PTX, with the compiler's log.
  absl::StatusOr<std::string> Compile(absl::string_view ptx,
                                      absl::string_view what) const;

  // Machine code on the current device, until the last copy of the pointer is
  // destroyed.
  absl::StatusOr<std::shared_ptr<CUmod_st>> Load(absl::string_view code,
                                                 absl::string_view what) const;

  absl::StatusOr<CUfunction> Kernel(CUmodule module, const char* name) const;
  absl::StatusOr<KernelResources> ResourcesOf(CUfunction kernel) const;

  // Queues a kernel. `parameters`: pointers to each.
  absl::Status Launch(CUfunction kernel, const GridShape& shape,
                      cudaStream_t stream, void** parameters,
                      absl::string_view what) const;

 private:
  // Lets the kernel have so much, whatever others let it have.
  absl::Status AllowSharedMemory(CUfunction kernel, int bytes,
                                 absl::string_view what) const;

  struct Functions;

  explicit DriverApi(std::shared_ptr<const Functions> functions)
      : functions_(std::move(functions)) {}
  static absl::StatusOr<DriverApi> Open();
  absl::Status Check(int result, absl::string_view doing,
                     absl::string_view what) const;

  std::shared_ptr<const Functions> functions_;
};

}  // namespace concord::spliced

#endif  // CONCORD_BACKENDS_CUDA_SPLICED_DRIVER_API_H_
