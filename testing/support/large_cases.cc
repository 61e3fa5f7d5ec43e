// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/testing/support/large_cases.h"

#include <cstdlib>
#include <string>

namespace concord {

bool LargeCasesAreWanted() {
  const char* variable = std::getenv("CONCORD_LARGE");
  return variable != nullptr && variable == std::string("1");
}

}  // namespace concord
