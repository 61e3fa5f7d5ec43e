// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/core/names.h"

#include <set>
#include <string>

#include "absl/strings/str_cat.h"
#include "concord/core/algorithm.h"
#include "concord/core/guarded.h"

namespace concord {

absl::Status CheckNames() {
  return Guarded([&]() -> absl::Status {
    std::set<std::string> algorithms;
    std::set<std::string> implementations;
    for (const Algorithm* algorithm : AllAlgorithms()) {
      if (!algorithms.insert(algorithm->name()).second) {
        return absl::FailedPreconditionError(
            absl::StrCat("this program has two algorithms of the name '",
                         algorithm->name(), "'; give one another kName"));
      }
      for (const ImplementationInfo& info : algorithm->implementations()) {
        if (implementations.insert(info.name()).second) continue;
        return absl::FailedPreconditionError(
            absl::StrCat("this program has two implementations of the name '",
                         info.name(), "'; register one as another variant"));
      }
    }
    return absl::OkStatus();
  });
}

}  // namespace concord
