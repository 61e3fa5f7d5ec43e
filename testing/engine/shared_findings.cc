// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/testing/engine/shared_findings.h"

#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "concord/core/errors.h"
#include "concord/core/replicas.h"
#include "concord/testing/engine/expectations.h"

namespace concord {

std::optional<Failure> OfAllReplicas(std::optional<Failure> mine) {
  if (ReplicaCount() == 1) return mine;
  absl::Status found;
  if (mine.has_value()) {
    found = InternalError(static_cast<int>(mine->kind), " ",
                          static_cast<int>(mine->code), " ", mine->message);
  }
  found = AgreeAsOne(found);
  if (found.ok()) return std::nullopt;
  const std::vector<std::string> parts =
      absl::StrSplit(found.message(), absl::MaxSplits(' ', 2));
  int kind = 0;
  int code = 0;
  if (parts.size() == 3 && absl::SimpleAtoi(parts[0], &kind) &&
      absl::SimpleAtoi(parts[1], &code)) {
    return Failure{static_cast<FailureKind>(kind), parts[2],
                   static_cast<absl::StatusCode>(code)};
  }
  // The replicas did not meet here.
  if (mine.has_value()) return mine;
  return FromStatus(FailureKind::kStatus, "running", found);
}

std::optional<Failure> FailureOfAny(absl::string_view doing,
                                    const absl::Status& mine) {
  const absl::Status status = AgreeAmongReplicas(mine);
  if (status.ok()) return std::nullopt;
  return FromStatus(FailureKind::kStatus, doing, status);
}

absl::StatusOr<Expectations> ExpectedByAll(const AlgorithmSpec& spec,
                                           const Case& test_case) {
  // A process that is alone ends where its memory does.
  if (ReplicaCount() == 1) return spec.Expected(test_case);
  return OnAllReplicas([&] { return spec.Expected(test_case); });
}

}  // namespace concord
