// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_BACKENDS_MPI_WATCHDOG_H_
#define CONCORD_BACKENDS_MPI_WATCHDOG_H_

#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "concord/backends/mpi/time_left.h"

namespace concord {

// Gives waits a limit that nobody can look at from time to time, such as those
// within MPI_Init and MPI_Finalize. If one takes too long, the process ends:
// from outside, nothing else ends such a wait. mpirun then ends the other
// ranks.
class Watchdog {
 public:
  // How the process ends: one line on standard error, and an exit status.
  struct End {
    std::string words;
    int exit_status;
  };

  // Starts the thread that watches. It lives as long as the process, so that
  // the last wait needs no memory. ResourceExhausted if there is none for it.
  static absl::StatusOr<Watchdog*> Start();

  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  // Calls it. Nothing of the process is put in order if the time runs out: no
  // destructor runs, and no file is removed. What was printed is not lost. Time
  // in which the process itself stood still does not count: the others, which
  // have waited for it, are about to end it.
  template <typename F>
  void Limit(double seconds, End end, const F& wait) {
    Set(seconds, std::move(end));
    wait();
    Clear();
  }

 private:
  struct Limits {
    TimeLeft left;
    End end;
  };

  Watchdog() = default;
  void Set(double seconds, End end);
  void Clear();
  [[noreturn]] void Watch();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<Limits> limits_;
};

}  // namespace concord

#endif  // CONCORD_BACKENDS_MPI_WATCHDOG_H_
