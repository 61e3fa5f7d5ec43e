// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_TESTING_SUPPORT_EVERY_ALGORITHM_H_
#define CONCORD_TESTING_SUPPORT_EVERY_ALGORITHM_H_

#include <string>
#include <vector>

#include "concord/core/spec.h"

namespace concord {

// By name, for tests of which there is one for each algorithm of the program.
inline std::vector<std::string> EveryAlgorithm() {
  std::vector<std::string> names;
  for (const AlgorithmSpec* spec : AllSpecs()) names.push_back(spec->name());
  return names;
}

}  // namespace concord

#endif  // CONCORD_TESTING_SUPPORT_EVERY_ALGORITHM_H_
