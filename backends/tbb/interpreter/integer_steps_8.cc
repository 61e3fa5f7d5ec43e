// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "concord/backends/tbb/interpreter/step.h"
#include "concord/backends/tbb/simd.h"
#include "concord/core/operators.h"

#define CONCORD_SIMD_FILE "concord/backends/tbb/interpreter/integer_kernel.h"
#include "concord/backends/tbb/simd_for_each.h"

namespace concord::interpreter {

StepFunction FindIntegerStep8(const StepForm& form) {
  return CONCORD_SIMD_CHOOSE(IntegerStep<8>)(form);
}

}  // namespace concord::interpreter
