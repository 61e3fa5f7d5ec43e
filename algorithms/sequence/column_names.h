// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_SEQUENCE_COLUMN_NAMES_H_
#define CONCORD_ALGORITHMS_SEQUENCE_COLUMN_NAMES_H_

#include <cstddef>

namespace concord::sequence {

// What the signature calls the columns of a program, which are its inputs,
inline constexpr std::size_t kMostColumns = 4;
inline constexpr const char* kColumnNames[kMostColumns] = {"x", "y", "z", "w"};
// those of its result,
inline constexpr const char* kOutputNames[kMostColumns] = {"out", "out_y",
                                                           "out_z", "out_w"};
// and the options that want them. The first is there in any case.
inline constexpr const char* kOutputOptions[kMostColumns] = {
    "", "output-y", "output-z", "output-w"};

}  // namespace concord::sequence

#endif  // CONCORD_ALGORITHMS_SEQUENCE_COLUMN_NAMES_H_
