// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_BENCHMARKS_CHECKED_CASE_H_
#define CONCORD_BENCHMARKS_CHECKED_CASE_H_

#include <memory>

#include "absl/status/statusor.h"
#include "concord/benchmarks/measure.h"
#include "concord/core/backend.h"
#include "concord/core/spec.h"

namespace concord {

// A case and what is right for it, computed once for all contenders.
struct CheckedCase {
  std::shared_ptr<const Case> test_case;
  // Element by element; the message names the output, the first difference and
  // how many there are.
  Contender::Check check;
};

// What is right is what the algorithm's spec computes, plainly and in one
// thread. With a `checker`, for cases of which that takes minutes, it is what
// the algorithm's default on that backend gives, with the tolerances that the
// spec adds to it, if any: else to the last bit.
absl::StatusOr<CheckedCase> MakeCheckedCase(
    const AlgorithmSpec& spec, Case test_case,
    const std::shared_ptr<Backend>& checker = nullptr);

}  // namespace concord

#endif  // CONCORD_BENCHMARKS_CHECKED_CASE_H_
