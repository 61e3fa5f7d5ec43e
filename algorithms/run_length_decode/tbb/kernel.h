// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The vector part of chunked.cc, compiled for each target of
// backends/tbb/simd.h.

namespace concord::run_length_decode {
namespace CONCORD_SIMD {
using namespace ::concord::CONCORD_SIMD;

// Runs that are tested together whether they are short.
inline constexpr int kBatch = 8;

// Writes the next runs to block[filled, ...), batch by batch, as long as each
// of a batch fits into a vector of so many bytes, and all of them into the
// block. Returns how many there were, and adds their lengths to `filled`.
template <int kBytes, typename Word, typename Length>
inline std::int64_t FillBatches(const Word* values, const Length* lengths,
                                std::int64_t runs, Word* block,
                                std::int64_t count, std::int64_t& filled) {
  constexpr int kLanes = kBytes / sizeof(Word);
  typedef Word Vector __attribute__((vector_size(kBytes)));
  std::int64_t end = filled;
  std::int64_t run = 0;
  for (; run + kBatch <= runs && end + kBatch * kLanes <= count;
       run += kBatch) {
    Length outside = 0;
    for (int k = 0; k < kBatch; ++k) {
      const auto length =
          static_cast<std::make_unsigned_t<Length>>(lengths[run + k]);
      outside |= static_cast<Length>(length | (kLanes - length));
    }
    if (outside < 0) break;
#pragma GCC unroll 8
    for (int k = 0; k < kBatch; ++k) {
      const Vector vector = values[run + k] - Vector{};
      std::memcpy(block + end, &vector, sizeof(vector));
      end += lengths[run + k];
    }
  }
  filled = end;
  return run;
}

// Writes the next `count` elements to `block`, and anything to the kSlackBytes
// behind them: every run is written in whole vectors, and the next one
// overwrites what is too much. There are `runs` of them, most of which are
// short if `batches` is set.
template <typename Word, typename Length>
void FillBlock(const Word* values, const Length* lengths, std::int64_t runs,
               bool batches, RunPosition& at, Word* block, std::int64_t count) {
  constexpr int kLanes = CONCORD_SIMD_BYTES / sizeof(Word);
  typedef Word Vector __attribute__((vector_size(CONCORD_SIMD_BYTES)));
  static_assert(sizeof(Vector) <= kSlackBytes);
  // Stores that cross a cache line take twice as long: narrow ones seldom do.
  constexpr int kNarrow =
      sizeof(Word) == 1 ? 16 : std::min(32, CONCORD_SIMD_BYTES);
  std::int64_t run = at.run;
  std::int64_t used = at.used;
  std::int64_t filled = 0;
  const auto vector_of = [&](std::int64_t k) { return values[k] - Vector{}; };
  while (filled < count) {
    if (batches && used == 0) {
      run += FillBatches<kNarrow>(values + run, lengths + run, runs - run,
                                  block, count, filled);
      if (kNarrow < CONCORD_SIMD_BYTES) {
        run += FillBatches<CONCORD_SIMD_BYTES>(
            values + run, lengths + run, runs - run, block, count, filled);
      }
      if (filled == count) break;
    }
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
    // Short runs, one vector each, as long as they fit: or no more of them than
    // a batch has, which is then tried again.
    const std::int64_t last_run = batches ? run + kBatch : runs;
    while (filled < count && run < last_run) {
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
