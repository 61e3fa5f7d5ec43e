// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_BACKENDS_TBB_TBB_BACKEND_H_
#define CONCORD_BACKENDS_TBB_TBB_BACKEND_H_

#include <oneapi/tbb/task_arena.h>

#include <memory>
#include <utility>

#include "backends/host/host_backend.h"
#include "core/backend.h"

namespace concord {

// Threads of oneTBB, as many as the spec says ("tbb:8"), or as many as the CPUs
// that the process may use ("tbb").
class TbbBackend : public HostBackend {
 public:
  explicit TbbBackend(int threads);

  int threads() const { return threads_; }

  absl::Status ReadOnce(ConstArrayView data) override;

  // Runs `f` where parallel algorithms of oneTBB find this backend's threads
  // and no others. Costs some microseconds: small work is better done in place.
  template <typename F>
  auto Execute(F&& f) {
    return arena_.execute(std::forward<F>(f));
  }

 protected:
  absl::Status CopyChecked(ConstArrayView from, ArrayView to) override;

 private:
  int threads_;
  oneapi::tbb::task_arena arena_;
};

// For implementations registered under "tbb", which are given no other backend.
inline std::shared_ptr<TbbBackend> AsTbb(std::shared_ptr<Backend> backend) {
  return std::static_pointer_cast<TbbBackend>(std::move(backend));
}

}  // namespace concord

#endif  // CONCORD_BACKENDS_TBB_TBB_BACKEND_H_
