// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// How a thread writes a part of a term from blocks of atoms.

#ifndef CONCORD_ALGORITHMS_LOOK_AND_SAY_TBB_PART_WRITER_H_
#define CONCORD_ALGORITHMS_LOOK_AND_SAY_TBB_PART_WRITER_H_

#include <cstdint>

#include "concord/algorithms/look_and_say/look_and_say_atoms.h"
#include "concord/algorithms/look_and_say/tbb/writer.h"
#include "concord/backends/tbb/streaming.h"

namespace concord::look_and_say {

// The blocks of the 92 elements are 480 KB after 23 steps, which a second-level
// cache holds, and 3.4 KB long on average.
inline constexpr std::int64_t kBlockSteps = 23;
inline constexpr std::int64_t kMostBlockDigits = std::int64_t{512} << 10;

// What a thread takes at a time: enough to forget the way down to its first
// atom, some hundred table look-ups.
inline constexpr std::int64_t kChunkBytes = std::int64_t{1} << 20;

// The digits [from, from + count) of the term.
template <typename Writer>
void WritePart(const LookAndSayPlan& plan, const AtomBlocks& blocks,
               std::int64_t from, std::int64_t count, std::uint8_t* to) {
  Writer writer(to);
  AtomCursor cursor(plan, blocks.steps(), from);
  const std::uint8_t* const digits = blocks.digits().data();
  int atom = cursor.Next();
  const std::uint8_t* block = digits + blocks.starts()[atom];
  std::int64_t skipped = cursor.skipped();
  for (;;) {
    const std::int64_t length =
        plan.table().LengthOf(atom, blocks.steps()) - skipped;
    if (length >= count) break;
    const std::uint8_t* const piece = block + skipped;
    skipped = 0;
    count -= length;
    // The next block comes out of the second-level cache meanwhile.
    atom = cursor.Next();
    block = digits + blocks.starts()[atom];
    __builtin_prefetch(block);
    __builtin_prefetch(block + 64);
    writer.Write(piece, length);
  }
  writer.Write(block + skipped, count);
  writer.Finish();
}

// For an output of so many bytes.
inline auto* PartWriterFor(std::int64_t bytes) {
  return bytes >= kStreamingBytes ? WritePart<StreamedWriter>
                                  : WritePart<PlainWriter>;
}

}  // namespace concord::look_and_say

#endif  // CONCORD_ALGORITHMS_LOOK_AND_SAY_TBB_PART_WRITER_H_
