// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_BENCHMARKS_SCALING_H_
#define CONCORD_BENCHMARKS_SCALING_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "concord/benchmarks/axes.h"
#include "concord/core/backend.h"

namespace concord {

// Rows that show how several members of a backend share work out: GPUs of
// `gpus`, threads of `tbb`, ranks of `mpi`.

// How many members share the work of an opened backend; 1 where it says
// nothing of any.
int MembersOf(const BackendInfo& info);

// Specs that differ in members alone, from one member to all that there are:
// tbb:1, tbb:2, tbb:3 for a plain "tbb" on three cores. How many ranks there
// are is mpirun's to say, so "mpi" is one spec. What has an argument, or no
// members, stands for itself.
std::vector<std::string> SpecsByMembers(
    const std::string& spec, absl::Span<const BackendStatus> statuses);

// The axes by backend, the sizes of weak scaling times its members; unchanged
// where there is nothing to multiply. Opens the backends to ask them.
absl::StatusOr<std::vector<Axes>> ByMembers(const Axes& axes);

// Sets `members` and `one_member` of the rows that are about scaling.
absl::Status FindMembers(std::vector<Row>& rows);

}  // namespace concord

#endif  // CONCORD_BENCHMARKS_SCALING_H_
