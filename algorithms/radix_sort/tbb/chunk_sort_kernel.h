// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The inner loops of chunk_sort.cc, compiled for each target of
// backends/tbb/simd.h.

#include "concord/algorithms/radix_sort/tbb/stream.h"

namespace concord::radix_sort {
namespace CONCORD_SIMD {
using namespace ::concord::CONCORD_SIMD;

// Distributes the keys [first, last) of the source by their digits, of which
// there are `digits`. With kStream, what is written is too much to stay in the
// caches.
template <bool kStream, typename DigitOf>
void DistributeToChunks(const KeySource<std::uint32_t>& source,
                        std::int64_t first, std::int64_t last, DigitOf digit,
                        std::int64_t digits, DistributedKeys& to) {
  for (std::int64_t d = 0; d < digits; ++d) {
    to.next[d] = static_cast<std::uint32_t>(KeyChunk::kKeys * d +
                                            DistributedKeys::Start(d));
  }
  std::uint32_t* const open = to.open[0].keys;
  std::int64_t full = 0;
  const auto put = [&](std::uint32_t key) __attribute__((always_inline)) {
    const std::uint32_t d = digit(key);
    const std::uint32_t place = to.next[d];
    open[place] = key;
    to.next[d] = place + 1;
    if (__builtin_expect((place + 1) % KeyChunk::kKeys != 0, 1)) return;
    if (kStream) {
      StreamLines(&to.full[full], &to.open[d], sizeof(KeyChunk));
    } else {
      to.full[full] = to.open[d];
    }
    to.digits[full++] = d;
    to.next[d] = d * KeyChunk::kKeys;
  };

  // Mapping a block of keys first, and looking which bits vary, goes by
  // vectors.
  const bool mapped = source.map.if_negative != 0 || source.map.always != 0;
  const std::uint32_t like = source[first];
  std::uint32_t varying = 0;
  std::uint32_t block[kKeysAhead];
  for (std::int64_t i = first; i < last; i += kKeysAhead) {
    const std::int64_t n = std::min(kKeysAhead, last - i);
    const std::uint32_t* keys = source.keys + i;
    if (mapped) {
      for (std::int64_t j = 0; j < n; ++j) block[j] = source[i + j];
      keys = block;
    }
    for (std::int64_t j = 0; j < n; ++j) varying |= keys[j] ^ like;
    constexpr std::int64_t kLine = 16;
    std::int64_t j = 0;
    for (; j + kLine <= n; j += kLine) {
      __builtin_prefetch(source.keys + i + kKeysAhead + j);
#pragma GCC unroll 16
      for (std::int64_t k = 0; k < kLine; ++k) put(keys[j + k]);
    }
    for (; j < n; ++j) put(keys[j]);
  }
  if (kStream) FinishStreaming();
  to.varying = varying;

  // The numbers of the full chunks by their digits, in order.
  std::fill_n(to.begin, digits + 1, 0);
  for (std::int64_t c = 0; c < full; ++c) ++to.begin[to.digits[c] + 1];
  std::int64_t sum = 0;
  for (std::int64_t d = 1; d <= digits; ++d) {
    sum += std::exchange(to.begin[d], sum);
  }
  for (std::int64_t c = 0; c < full; ++c) {
    to.order[to.begin[to.digits[c] + 1]++] = static_cast<std::uint32_t>(c);
  }
}

// Writes the keys that were mapped to keys[0, n) to `out`.
template <bool kStream>
void StoreKeys(const std::uint32_t* keys, std::int64_t n,
               const KeyMap<std::uint32_t>& map, std::uint32_t* out) {
  constexpr std::int64_t kLine = 64 / sizeof(std::uint32_t);
  std::int64_t i = 0;
  if (kStream) {
    for (; i < n && reinterpret_cast<std::uintptr_t>(out + i) % 64 != 0; ++i) {
      out[i] = map.Unmap(keys[i]);
    }
    for (; i + kLine <= n; i += kLine) {
      alignas(64) std::uint32_t line[kLine];
      for (std::int64_t j = 0; j < kLine; ++j) line[j] = map.Unmap(keys[i + j]);
      StreamLines(out + i, line, sizeof(line));
    }
  }
  for (; i < n; ++i) out[i] = map.Unmap(keys[i]);
}

}  // namespace CONCORD_SIMD
}  // namespace concord::radix_sort
