// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_TOOLS_CONCORD_INTERRUPTION_H_
#define CONCORD_TOOLS_CONCORD_INTERRUPTION_H_

#include <signal.h>

#include <csignal>
#include <cstddef>

#include "concord/core/signals.h"

namespace concord {

// While it is there, the first SIGINT, SIGTERM or SIGHUP is merely noted. The
// next one does what it did before. One that is ignored, as by nohup, stays so.
class Interruption {
 public:
  Interruption() {
    struct sigaction action = {};
    action.sa_handler = [](int signal) {
      came_ = signal;
      sigaction(signal, &before_[IndexOf(signal)], nullptr);
    };
    for (const int signal : kInterruptions) {
      HandleUnlessIgnored(signal, action, &before_[IndexOf(signal)]);
    }
  }
  ~Interruption() {
    for (const int signal : kInterruptions) {
      sigaction(signal, &before_[IndexOf(signal)], nullptr);
    }
  }
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  bool has_come() const { return came_ != 0; }
  // Ends the program as the signal would have, for whoever waits for it.
  void End() const { raise(came_); }

 private:
  static std::size_t IndexOf(int signal) {
    return signal == SIGINT ? 0 : signal == SIGTERM ? 1 : 2;
  }

  // Where a signal handler finds them.
  static inline volatile std::sig_atomic_t came_ = 0;
  static inline struct sigaction before_[3];
};

}  // namespace concord

#endif  // CONCORD_TOOLS_CONCORD_INTERRUPTION_H_
