// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_TOOLS_CONCORD_DESCRIPTIONS_H_
#define CONCORD_TOOLS_CONCORD_DESCRIPTIONS_H_

#include <string>
#include <vector>

#include "concord/core/algorithm.h"
#include "concord/core/backend.h"
#include "concord/core/explanation.h"

namespace concord {

// What there is in this program, as JSON for other programs: what `concord
// describe`, `concord list`, `concord backends` and `concord explain` print
// with
// --json, and what the bindings give.

std::string AsJson(const Algorithm& algorithm);
// A list of them.
std::string AsJson(const std::vector<const Algorithm*>& algorithms);
std::string AsJson(const std::vector<BackendStatus>& statuses);
// Of a call of this algorithm.
std::string AsJson(const std::string& algorithm,
                   const ExplainedCall& explanation);

// An implementation, and whether it can run here.
struct ListEntry {
  ImplementationInfo info;
  bool is_default;
  // Why it, or its backend, cannot run here; "" when it can.
  std::string reason;
  // Whichever the reason is about.
  std::string subject;
};

// Those whose names the pattern matches.
std::vector<ListEntry> EntriesOf(const std::string& pattern);
std::string AsJson(const std::vector<ListEntry>& entries);

// The variants that have this option for their tuning; of an option of the
// algorithm itself there are none.
std::vector<std::string> TunedBy(const Algorithm& algorithm,
                                 const OptionSpec& option);

}  // namespace concord

#endif  // CONCORD_TOOLS_CONCORD_DESCRIPTIONS_H_
