// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// For files of kernels (backends/tbb/simd.h), which include this at their top.

namespace concord {
namespace CONCORD_SIMD {

// StreamLine (streaming.h) with the widest vectors, for whole cache lines that
// come from such lines.
inline void StreamLines(void* to, const void* from, std::int64_t bytes) {
  for (std::int64_t byte = 0; byte < bytes; byte += 64) {
    char* const target = static_cast<char*>(to) + byte;
    const char* const source = static_cast<const char*>(from) + byte;
#if CONCORD_SIMD_BYTES == 64
    _mm512_stream_si512(reinterpret_cast<__m512i*>(target),
                        _mm512_load_si512(source));
#else
    StreamLine(target, source);
#endif
  }
}

}  // namespace CONCORD_SIMD
}  // namespace concord
