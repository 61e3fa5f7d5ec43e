// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/backends/mpi/watchdog.h"

#include <errno.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <memory>
#include <system_error>
#include <thread>

#include "absl/strings/str_cat.h"
#include "concord/core/errors.h"

namespace concord {
namespace {

// Threads that are started meanwhile get no signals: they belong to the
// program's own.
class WithoutSignals {
 public:
  WithoutSignals() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~WithoutSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_;
};

}  // namespace

absl::StatusOr<Watchdog*> Watchdog::Start() {
  // Never destroyed, because its thread looks at it until the end.
  std::unique_ptr<Watchdog> watchdog(new Watchdog());
  const WithoutSignals without_signals;
  try {
    std::thread([watching = watchdog.get()] { watching->Watch(); }).detach();
  } catch (const std::system_error& error) {
    return ResourceExhaustedError("no thread can be started: ", error.what());
  }
  return watchdog.release();
}

void Watchdog::Set(double seconds, End end) {
  // The thread that watches may not be able to: another one may be printing.
  std::cout.flush();
  std::fflush(stdout);
  end.words =
      absl::StrCat(program_invocation_short_name, ": ", end.words, "\n");
  const std::lock_guard<std::mutex> lock(mutex_);
  limits_ = Limits{TimeLeft(seconds), std::move(end)};
  changed_.notify_all();
}

void Watchdog::Clear() {
  const std::lock_guard<std::mutex> lock(mutex_);
  limits_.reset();
}

void Watchdog::Watch() {
  std::unique_lock<std::mutex> lock(mutex_);
  while (true) {
    if (!limits_.has_value()) {
      changed_.wait(lock);
      continue;
    }
    const auto left = limits_->left.Look();
    if (left > left.zero()) {
      changed_.wait_for(lock, std::min<TimeLeft::Clock::duration>(
                                  left, TimeLeft::kBetweenLooks));
    } else {
      const End& end = limits_->end;
      // Whether it is heard or not, there is nothing else to be done.
      (void)!write(STDERR_FILENO, end.words.data(), end.words.size());
      _exit(end.exit_status);
    }
  }
}

}  // namespace concord
