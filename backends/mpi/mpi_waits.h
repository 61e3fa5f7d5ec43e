// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// How long ranks wait for each other, and how a job ends if some do not come
// where MPI lets nobody look.

#ifndef CONCORD_BACKENDS_MPI_MPI_WAITS_H_
#define CONCORD_BACKENDS_MPI_MPI_WAITS_H_

#include <string>
#include <utility>

#include "absl/strings/string_view.h"
#include "concord/backends/mpi/watchdog.h"

namespace concord {

// How long a rank that ends with a failure waits for the others to end, too:
// they may be about to print.
inline constexpr double kFarewellSeconds = 10;

// The same of a rank that has waited long enough for some of them: those that
// have waited with it may still be about to print.
inline constexpr double kShortFarewellSeconds = 1;

// The same of a rank that has failed before MPI was started, which takes long
// on a busy machine.
inline constexpr double kStartSeconds = 30;

// The exit status of a job whose ranks wait in vain: what the command line has
// for a failure that is not the user's.
inline constexpr int kFailed = 1;

// Ranks that wait together where they cannot talk to each other give up
// together. The lower ones are ahead by so much, and the job ends before the
// others have said the same.
double Ahead(int rank);

std::string NotComeFor(double seconds);

// The limit of a wait, and what happens then.
struct WaitLimit {
  double seconds;
  Watchdog::End end;
};

template <typename F>
void WaitWithin(Watchdog& watchdog, WaitLimit limit, const F& wait) {
  watchdog.Limit(limit.seconds, std::move(limit.end), wait);
}

// Of a call of MPI that waits for the other ranks.
WaitLimit LimitOf(absl::string_view call, int exit_status = kFailed);

// Of the calls that start MPI, in a rank that has failed before and has these
// words for the others: it does not wait until they have done what they have to
// do before. If they are late, it says the words itself.
WaitLimit LimitOfFailed(absl::string_view words, int exit_status);

}  // namespace concord

#endif  // CONCORD_BACKENDS_MPI_MPI_WAITS_H_
