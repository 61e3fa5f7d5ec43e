// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_SEQUENCE_FUZZ_DAMAGED_TEXT_H_
#define CONCORD_ALGORITHMS_SEQUENCE_FUZZ_DAMAGED_TEXT_H_

#include <cstdint>
#include <string>

namespace concord::sequence {

// A text that may be a program, the same for the same seed: random bytes; words
// of the language in any order; programs whose tokens are left out, doubled,
// exchanged, or replaced by others and by huge numbers; and now and then one of
// 10^5 operations, or as deep, or as long.
std::string DamagedText(std::uint64_t seed);

}  // namespace concord::sequence

#endif  // CONCORD_ALGORITHMS_SEQUENCE_FUZZ_DAMAGED_TEXT_H_
