// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_TESTING_ENGINE_SHARED_FINDINGS_H_
#define CONCORD_TESTING_ENGINE_SHARED_FINDINGS_H_

#include <optional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "concord/core/spec.h"
#include "concord/testing/engine/examiner.h"

namespace concord {

// Replicas (replicas.h) examine a trial together. Where one of them alone finds
// something, or has too little memory, all of them have to know.

// What the lowest replica found that found a failure, for all of them. Each
// calls it after each step that others may see otherwise, so that they go on
// alike.
std::optional<Failure> OfAllReplicas(std::optional<Failure> mine);

// A failure of this replica in what it was doing, or of another one, for all of
// them. Nothing where all are fine.
std::optional<Failure> FailureOfAny(absl::string_view doing,
                                    const absl::Status& mine);

// What is right of a case, made by all replicas, or by none of them.
absl::StatusOr<Expectations> ExpectedByAll(const AlgorithmSpec& spec,
                                           const Case& test_case);

}  // namespace concord

#endif  // CONCORD_TESTING_ENGINE_SHARED_FINDINGS_H_
