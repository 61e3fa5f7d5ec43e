// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_TESTING_GPUS_FAULTS_H_
#define CONCORD_TESTING_GPUS_FAULTS_H_

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "concord/core/spec.h"
#include "concord/testing/engine/counterexample.h"
#include "concord/testing/engine/examiner.h"
#include "concord/testing/engine/planted_faults.h"
#include "concord/testing/engine/recipe.h"

namespace concord {

// Faults in what is shared out among the members of a group. They are planted
// where members are two on one GPU.

// Where the second member's part of a striped array begins, in elements; the
// whole size of one that does not reach it.
inline std::int64_t EndOfFirstStripe(const ConstArrayView& array) {
  constexpr std::int64_t kStripe = std::int64_t{2} << 20;
  const auto address = reinterpret_cast<std::uintptr_t>(array.data());
  const auto left = static_cast<std::int64_t>(kStripe - address % kStripe);
  return std::min(left / SizeOf(array.type()), array.size());
}

// Whether the standard suite finds the fault in this implementation.
inline bool IsNoticed(const Fault& fault, const AlgorithmSpec& spec,
                      const ImplementationInfo& info) {
  for (const SuitePart& part : StandardSuite()) {
    Examiner examiner(Subject{&spec, info, &fault});
    const Round round =
        Go(examiner, part.recipes({&spec, info, {"gpus:0+0@striped"}}, 1));
    if (round.failure.has_value()) return true;
  }
  return false;
}

}  // namespace concord

#endif  // CONCORD_TESTING_GPUS_FAULTS_H_
