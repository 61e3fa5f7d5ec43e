// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/backends/tbb/simd.h"

#include <algorithm>
#include <cstdlib>

namespace concord {
namespace {

SimdTarget TargetOfCpu() {
#if defined(__x86_64__)
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("bmi2")) {
    return SimdTarget::kBaseline;
  }
  if (!__builtin_cpu_supports("avx512f") ||
      !__builtin_cpu_supports("avx512bw") ||
      !__builtin_cpu_supports("avx512dq") ||
      !__builtin_cpu_supports("avx512vl")) {
    return SimdTarget::kAvx2;
  }
  // These came together with Ice Lake and Zen 4.
  if (!__builtin_cpu_supports("avx512ifma") ||
      !__builtin_cpu_supports("avx512vbmi") ||
      !__builtin_cpu_supports("avx512vbmi2") ||
      !__builtin_cpu_supports("avx512vnni")) {
    return SimdTarget::kAvx512;
  }
  return SimdTarget::kIcelake;
#else
  return SimdTarget::kBaseline;
#endif
}

}  // namespace

absl::string_view Name(SimdTarget target) {
  constexpr absl::string_view kNames[] = {"baseline", "avx2", "avx512",
                                          "icelake"};
  return kNames[static_cast<int>(target)];
}

SimdTarget BestSimdTarget() {
  const SimdTarget best = TargetOfCpu();
  const char* const most = std::getenv("CONCORD_VECTOR_INSTRUCTIONS");
  if (most == nullptr) return best;
  for (const SimdTarget target :
       {SimdTarget::kBaseline, SimdTarget::kAvx2, SimdTarget::kAvx512}) {
    if (Name(target) == most) return std::min(best, target);
  }
  return best;
}

}  // namespace concord
