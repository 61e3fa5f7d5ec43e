// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_CORE_TERMINAL_H_
#define CONCORD_CORE_TERMINAL_H_

namespace concord {

// Whether standard output may have colours: where it is a terminal that knows
// them and NO_COLOR is not set. Ranks of MPI have a terminal of mpirun's own,
// wherever mpirun writes itself, so theirs has none.
bool OutputHasColours();

}  // namespace concord

#endif  // CONCORD_CORE_TERMINAL_H_
