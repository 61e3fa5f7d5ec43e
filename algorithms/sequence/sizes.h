// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_SEQUENCE_SIZES_H_
#define CONCORD_ALGORITHMS_SEQUENCE_SIZES_H_

#include <cstdint>
#include <set>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "concord/algorithms/sequence/program.h"

namespace concord::sequence {

// What is known of how many elements a sequence has before a program runs.
struct KnownSize {
  // So many, or fewer.
  std::int64_t most;
  // There are as many: neither a filter nor groups have a say.
  bool exact;
};

// For each stage of the program, from the sizes of its columns.
// InvalidArgument: zip of sequences whose sizes are known to be different, more
// elements than can be counted.
absl::StatusOr<std::vector<KnownSize>> KnownSizes(
    const Program& program, absl::Span<const std::int64_t> columns);

// The columns that the result is made from. A program may name others.
std::set<std::int64_t> ColumnsRead(const Program& program);

// As much as can be counted: programs may say any number of elements.
inline std::int64_t SaturatedSum(std::int64_t a, std::int64_t b) {
  std::int64_t sum;
  return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}
inline std::int64_t SaturatedProduct(std::int64_t a, std::int64_t b) {
  std::int64_t product;
  return __builtin_mul_overflow(a, b, &product) ? INT64_MAX : product;
}

// "zip of 3 and 4 elements; ...".
absl::Status UnequalZip(std::int64_t first, std::int64_t other);

}  // namespace concord::sequence

#endif  // CONCORD_ALGORITHMS_SEQUENCE_SIZES_H_
