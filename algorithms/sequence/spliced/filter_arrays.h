// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_SEQUENCE_SPLICED_FILTER_ARRAYS_H_
#define CONCORD_ALGORITHMS_SEQUENCE_SPLICED_FILTER_ARRAYS_H_

#include <cstdint>

namespace concord::sequence {

// What a pipelined filter is given: elements [begin, end) of a column from an
// aligned address on, where to put what is kept, and how many these are.
struct FilterArrays {
  const std::uint32_t* base;
  std::int64_t begin;
  std::int64_t end;
  std::uint32_t* kept;
  std::int64_t* all;
};

}  // namespace concord::sequence

#endif  // CONCORD_ALGORITHMS_SEQUENCE_SPLICED_FILTER_ARRAYS_H_
