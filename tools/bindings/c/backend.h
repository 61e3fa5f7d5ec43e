// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_TOOLS_BINDINGS_C_BACKEND_H_
#define CONCORD_TOOLS_BINDINGS_C_BACKEND_H_

#include <memory>
#include <mutex>
#include <utility>

#include "concord/core/backend.h"
#include "concord/tools/bindings/concord.h"

namespace concord::bindings {

// A backend, which serves one thread at a time, for callers who need not know
// that.
class SharedBackend {
 public:
  SharedBackend(std::shared_ptr<Backend> backend, concord_device device)
      : backend_(std::move(backend)), device_(device) {}

  const std::shared_ptr<Backend>& backend() const { return backend_; }
  concord_device device() const { return device_; }

  // Held as long as the backend is used.
  std::unique_lock<std::mutex> Turn() const {
    return std::unique_lock<std::mutex>(turn_);
  }

 private:
  std::shared_ptr<Backend> backend_;
  concord_device device_;
  mutable std::mutex turn_;
};

}  // namespace concord::bindings

struct concord_backend {
  std::shared_ptr<concord::bindings::SharedBackend> shared;
};

#endif  // CONCORD_TOOLS_BINDINGS_C_BACKEND_H_
