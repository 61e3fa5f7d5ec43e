// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// What a team asks of CUDA, for files that see none of its headers. A program
// that is built without CUDA has it too, and gets Unavailable.

#ifndef CONCORD_BACKENDS_MPI_GPU_LINK_H_
#define CONCORD_BACKENDS_MPI_GPU_LINK_H_

#include <array>
#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "concord/core/backend.h"

namespace concord {

using GpuUuid = std::array<unsigned char, 16>;
// cudaIpcMemHandle_t.
using GpuHandle = std::array<char, 64>;

// How far this machine gets with CUDA, and on which devices. Makes a context on
// some of them.
BackendStatus ProbeGpus();

// Whether there is a GPU at all, which our code may be unable to run on. Makes
// no context.
bool HasGpu();

// `local` is a backend "cuda" in all of these.

absl::StatusOr<GpuUuid> UuidOf(Backend& local);

// Memory of its GPU that other processes of the host can open. It is never
// freed: the next one of its size is the same memory.
struct GpuWindow {
  std::shared_ptr<char> data;
  GpuHandle handle;
};
absl::StatusOr<GpuWindow> MakeWindow(Backend& local, std::int64_t bytes);

// Another process's, for copies on the GPU of `local`.
absl::StatusOr<std::shared_ptr<char>> OpenWindow(Backend& local,
                                                 const GpuHandle& handle);

// Queues an addition to elements in its memory: ShiftPositions on a GPU.
absl::Status ShiftOnGpu(Backend& local, ArrayView positions, std::int64_t by);

// Whether all work that was given to it is done; does not wait.
absl::StatusOr<bool> IsDone(Backend& local);

}  // namespace concord

#endif  // CONCORD_BACKENDS_MPI_GPU_LINK_H_
