// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_TOOLS_BINDINGS_C_BACKEND_H_
#define CONCORD_TOOLS_BINDINGS_C_BACKEND_H_

#include <memory>
#include <mutex>
#include <utility>

#include "concord/backends/cuda/cuda_address.h"
#include "concord/core/backend.h"
#include "concord/tools/bindings/concord.h"

namespace concord::bindings {

// What a call holds as long as it uses a backend: its turn, which it may do
// without, and the thread's current GPU, which is the caller's own.
class Turn {
 public:
  Turn(std::mutex* mutex, bool on_gpu) : device_(on_gpu) {
    if (mutex != nullptr) lock_ = std::unique_lock<std::mutex>(*mutex);
  }

 private:
  const KeptCudaDevice device_;
  std::unique_lock<std::mutex> lock_;
};

// A backend, which serves one thread at a time, for callers who need not know
// that.
class SharedBackend {
 public:
  SharedBackend(std::shared_ptr<Backend> backend, concord_device device)
      : backend_(std::move(backend)), device_(device) {}

  const std::shared_ptr<Backend>& backend() const { return backend_; }
  concord_device device() const { return device_; }

  // Held as long as the backend is used.
  Turn TakeTurn() const { return Turn(&mutex_, IsOnGpu()); }
  // For what uses nothing that is one thread's at a time.
  Turn UseBesideOthers() const { return Turn(nullptr, IsOnGpu()); }

 private:
  bool IsOnGpu() const { return !backend_->memory().is_host(); }

  std::shared_ptr<Backend> backend_;
  concord_device device_;
  mutable std::mutex mutex_;
};

}  // namespace concord::bindings

struct concord_backend {
  std::shared_ptr<concord::bindings::SharedBackend> shared;
};

#endif  // CONCORD_TOOLS_BINDINGS_C_BACKEND_H_
