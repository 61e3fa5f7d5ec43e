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

TEST(SimdTest, TheEnvironmentNamesATarget) {
  for (const char* name : {"", "baseline", "avx2", "avx512", "icelake"}) {
    ::setenv("CONCORD_VECTOR_INSTRUCTIONS", name, /*replace=*/1);
    EXPECT_TRUE(CheckNamedSimdTarget().ok()) << name;
  }
  for (const char* name : {"sse", "AVX2", "avx", " avx2"}) {
    ::setenv("CONCORD_VECTOR_INSTRUCTIONS", name, /*replace=*/1);
    const absl::Status status = CheckNamedSimdTarget();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << name;
    EXPECT_NE(status.message().find(std::string("'") + name + "'"),
              std::string::npos)
        << status;
  }
}

}  // namespace
}  // namespace concord
