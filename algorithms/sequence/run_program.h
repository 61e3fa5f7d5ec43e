// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_SEQUENCE_RUN_PROGRAM_H_
#define CONCORD_ALGORITHMS_SEQUENCE_RUN_PROGRAM_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "concord/algorithms/sequence/order.h"
#include "concord/algorithms/sequence/program.h"
#include "concord/core/array.h"

namespace concord::sequence {

// What tabulate and concat make at most.
inline constexpr std::int64_t kMostElements = std::int64_t{1} << 24;

// The result of a program: stage by stage, one element at a time, nothing
// fused. That is the definition; it is slow.
//
// `columns`: arrays in host memory of the program's columns. InvalidArgument:
// other arrays than that, zip of sequences of different sizes, reduce of
// nothing by an operator without start and identity, last of nothing.
// OutOfRange: a function reads outside a column; it names the first element at
// which that happens in the first stage where it does.
// ResourceExhausted: more than kMostElements.
absl::StatusOr<std::vector<Tuple>> RunProgram(
    const Program& program, absl::Span<const ConstArrayView> columns);

}  // namespace concord::sequence

#endif  // CONCORD_ALGORITHMS_SEQUENCE_RUN_PROGRAM_H_
