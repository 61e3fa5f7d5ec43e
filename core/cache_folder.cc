// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/core/cache_folder.h"

#include <cstdlib>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace concord {

std::string CacheFolder() {
  const auto variable = [](const char* name) -> std::string {
    const char* const value = std::getenv(name);
    return value == nullptr ? "" : value;
  };
  if (std::getenv("CONCORD_CACHE") != nullptr) return variable("CONCORD_CACHE");
  // By the XDG base directory specification, a relative path does not count.
  if (const std::string xdg = variable("XDG_CACHE_HOME");
      absl::StartsWith(xdg, "/")) {
    return absl::StrCat(xdg, "/concord");
  }
  const std::string home = variable("HOME");
  return absl::StartsWith(home, "/") ? absl::StrCat(home, "/.cache/concord")
                                     : "";
}

}  // namespace concord
