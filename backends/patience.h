// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_BACKENDS_PATIENCE_H_
#define CONCORD_BACKENDS_PATIENCE_H_

namespace concord {

// The longest wait. Nobody lives to see its end, and clocks still count so far.
inline constexpr double kMostSeconds = 1e9;

// How many seconds the members of a backend wait for each other:
// $CONCORD_PATIENCE, or `usual` where that is not a number above 0.
double PatienceSeconds(double usual);

}  // namespace concord

#endif  // CONCORD_BACKENDS_PATIENCE_H_
