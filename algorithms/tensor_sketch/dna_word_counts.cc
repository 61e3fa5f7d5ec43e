// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/algorithms/tensor_sketch/dna_word_counts.h"

namespace concord::tensor_sketch {

#if defined(__x86_64__)

namespace {

// These came together with Ice Lake and Zen 4.
bool HasAvx512() {
  return __builtin_cpu_supports("avx512f") &&
         __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512vl") &&
         __builtin_cpu_supports("avx512ifma") &&
         __builtin_cpu_supports("avx512vbmi2") &&
         __builtin_cpu_supports("avx512vnni");
}

bool HasAvx2() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2");
}

}  // namespace

absl::Span<const DnaCounterEntry> DnaCounters() {
  static constexpr DnaCounterEntry kCounters[] = {
      {"avx512", HasAvx512, CountDnaAvx512},
      {"avx2", HasAvx2, CountDnaAvx2},
  };
  return kCounters;
}

#else

absl::Span<const DnaCounterEntry> DnaCounters() { return {}; }

#endif

DnaCounter FastestDnaCounter() {
  for (const DnaCounterEntry& entry : DnaCounters()) {
    if (entry.runs_here()) return entry.count;
  }
  return nullptr;
}

}  // namespace concord::tensor_sketch
