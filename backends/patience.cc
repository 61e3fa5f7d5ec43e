// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/backends/patience.h"

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "absl/strings/numbers.h"
#include "absl/strings/string_view.h"
#include "concord/core/environment.h"
#include "concord/core/errors.h"
#include "concord/core/guarded.h"

namespace concord {
namespace {

// "" where the variable is not there.
absl::string_view AskedFor() {
  const char* const text = std::getenv("CONCORD_PATIENCE");
  return text == nullptr ? "" : text;
}

std::optional<double> SecondsIn(absl::string_view text) {
  double seconds = 0;
  if (!absl::SimpleAtod(text, &seconds) || !(seconds > 0)) return std::nullopt;
  return std::min(seconds, kMostSeconds);
}

}  // namespace

double PatienceSeconds(double usual) {
  return SecondsIn(AskedFor()).value_or(usual);
}

absl::Status CheckPatience() {
  return Guarded([]() -> absl::Status {
    const absl::string_view text = AskedFor();
    if (text.empty() || SecondsIn(text).has_value()) return absl::OkStatus();
    return InvalidArgumentError(
        "CONCORD_PATIENCE is a number of seconds above 0, not '", text, "'");
  });
}

const bool kChecked = RegisterEnvironmentCheck(CheckPatience);

}  // namespace concord
