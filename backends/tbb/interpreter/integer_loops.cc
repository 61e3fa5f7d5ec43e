// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "concord/backends/tbb/interpreter/step.h"
#include "concord/backends/tbb/simd.h"
#include "concord/core/expression/operations.h"
#include "concord/core/operators.h"

#define CONCORD_SIMD_FILE \
  "concord/backends/tbb/interpreter/integer_loop_kernel.h"
#include "concord/backends/tbb/simd_for_each.h"

namespace concord::interpreter {

StepFunction FindIntegerLoop(const StepForm& form) {
  return CONCORD_SIMD_CHOOSE(IntegerLoop)(form);
}

}  // namespace concord::interpreter
