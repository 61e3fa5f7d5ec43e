// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// What chunked.cc and its kernels share.

#ifndef CONCORD_ALGORITHMS_RUN_LENGTH_DECODE_TBB_RUNS_H_
#define CONCORD_ALGORITHMS_RUN_LENGTH_DECODE_TBB_RUNS_H_

#include <cstdint>

namespace concord::run_length_decode {

// The next element belongs to this run, of which so many have been written.
struct RunPosition {
  std::int64_t run = 0;
  std::int64_t used = 0;
};

// What is written beyond the end of a block: the rest of a batch of short runs,
// and less than a vector.
inline constexpr std::int64_t kSlackBytes = 512 + 64;

// The runs of a chunk: two chunks of them, with their values and lengths, fit a
// second-level cache of 512 KiB. Fewer where threads would have few chunks.
inline constexpr std::int64_t kMostRuns = 8 << 10;
inline constexpr std::int64_t kLeastRuns = 2 << 10;

// For each lane of a register of 64 bytes, where every run has kShort lanes:
// which run it belongs to, and its place among the run's lanes.
template <typename Word, int kShort>
struct LanesOfRuns {
  constexpr LanesOfRuns() {
    for (int lane = 0; lane < kLanes; ++lane) {
      run[lane] = static_cast<Word>(lane / kShort);
      place[lane] = static_cast<Word>(lane % kShort);
    }
  }

  static constexpr int kLanes = 64 / sizeof(Word);
  alignas(64) Word run[kLanes] = {};
  alignas(64) Word place[kLanes] = {};
};
template <typename Word, int kShort>
inline constexpr LanesOfRuns<Word, kShort> kLanesOfRuns;

// False where int64 does not hold the total, or, as -1 says, the size.
inline bool AddSize(std::int64_t size, std::int64_t& total) {
  return size >= 0 && !__builtin_add_overflow(total, size, &total);
}

}  // namespace concord::run_length_decode

#endif  // CONCORD_ALGORITHMS_RUN_LENGTH_DECODE_TBB_RUNS_H_
