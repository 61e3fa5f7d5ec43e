// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_CORE_CHOOSING_RUNNER_H_
#define CONCORD_CORE_CHOOSING_RUNNER_H_

#include <memory>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "concord/core/algorithm.h"
#include "concord/core/chooser.h"

namespace concord {

// A runner for runs of any size: on a backend that was opened as `auto`, on a
// machine with a table, and without a variant, each run is that of the
// implementation which is fastest for its size, among those that compute where
// the backend's arrays lie. Otherwise Algorithm::NewRunner.
absl::StatusOr<std::unique_ptr<Runner>> NewChoosingRunner(
    const Algorithm& algorithm, const std::shared_ptr<Backend>& backend,
    absl::string_view variant);

// Whether that would choose.
bool ChoosesForEachRun(const std::shared_ptr<Backend>& backend,
                       absl::string_view variant);

}  // namespace concord

#endif  // CONCORD_CORE_CHOOSING_RUNNER_H_
