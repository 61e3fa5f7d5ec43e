// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/backends/tbb/simd.h"

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "concord/core/errors.h"

namespace concord {
namespace {

constexpr SimdTarget kTargets[] = {SimdTarget::kBaseline, SimdTarget::kAvx2,
                                   SimdTarget::kAvx512, SimdTarget::kIcelake};

// What the environment asks for; "" where that is nothing.
absl::string_view AskedFor() {
  const char* const name = std::getenv("CONCORD_VECTOR_INSTRUCTIONS");
  return name == nullptr ? "" : name;
}

std::optional<SimdTarget> TargetNamed(absl::string_view name) {
  for (const SimdTarget target : kTargets) {
    if (Name(target) == name) return target;
  }
  return std::nullopt;
}

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
  return std::min(best, TargetNamed(AskedFor()).value_or(best));
}

absl::Status CheckNamedSimdTarget() {
  const absl::string_view name = AskedFor();
  if (name.empty() || TargetNamed(name).has_value()) return absl::OkStatus();
  return InvalidArgumentError(
      "CONCORD_VECTOR_INSTRUCTIONS names no vector instructions: '", name,
      "'; there are baseline, avx2, avx512 and icelake");
}

}  // namespace concord
