// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_TOOLS_CONCORD_TUNE_REPORT_H_
#define CONCORD_TOOLS_CONCORD_TUNE_REPORT_H_

#include <string>
#include <vector>

#include "concord/benchmarks/tuning_check.h"
#include "concord/core/choices.h"

namespace concord {

// What `concord tune --show` prints.
std::string AsTable(const Choices& choices);

// What `concord tune --check` prints: where a choice is far from the best, and
// how often it is not.
std::string AsText(const std::vector<CheckedChoice>& checked);
// The same with all that was measured, for programs.
std::string AsJson(const std::vector<CheckedChoice>& checked);

}  // namespace concord

#endif  // CONCORD_TOOLS_CONCORD_TUNE_REPORT_H_
