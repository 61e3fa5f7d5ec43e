// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_TOOLS_BINDINGS_C_ENGINE_OPTIONS_H_
#define CONCORD_TOOLS_BINDINGS_C_ENGINE_OPTIONS_H_

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "concord/core/options.h"

namespace concord::bindings {

// The largest number that a caller of C can give.
constexpr std::int64_t kLargestNumber =
    std::numeric_limits<std::int64_t>::max();

// What verification and differential testing both take: how many cases, for how
// long, and which; and where those that fail are saved.
struct EngineOptions {
  std::int64_t cases = 0;
  double seconds = 0;
  std::uint64_t seed = 1;
  std::string folder;
};

// Those, and more.
std::vector<OptionSpec> EngineOptionsAnd(std::vector<OptionSpec> more);

// Of options that are complete. InvalidArgument: `seconds` is no number from 0
// on.
absl::StatusOr<EngineOptions> EngineOptionsOf(const OptionMap& options);

}  // namespace concord::bindings

#endif  // CONCORD_TOOLS_BINDINGS_C_ENGINE_OPTIONS_H_
