// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// What the descriptions of run_length_encode and run_length_decode share:
// arrays with runs, and their runs computed plainly.

#ifndef CONCORD_ALGORITHMS_RUN_LENGTH_ENCODE_RUN_LENGTH_CASES_H_
#define CONCORD_ALGORITHMS_RUN_LENGTH_ENCODE_RUN_LENGTH_CASES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "concord/core/element_type.h"
#include "concord/core/host_array.h"

namespace concord::run_length_encode {

// Those of core/distributions.h, `equal` (a single run) and `alternating` (runs
// of one element) among them, and
//
//   long_runs    lengths in [1, 2000]
//   short_runs   lengths in [1, 4]
//   tile_runs    lengths that are powers of two up to 2^14, one less and one
//                more: runs end at the borders of tiles, or just miss them
//   mixed_runs   now and then a run of up to 100,000 among many of one element
//
// Neighbouring runs may have the same value; then they are one.
std::vector<std::string> RunDistributions(ElementType type);

absl::StatusOr<HostArray> DrawRuns(absl::string_view distribution,
                                   ElementType type, std::int64_t size,
                                   std::uint64_t seed);

struct HostRuns {
  HostArray values;
  HostArray lengths;
};

// Found from behind, run by run, unlike in any implementation.
HostRuns RunsOf(const HostArray& in, ElementType length_type);

std::int64_t CountRuns(const HostArray& in);

}  // namespace concord::run_length_encode

#endif  // CONCORD_ALGORITHMS_RUN_LENGTH_ENCODE_RUN_LENGTH_CASES_H_
