// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Random programs of several kinds with columns, for tests that run many.

#ifndef CONCORD_ALGORITHMS_SEQUENCE_DRAWN_RUN_H_
#define CONCORD_ALGORITHMS_SEQUENCE_DRAWN_RUN_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "concord/algorithms/sequence/column_names.h"
#include "concord/algorithms/sequence/random_program.h"
#include "concord/algorithms/sequence/spec/random_case.h"
#include "concord/core/host_array.h"
#include "concord/core/random.h"

namespace concord::sequence {

// RandomProgram: a run of it may fail.
inline constexpr char kMayFail[] = "may_fail";

// How many elements columns have: up to a bound, one of these.
inline std::int64_t DrawSize(Random& random,
                             absl::Span<const std::uint64_t> bounds) {
  const std::uint64_t bound = bounds[random.Below(bounds.size())];
  return static_cast<std::int64_t>(random.Below(bound));
}

// Of one of these kinds, which are RandomProgramNames and kMayFail.
inline DrawnProgram DrawRun(Random& random, std::uint64_t seed,
                            std::int64_t size,
                            absl::Span<const std::string> kinds) {
  const std::string& kind = kinds[random.Below(kinds.size())];
  if (kind == kMayFail) {
    DrawnProgram drawn{RandomProgram(seed), {}};
    const RandomColumns columns(seed, size);
    std::size_t k = 0;
    for (const ConstArrayView& column : columns.views()) {
      drawn.columns.emplace(kColumnNames[k++], HostArray::CopyOf(column));
    }
    return drawn;
  }
  const std::vector<ElementType>& types = AllElementTypes();
  const ElementType type = types[random.Below(types.size())];
  return DrawCase(kind, type, size, random.Bits());
}

}  // namespace concord::sequence

#endif  // CONCORD_ALGORITHMS_SEQUENCE_DRAWN_RUN_H_
