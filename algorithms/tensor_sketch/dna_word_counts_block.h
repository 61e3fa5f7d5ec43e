// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_TENSOR_SKETCH_DNA_WORD_COUNTS_BLOCK_H_
#define CONCORD_ALGORITHMS_TENSOR_SKETCH_DNA_WORD_COUNTS_BLOCK_H_

// What the instruction sets have in common when they count the words of DNA
// block by block (dna_word_counts.h). Included by their files alone.

#include <algorithm>
#include <cstdint>

#include "concord/algorithms/tensor_sketch/dna_word_counts.h"

namespace concord::tensor_sketch {

// What stands in place of a letter that is skipped.
inline constexpr int kDnaSkipped = 4;
// The row of zeros that fills up the last group of positions.
inline constexpr int kDnaZeroRow = kDnaBlock;

// Lane 4 b + a of a vector of counts belongs to the word ab.
template <typename Count>
struct alignas(16 * sizeof(Count)) DnaLanes {
  Count is_last[5][16];    // all ones where b is the letter
  Count one_first[5][16];  // one where a is the letter
};

// `one` is what a lane holds that has counted one letter.
template <typename Count>
constexpr DnaLanes<Count> MakeDnaLanes(Count one) {
  DnaLanes<Count> lanes{};
  for (int b = 0; b < 4; ++b) {
    for (int a = 0; a < 4; ++a) {
      lanes.is_last[b][4 * b + a] = static_cast<Count>(~Count{0});
      lanes.one_first[a][4 * b + a] = one;
    }
  }
  return lanes;
}

// counts := the counts of the letters, a block at a time. A Block has a row of
// two[] and of one[] for each position. kCountBlock counts a block, kAppend
// appends its counts to those before it; both are compiled for an instruction
// set, which this loop is not.
template <typename Block,
          void (*kCountBlock)(const std::uint8_t* letters, int n,
                              int alphabet_size, Block& block),
          void (*kAppend)(const Block& block, std::uint64_t* counts)>
void CountDnaBlocks(const std::uint8_t* letters, std::int64_t n,
                    int alphabet_size, std::uint64_t* counts) {
  Block block;
  std::fill_n(block.two[kDnaZeroRow], 16, 0);
  std::fill_n(block.one[kDnaZeroRow], 4, 0);
  std::fill_n(counts, kDnaCounts, 0);
  for (std::int64_t i = 0; i < n; i += kDnaBlock) {
    const auto size =
        static_cast<int>(std::min<std::int64_t>(kDnaBlock, n - i));
    kCountBlock(letters + i, size, alphabet_size, block);
    kAppend(block, counts);
  }
}

}  // namespace concord::tensor_sketch

#endif  // CONCORD_ALGORITHMS_TENSOR_SKETCH_DNA_WORD_COUNTS_BLOCK_H_
