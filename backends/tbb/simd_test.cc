// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/backends/tbb/simd.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>

namespace concord {
namespace {

TEST(SimdTest, NoTargetBeyondTheOneThatTheEnvironmentNames) {
  ::unsetenv("CONCORD_VECTOR_INSTRUCTIONS");
  const SimdTarget best = BestSimdTarget();
  for (const SimdTarget target : {SimdTarget::kBaseline, SimdTarget::kAvx2,
                                  SimdTarget::kAvx512, SimdTarget::kIcelake}) {
    ::setenv("CONCORD_VECTOR_INSTRUCTIONS", std::string(Name(target)).c_str(),
             /*replace=*/1);
    EXPECT_EQ(BestSimdTarget(), std::min(best, target)) << Name(target);
  }
}

}  // namespace
}  // namespace concord
