// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_BACKENDS_TBB_STREAMING_H_
#define CONCORD_BACKENDS_TBB_STREAMING_H_

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "concord/backends/tbb/tbb_backend.h"

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

namespace concord {

// An ordinary store first reads the cache line that it changes. That is a third
// of the traffic of a copy, and wasted where a line is overwritten whole and
// not needed again soon. Streaming stores write lines without reading them, and
// past the caches.

// Outputs of this size and more are better streamed. Smaller ones are better
// left in the caches, even if only the last level holds them: measured on a
// Xeon with a large one, the speeds meet at 32 MiB.
constexpr std::int64_t kStreamingBytes = std::int64_t{32} << 20;

// Copies from a place that is in the cache, such as a small buffer, with
// streaming stores. Any alignment, no overlap. Other threads may read the copy
// once this thread has called FinishStreaming and then signalled them.
//
// For every line that it writes, it asks for a line from `fetch` on, which the
// caller is going to read soon: memory is at its best when reading and writing
// go on at the same time. Null for nothing to fetch.
void StreamTo(void* to, const void* from, std::int64_t bytes,
              const void* fetch = nullptr);
void FinishStreaming();

// The same for one cache line of 64 bytes, and 64 bytes from anywhere. Its four
// stores leave the CPU as one write.
inline void StreamLine(void* to, const void* from) {
#if defined(__x86_64__)
  for (int part = 0; part < 4; ++part) {
    _mm_stream_si128(static_cast<__m128i*>(to) + part,
                     _mm_loadu_si128(static_cast<const __m128i*>(from) + part));
  }
#else
  std::memcpy(to, from, 64);
#endif
}

// Copies elements that are in the cache: by StreamTo if `stream`, which is for
// large outputs, else by ordinary stores.
template <typename T>
void CopyOrStream(T* to, const T* from, std::int64_t count, bool stream,
                  const void* fetch = nullptr) {
  const std::int64_t bytes = count * static_cast<std::int64_t>(sizeof(T));
  if (stream) {
    StreamTo(to, from, bytes, fetch);
  } else if (bytes > 0) {
    std::memcpy(to, from, static_cast<std::size_t>(bytes));
  }
}

// Asks for the lines of so many bytes, which will be read soon.
inline void FetchLines(const void* from, std::int64_t bytes) {
  constexpr std::int64_t kLine = 64;
  for (std::int64_t i = 0; i < bytes; i += kLine) {
    __builtin_prefetch(static_cast<const char*>(from) + i);
  }
}

// The fastest ways through host memory with the threads of a backend, and so
// the ceilings for its algorithms. No overlap.
void ParallelCopy(TbbBackend& backend, void* to, const void* from,
                  std::int64_t bytes);
void ParallelRead(TbbBackend& backend, const void* data, std::int64_t bytes);

}  // namespace concord

#endif  // CONCORD_BACKENDS_TBB_STREAMING_H_
