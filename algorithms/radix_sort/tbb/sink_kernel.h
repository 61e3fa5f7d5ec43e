// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The inner loop of sink.h, compiled for each target of backends/tbb/simd.h.

#include "concord/backends/tbb/stream_lines.h"

namespace concord::radix_sort {
namespace CONCORD_SIMD {
using namespace ::concord::CONCORD_SIMD;

// Writes project(elements[i]) to out[i] for all i in [0, n). With kStream, what
// is written is too much to stay in the caches.
template <bool kStream, typename T, typename Element, typename Project>
void StoreEach(const Element* elements, std::int64_t n, Project project,
               T* out) {
  constexpr std::int64_t kLine = 64 / sizeof(T);
  std::int64_t i = 0;
  if (kStream) {
    for (; i < n && reinterpret_cast<std::uintptr_t>(out + i) % 64 != 0; ++i) {
      out[i] = static_cast<T>(project(elements[i]));
    }
    for (; i + kLine <= n; i += kLine) {
      alignas(64) T line[kLine];
      for (std::int64_t j = 0; j < kLine; ++j) {
        line[j] = static_cast<T>(project(elements[i + j]));
      }
      StreamLines(out + i, line, sizeof(line));
    }
  }
  for (; i < n; ++i) out[i] = static_cast<T>(project(elements[i]));
}

}  // namespace CONCORD_SIMD
}  // namespace concord::radix_sort
