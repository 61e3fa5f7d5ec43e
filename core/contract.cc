// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/core/contract.h"

#include <algorithm>

namespace concord {

absl::string_view Name(Determinism determinism) {
  switch (determinism) {
    case Determinism::kNone:
      return "none";
    case Determinism::kRunToRun:
      return "run_to_run";
    case Determinism::kBitwiseAcrossBackends:
      return "bitwise_across_backends";
  }
  return "unknown";
}

bool Contract::Allows(ElementType type) const {
  return std::find(element_types.begin(), element_types.end(), type) !=
         element_types.end();
}

}  // namespace concord
