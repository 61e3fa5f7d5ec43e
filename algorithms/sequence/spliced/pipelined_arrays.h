// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_SEQUENCE_SPLICED_PIPELINED_ARRAYS_H_
#define CONCORD_ALGORITHMS_SEQUENCE_SPLICED_PIPELINED_ARRAYS_H_

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

// And a pipelined scan: the same of the column, and of the results, whose
// element i has the number that it has in the column.
struct ScanArrays {
  const std::uint32_t* base;
  std::int64_t begin;
  std::int64_t end;
  std::uint32_t* out_base;
  std::int64_t out_begin;
  std::int64_t out_end;
  bool inclusive;
};

}  // namespace concord::sequence

#endif  // CONCORD_ALGORITHMS_SEQUENCE_SPLICED_PIPELINED_ARRAYS_H_
