// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_BACKENDS_TBB_TBB_BACKEND_H_
#define CONCORD_BACKENDS_TBB_TBB_BACKEND_H_

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <cstdint>
#include <memory>
#include <utility>

#include "concord/backends/host/host_backend.h"
#include "concord/backends/tbb/fork_join.h"
#include "concord/core/backend.h"

namespace concord {

// Threads of oneTBB, as many as the spec says ("tbb:8"), or as many as the CPUs
// that the process may use ("tbb").
class TbbBackend : public HostBackend {
 public:
  explicit TbbBackend(int threads);

  int threads() const { return threads_; }

  // Calls f(i) for 0 <= i < count, each once, on this backend's threads, and
  // waits for all. Costs some microseconds, but for one thread or one call:
  // small work is better done in place.
  template <typename F>
  void ForEach(std::int64_t count, const F& f) {
    if (threads_ == 1 || count <= 1) {
      for (std::int64_t i = 0; i < count; ++i) f(i);
      return;
    }
    const ForkJoin<F> body(f);
    body.Around([&] {
      arena_.execute(
          [&] { oneapi::tbb::parallel_for(std::int64_t{0}, count, body); });
    });
  }

  // Calls f() where loops of oneTBB find this backend's threads: for code that
  // starts such loops itself.
  template <typename F>
  void Execute(const F& f) {
    const ForkJoin<F> body(f);
    body.Around([&] { arena_.execute([&] { body(); }); });
  }

  // Calls f(first, last) for pieces [first, last) that make up [0, n), most of
  // them of half `grain` elements or more.
  template <typename F>
  void ForEachRange(std::int64_t n, std::int64_t grain, const F& f) {
    if (threads_ == 1 || n <= grain) {
      if (n > 0) f(std::int64_t{0}, n);
      return;
    }
    const ForkJoin<F> body(f);
    body.Around([&] {
      arena_.execute([&] {
        oneapi::tbb::parallel_for(
            oneapi::tbb::blocked_range<std::int64_t>(0, n, grain),
            [&](const auto& piece) { body(piece.begin(), piece.end()); });
      });
    });
  }

 protected:
  absl::Status CopyChecked(ConstArrayView from, ArrayView to) override;
  absl::Status ReadChecked(ConstArrayView data) override;

 private:
  int threads_;
  oneapi::tbb::task_arena arena_;
};

// For implementations registered under "tbb", which are given no other backend.
inline std::shared_ptr<TbbBackend> AsTbb(std::shared_ptr<Backend> backend) {
  return std::static_pointer_cast<TbbBackend>(std::move(backend));
}

// What implementations of an algorithm's interface on oneTBB start from.
template <typename Interface>
class OnTbb : public Interface {
 protected:
  TbbBackend& backend() const {
    return static_cast<TbbBackend&>(Interface::backend());
  }
};

}  // namespace concord

#endif  // CONCORD_BACKENDS_TBB_TBB_BACKEND_H_
