// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_TOOLS_CONCORD_FUNCTIONS_H_
#define CONCORD_TOOLS_CONCORD_FUNCTIONS_H_

#include <string>
#include <vector>

#include "concord/core/algorithm.h"

namespace concord {

using Arguments = std::vector<std::string>;

// Where an option of the algorithm is a function of the user's, the same call
// as one of `sequence`:
//
//   run reduce --op='a > b ? a : b' --input=FILE
//   run sequence --program='reduce a > b ? a : b' --input=FILE
//
// Other arguments are as they were.
Arguments WithProgram(const Algorithm& algorithm, Arguments arguments);

}  // namespace concord

#endif  // CONCORD_TOOLS_CONCORD_FUNCTIONS_H_
