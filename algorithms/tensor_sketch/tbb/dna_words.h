// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_TENSOR_SKETCH_TBB_DNA_WORDS_H_
#define CONCORD_ALGORITHMS_TENSOR_SKETCH_TBB_DNA_WORDS_H_

#include <cstdint>

namespace concord::tensor_sketch {

// Word counts for up to four letters and words of up to four, much faster than
// letter by letter. The middle of a word decides: within a block of letters,
//
//   n(abcd) = sum over the positions i that hold c of
//             n_2(ab; the letters before i) * n_1(d; the letters after i)
//
// is a sum of products of 16-bit numbers, 16 words ab at a time, once n_2 and
// n_1 are known at every position; n(abc) is the same sum without the last
// factor. Blocks are then appended to each other by Chen's identity.

inline constexpr int kDnaLetters = 4;
inline constexpr int kDnaWordLength = 4;
// 4 + 16 + 64 + 256, in the order of WordShape(4, 4).
inline constexpr int kDnaCounts = 340;

// binomial(255, 2) = 32,385 is the largest count of a word of two letters in a
// block, and binomial(256, 2) the first that is too large for 16 signed bits.
// Besides, 255 positions and one row of zeros have 8-bit numbers.
inline constexpr int kDnaBlock = 255;
// In 128 blocks the counts of words of 1, 2 and 3 letters stay below 2^15, 2^29
// and 2^43. So every product with a count of a block stays below 2^52, and the
// multipliers for short integers suffice.
inline constexpr std::int64_t kDnaSegment = 128 * kDnaBlock;

// Sets counts[0 .. kDnaCounts) to the counts of the n <= kDnaSegment letters,
// without those >= alphabet_size, which is at most 4.
using DnaCounter = void (*)(const std::uint8_t* letters, std::int64_t n,
                            int alphabet_size, std::uint64_t* counts);

// For this CPU's vectors; null where they are too narrow.
DnaCounter FastestDnaCounter();

}  // namespace concord::tensor_sketch

#endif  // CONCORD_ALGORITHMS_TENSOR_SKETCH_TBB_DNA_WORDS_H_
