// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/tools/bindings/c/engine_options.h"

#include <cmath>

#include "absl/strings/numbers.h"
#include "concord/core/errors.h"

namespace concord::bindings {
namespace {

absl::StatusOr<double> SecondsIn(const std::string& text) {
  double seconds = 0;
  if (absl::SimpleAtod(text, &seconds) && std::isfinite(seconds) &&
      seconds >= 0) {
    return seconds;
  }
  return InvalidArgumentError("--seconds takes a number from 0 on, not '", text,
                              "'");
}

}  // namespace

std::vector<OptionSpec> EngineOptionsAnd(std::vector<OptionSpec> more) {
  std::vector<OptionSpec> options = {
      OptionSpec::Number("cases", "how many", 0, 0, kLargestNumber),
      OptionSpec::Text("seconds", "at most, in all", "0"),
      OptionSpec::Number("seed", "of the cases", 1, 0, kLargestNumber),
      OptionSpec::Text("folder", "where failing cases are saved"),
  };
  options.insert(options.end(), more.begin(), more.end());
  return options;
}

absl::StatusOr<EngineOptions> EngineOptionsOf(const OptionMap& options) {
  EngineOptions parsed;
  parsed.cases = NumberOption(options, "cases");
  ASSIGN_OR_RETURN(parsed.seconds, SecondsIn(options.at("seconds")));
  parsed.seed = static_cast<std::uint64_t>(NumberOption(options, "seed"));
  parsed.folder = options.at("folder");
  return parsed;
}

}  // namespace concord::bindings
