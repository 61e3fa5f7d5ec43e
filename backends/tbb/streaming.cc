// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/backends/tbb/streaming.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>

#include "concord/backends/tbb/simd.h"
#include "concord/core/operators.h"

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

#define CONCORD_SIMD_FILE "concord/backends/tbb/streaming_kernel.h"
#include "concord/backends/tbb/simd_for_each.h"

namespace concord {
namespace {

constexpr std::int64_t kCacheLine = 64;

// What a thread takes at a time: enough to forget the cost of taking it.
constexpr std::int64_t kBlockBytes = std::int64_t{256} << 10;

// Calls f(first, last) for blocks of [0, bytes), on all threads of the backend
// if there is work for them.
template <typename F>
void ForEachBlock(TbbBackend& backend, std::int64_t bytes, const F& f) {
  if (bytes == 0) return;
  if (bytes <= 4 * kBlockBytes) {
    f(std::int64_t{0}, bytes);
    return;
  }
  backend.ForEachRange(bytes, kBlockBytes, f);
}

// StreamTo, for what is not in the caches: from four places at a time, as
// memory answers to more requests at once than one stream of them makes a core
// send.
void StreamQuarters(char* to, const char* from, std::int64_t bytes) {
#if defined(__x86_64__)
  const std::int64_t head = std::min<std::int64_t>(
      bytes, static_cast<std::int64_t>(-reinterpret_cast<std::uintptr_t>(to) %
                                       kCacheLine));
  std::memcpy(to, from, static_cast<std::size_t>(head));
  const std::int64_t quarter = (bytes - head) / 4 / kCacheLine * kCacheLine;
  for (std::int64_t i = head; i < head + quarter; i += kCacheLine) {
    for (int q = 0; q < 4; ++q) {
      StreamLine(to + q * quarter + i, from + q * quarter + i);
    }
  }
  const std::int64_t done = head + 4 * quarter;
#else
  const std::int64_t done = 0;
#endif
  StreamTo(to + done, from + done, bytes - done);
}

}  // namespace

#if defined(__x86_64__)

void StreamTo(void* to, const void* from, std::int64_t bytes,
              const void* fetch) {
  auto* target = static_cast<char*>(to);
  const auto* source = static_cast<const char*>(from);
  // What is being copied is in the cache already: asking for it is for nothing.
  const auto* ahead = static_cast<const char*>(fetch == nullptr ? from : fetch);
  const auto address = reinterpret_cast<std::uintptr_t>(target);
  std::int64_t i = std::min<std::int64_t>(
      bytes, static_cast<std::int64_t>(-address % kCacheLine));
  if (i > 0) std::memcpy(target, source, static_cast<std::size_t>(i));
  for (; i + kCacheLine <= bytes; i += kCacheLine) {
    // Into the second-level cache: the first has the caller's buffers.
    __builtin_prefetch(ahead + i, /*rw=*/0, /*locality=*/2);
    StreamLine(target + i, source + i);
  }
  if (i < bytes) {
    std::memcpy(target + i, source + i, static_cast<std::size_t>(bytes - i));
  }
}

void FinishStreaming() { _mm_sfence(); }

#else

void StreamTo(void* to, const void* from, std::int64_t bytes, const void*) {
  std::memcpy(to, from, static_cast<std::size_t>(bytes));
}

void FinishStreaming() {}

#endif

void ParallelCopy(TbbBackend& backend, void* to, const void* from,
                  std::int64_t bytes) {
  auto* target = static_cast<char*>(to);
  const auto* source = static_cast<const char*>(from);
  const bool stream = bytes >= kStreamingBytes;
  ForEachBlock(backend, bytes, [&](std::int64_t first, std::int64_t last) {
    if (stream) {
      StreamQuarters(target + first, source + first, last - first);
      FinishStreaming();
    } else {
      std::memcpy(target + first, source + first,
                  static_cast<std::size_t>(last - first));
    }
  });
}

void ParallelRead(TbbBackend& backend, const void* data, std::int64_t bytes) {
  constexpr std::int64_t kFourRows = 4 * 512;
  const auto* source = static_cast<const std::uint8_t*>(data);
  const auto read = CONCORD_SIMD_CHOOSE(ReadRows);
  // Keeps the reading from being optimised away.
  std::atomic<std::uint8_t> sum{0};
  ForEachBlock(backend, bytes, [&](std::int64_t first, std::int64_t last) {
    const std::int64_t rows = (last - first) / kFourRows;
    std::uint8_t part = read(source + first, rows);
    for (std::int64_t i = first + rows * kFourRows; i < last; ++i) {
      part ^= source[i];
    }
    sum.fetch_xor(part, std::memory_order_relaxed);
  });
}

}  // namespace concord
