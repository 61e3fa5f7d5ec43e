// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// What a parallel loop of oneTBB puts in order, made visible to
// ThreadSanitizer: the library is not compiled for it, so that it would take
// all that one thread hands to another for a race. Without it, nothing.

#ifndef CONCORD_BACKENDS_TBB_FORK_JOIN_H_
#define CONCORD_BACKENDS_TBB_FORK_JOIN_H_

#if defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
// A function of its own, so that reports tell it from the library's templates,
// whose races are not reported (tbb_backend.cc).
#define CONCORD_APART __attribute__((noinline))
#else
#define CONCORD_APART
#endif

namespace concord {

// The body of a parallel loop. What its thread did before Around() happens
// before all calls, and they happen before what it does after it, also where a
// call throws.
template <typename F>
class ForkJoin {
 public:
  explicit ForkJoin(const F& f) : f_(f) {}

  // Calls loop(), which calls this body on any threads and waits for them.
  template <typename Loop>
  void Around(const Loop& loop) const {
    Release();
    const Joins joins{*this};
    loop();
  }
  template <typename... Arguments>
  CONCORD_APART void operator()(Arguments... arguments) const {
    Acquire();
    f_(arguments...);
    Release();
  }

 private:
  struct Joins {
    ~Joins() { body.Acquire(); }
    const ForkJoin& body;
  };

#if defined(__SANITIZE_THREAD__)
  void Acquire() const { __tsan_acquire(const_cast<ForkJoin*>(this)); }
  void Release() const { __tsan_release(const_cast<ForkJoin*>(this)); }
#else
  void Acquire() const {}
  void Release() const {}
#endif

  const F& f_;
};

}  // namespace concord

#endif  // CONCORD_BACKENDS_TBB_FORK_JOIN_H_
