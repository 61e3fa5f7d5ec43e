// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_BACKENDS_TBB_BACKOFF_H_
#define CONCORD_BACKENDS_TBB_BACKOFF_H_

#include <thread>

namespace concord {

// Waits for another thread: at first without giving up the CPU, because it will
// not be long; then giving it up, because that thread may need it.
//
//   for (Backoff backoff; !ready.load(); backoff.Wait()) {
//   }
class Backoff {
 public:
  void Wait() {
    if (++waits_ > 64) {
      std::this_thread::yield();
    } else {
#if defined(__x86_64__)
      __builtin_ia32_pause();
#endif
    }
  }

 private:
  int waits_ = 0;
};

}  // namespace concord

#endif  // CONCORD_BACKENDS_TBB_BACKOFF_H_
