// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_BACKENDS_PATIENCE_H_
#define CONCORD_BACKENDS_PATIENCE_H_

#include "absl/status/status.h"

namespace concord {

// The longest wait. Nobody lives to see its end, and clocks still count so far.
inline constexpr double kMostSeconds = 1e9;

// How many seconds the members of a backend wait for each other:
// $CONCORD_PATIENCE, or `usual` where that is not a number above 0.
double PatienceSeconds(double usual);

// InvalidArgument: $CONCORD_PATIENCE is there and no number above 0. Backends
// with members ask before they open, as CheckEnvironment() does.
absl::Status CheckPatience();

}  // namespace concord

#endif  // CONCORD_BACKENDS_PATIENCE_H_
