// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_BACKENDS_CUDA_CUB_CALLS_CUH_
#define CONCORD_BACKENDS_CUDA_CUB_CALLS_CUH_

#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "concord/backends/cuda/cuda_status.h"
#include "concord/backends/cuda/scratch.cuh"

namespace concord {

// Calls an algorithm of CUB by `call(memory, bytes)`: first without memory, to
// be told how many bytes it wants, then with as many.
template <typename Call>
absl::Status RunCub(Scratch& scratch, absl::string_view what,
                    const Call& call) {
  ForgetOlderError();
  std::size_t bytes = 0;
  absl::Status status = CudaStatus(call(nullptr, bytes), what);
  if (status.ok()) {
    status = scratch.Reserve(static_cast<std::int64_t>(bytes));
  }
  return status.ok() ? CudaStatus(call(scratch.data(), bytes), what) : status;
}

}  // namespace concord

#endif  // CONCORD_BACKENDS_CUDA_CUB_CALLS_CUH_
