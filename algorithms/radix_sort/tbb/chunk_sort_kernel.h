// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The inner loops of chunk_sort.cc, compiled for each target of
// backends/tbb/simd.h.

#include "concord/backends/tbb/stream_lines.h"

namespace concord::radix_sort {
namespace CONCORD_SIMD {
using namespace ::concord::CONCORD_SIMD;

// As Feed::make, which goes by vectors.
template <typename Source, typename Element = typename Source::Element>
const Element* MakeBlock(const void* of, std::int64_t first, std::int64_t n,
                         Element* room) {
  const Source& source = *static_cast<const Source*>(of);
  if constexpr (std::is_same_v<Source, KeySource<Element>>) {
    if (source.map.if_negative == 0 && source.map.always == 0) {
      return source.keys + first;
    }
  }
  for (std::int64_t j = 0; j < n; ++j) room[j] = source[first + j];
  return room;
}

// Distributes the elements [first, last) by their digits, of which there are
// `digits`. With `stream`, what is written is too much to stay in the caches.
template <typename DigitOf, typename Element>
void DistributeToChunks(const Feed<Element>& feed, std::int64_t first,
                        std::int64_t last, DigitOf digit, std::int64_t digits,
                        bool stream, DistributedElements<Element>& to) {
  constexpr std::int64_t kOfChunk = Chunk<Element>::kElements;
  for (std::int64_t d = 0; d < digits; ++d) {
    to.next[d] = static_cast<std::uint32_t>(
        kOfChunk * d + DistributedElements<Element>::Start(d));
  }
  Element* const open = to.open[0].elements;
  std::int64_t full = 0;
  const auto put = [&](const Element& element) __attribute__((always_inline)) {
    const std::uint32_t d = digit(element);
    const std::uint32_t place = to.next[d];
    open[place] = element;
    to.next[d] = place + 1;
    if (__builtin_expect((place + 1) % kOfChunk != 0, 1)) return;
    if (stream) {
      StreamLines(&to.full[full], &to.open[d], sizeof(to.open[d]));
    } else {
      to.full[full] = to.open[d];
    }
    to.digits[full++] = d;
    to.next[d] = d * kOfChunk;
  };

  Element room[kElementsAhead];
  const auto like = KeyBits(*feed.make(feed.source, first, 1, room));
  auto varying = like ^ like;
  for (std::int64_t i = first; i < last; i += kElementsAhead) {
    const std::int64_t n = std::min(kElementsAhead, last - i);
    const Element* const block = feed.make(feed.source, i, n, room);
    for (std::int64_t j = 0; j < n; ++j) varying |= KeyBits(block[j]) ^ like;
    constexpr std::int64_t kTurn = Feed<Element>::kTurn;
    std::int64_t j = 0;
    for (; j + kTurn <= n; j += kTurn) {
#pragma GCC unroll 4
      for (int line = 0; line < Feed<Element>::kLines; ++line) {
        __builtin_prefetch(feed.lines[line] +
                           (i + kElementsAhead + j) * feed.bytes[line]);
      }
#pragma GCC unroll 16
      for (std::int64_t k = 0; k < kTurn; ++k) put(block[j + k]);
    }
    for (; j < n; ++j) put(block[j]);
  }
  if (stream) FinishStreaming();
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

}  // namespace CONCORD_SIMD
}  // namespace concord::radix_sort
