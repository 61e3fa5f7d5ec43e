// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_CORE_NAMES_H_
#define CONCORD_CORE_NAMES_H_

#include "absl/status/status.h"

namespace concord {

// FailedPrecondition where two algorithms of this program, or two
// implementations, have the same name: only one of them could be found, and its
// results would be compared with what is right for the other. For programs that
// find both by name, when everything has been registered.
absl::Status CheckNames();

}  // namespace concord

#endif  // CONCORD_CORE_NAMES_H_
