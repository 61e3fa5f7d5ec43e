// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_TESTING_ENGINE_EXPECTATIONS_H_
#define CONCORD_TESTING_ENGINE_EXPECTATIONS_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "concord/core/spec.h"
#include "concord/testing/engine/examiner.h"
#include "concord/testing/engine/staging.h"

namespace concord {

// What is expected of the outputs of a case, by output name.

// "running: INVALID_ARGUMENT: ..."
Failure FromStatus(FailureKind kind, absl::string_view doing,
                   const absl::Status& status);

// "" when there is exactly one usable expectation for each output.
std::string Contradiction(const std::vector<OutputSpec>& outputs,
                          const Expectations& expected);

// Whether the bits of all outputs are known: there is no error bound, or the
// algorithm defines them all the same.
bool KnowsBits(const Expectations& expected);

// Compares the outputs of a case of the spec as they are now; `versus` follows
// an output's name in the message. `bits_promised`: where the algorithm defines
// the bits, nothing else will do.
std::optional<Failure> CompareOutputs(const AlgorithmSpec& spec,
                                      const Staging& staging,
                                      const Expectations& expected,
                                      bool bits_promised, FailureKind kind,
                                      absl::string_view versus);

// The outputs as they are now, as something to compare exactly with. Elements
// about which nothing is expected are left out.
absl::StatusOr<Expectations> Snapshot(const Staging& staging,
                                      const Expectations& expected);

}  // namespace concord

#endif  // CONCORD_TESTING_ENGINE_EXPECTATIONS_H_
