// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The vector part of chunked.cc, compiled for each target of
// backends/tbb/simd.h.

namespace concord::run_length_decode {
namespace CONCORD_SIMD {
using namespace ::concord::CONCORD_SIMD;

// Writes the next `count` elements to `block`, and anything to the kSlackBytes
// behind them: every run is written in whole vectors, and the next one
// overwrites what is too much.
template <typename Word, typename Length>
void FillBlock(const Word* values, const Length* lengths, RunPosition& at,
               Word* block, std::int64_t count) {
  constexpr int kLanes = CONCORD_SIMD_BYTES / sizeof(Word);
  typedef Word Vector __attribute__((vector_size(CONCORD_SIMD_BYTES)));
  static_assert(sizeof(Vector) <= kSlackBytes);
  std::int64_t run = at.run;
  std::int64_t used = at.used;
  std::int64_t filled = 0;
  const auto vector_of = [&](std::int64_t k) { return values[k] - Vector{}; };
  while (filled < count) {
    const std::int64_t left = std::max<std::int64_t>(lengths[run], 0) - used;
    const std::int64_t taken = std::min(left, count - filled);
    Vector vector = vector_of(run);
    for (std::int64_t i = 0; i < taken; i += kLanes) {
      std::memcpy(block + filled + i, &vector, sizeof(vector));
    }
    filled += taken;
    if (taken < left) {
      used += taken;
      break;  // the block is full
    }
    used = 0;
    ++run;
    // Short runs, one vector each, as long as they fit.
    while (filled < count) {
      const std::int64_t length = std::max<std::int64_t>(lengths[run], 0);
      if (length > std::min<std::int64_t>(kLanes, count - filled)) break;
      vector = vector_of(run);
      std::memcpy(block + filled, &vector, sizeof(vector));
      filled += length;
      ++run;
    }
  }
  at = {run, used};
}

// Of at most kRunsOfGroup lengths; -1 where int64 does not hold the sum.
template <typename Length>
std::int64_t SumLengths(const Length* lengths, std::int64_t count) {
  std::uint64_t sum = 0;
  std::uint64_t bits = 0;
  for (std::int64_t k = 0; k < count; ++k) {
    const auto length =
        static_cast<std::uint64_t>(lengths[k] > 0 ? lengths[k] : 0);
    sum += length;
    if constexpr (sizeof(Length) == 8) bits |= length;
  }
  // Too large a sum has a length of at least this among so many.
  constexpr std::uint64_t kLarge = (std::uint64_t{1} << 63) / kRunsOfGroup;
  if (bits < kLarge) return static_cast<std::int64_t>(sum);
  std::int64_t checked = 0;
  for (std::int64_t k = 0; k < count; ++k) {
    if (!AddSize(std::max<std::int64_t>(lengths[k], 0), checked)) return -1;
  }
  return checked;
}

}  // namespace CONCORD_SIMD
}  // namespace concord::run_length_decode
