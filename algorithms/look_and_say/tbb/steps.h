// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_LOOK_AND_SAY_TBB_STEPS_H_
#define CONCORD_ALGORITHMS_LOOK_AND_SAY_TBB_STEPS_H_

#include <cstdint>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "concord/algorithms/look_and_say/look_and_say.h"
#include "concord/backends/tbb/tbb_backend.h"

namespace concord::look_and_say {

// Digits that a thread takes at a time: they and what is said about them stay
// in a second-level cache between the two passes.
inline constexpr std::int64_t kStepsChunk = std::int64_t{128} << 10;

// Makes every step. Keeps its memory from call to call, because new memory
// costs more than the steps.
class StepByStep {
 public:
  explicit StepByStep(std::shared_ptr<Backend> backend)
      : backend_(AsTbb(std::move(backend))) {}

  // The arguments have been checked, except for the size of `out`.
  absl::Status Run(absl::Span<const std::uint8_t> in, ArrayView out,
                   const LookAndSay::Options& options);

  // One step: what is said of `digits`, which this many steps have made. There
  // is room for `spare` digits behind it. The memory lasts until the step after
  // the next.
  absl::StatusOr<absl::Span<std::uint8_t>> Say(
      absl::Span<const std::uint8_t> digits, std::int64_t steps,
      LookAndSay::Counts counts, std::int64_t spare);

 private:
  // For the result of a step: room for `length` digits, and for `likely` ones
  // where memory has to be allocated.
  absl::StatusOr<std::uint8_t*> Room(std::int64_t step, std::int64_t length,
                                     std::int64_t likely);

  std::shared_ptr<TbbBackend> backend_;
  // Input and result of a step, by turns.
  Array buffers_[2];
};

}  // namespace concord::look_and_say

#endif  // CONCORD_ALGORITHMS_LOOK_AND_SAY_TBB_STEPS_H_
