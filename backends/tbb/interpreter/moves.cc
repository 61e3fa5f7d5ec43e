// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "concord/backends/tbb/interpreter/step.h"
#include "concord/backends/tbb/simd.h"
#include "concord/core/element_type.h"
#include "concord/core/operators.h"

#define CONCORD_SIMD_FILE "concord/backends/tbb/interpreter/move_kernel.h"
#include "concord/backends/tbb/simd_for_each.h"

namespace concord::interpreter {

StepFunction FindMove(const StepForm& form) {
  return CONCORD_SIMD_CHOOSE(Move)(form);
}

int VectorBytes() { return *CONCORD_SIMD_CHOOSE(kVectorBytes); }

void RunTiles(const Step* steps, Frame* frame, std::int64_t tiles,
              const BetweenTiles& between) {
  CONCORD_SIMD_CHOOSE(RunAll)(steps, frame, tiles, between);
}

}  // namespace concord::interpreter
