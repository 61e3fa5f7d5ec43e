// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/testing/engine/required.h"

#include <algorithm>
#include <cstdlib>

#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "concord/core/backend.h"
#include "concord/core/errors.h"

namespace concord {

std::vector<std::string> RequiredBackends() {
  const char* variable = std::getenv("CONCORD_REQUIRE");
  return absl::StrSplit(variable == nullptr ? "" : variable, ',',
                        absl::SkipWhitespace());
}

bool IsRequired(absl::string_view backend) {
  const std::vector<std::string> required = RequiredBackends();
  return std::find(required.begin(), required.end(), backend) != required.end();
}

absl::Status CheckRequiredBackends() {
  const std::vector<std::string> required = RequiredBackends();
  // Probing takes its time on some backends.
  if (required.empty()) return absl::OkStatus();
  const std::vector<BackendStatus> known = ListBackends();
  for (const std::string& name : required) {
    const auto status =
        std::find_if(known.begin(), known.end(),
                     [&](const BackendStatus& s) { return s.name == name; });
    if (status == known.end()) {
      return InvalidArgumentError(
          "CONCORD_REQUIRE names ", name,
          ", but the backends of this program are ",
          absl::StrJoin(known, ", ",
                        [](std::string* out, const BackendStatus& s) {
                          out->append(s.name);
                        }));
    }
    if (!status->available()) {
      return UnavailableError("CONCORD_REQUIRE names ", name,
                              ", which is not available (", status->WhyNot(),
                              ")");
    }
  }
  return absl::OkStatus();
}

}  // namespace concord
