// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// `concord --version`.

#include <string>
#include <vector>

#include "absl/base/config.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "concord/benchmarks/provenance.h"
#include "concord/core/backend.h"
#include "concord/tools/concord/command_line.h"

namespace concord {
namespace {

// CHANGELOG.md has the same at its head; a test compares them.
constexpr char kVersion[] = "0.1.0";

}  // namespace

std::string VersionText() {
  std::vector<std::string> backends;
  std::vector<std::string> libraries;
  for (const BackendStatus& status : ListBackends()) {
    if (status.stage == BackendStage::kNotCompiled) continue;
    backends.push_back(status.name);
    if (!status.library.empty()) libraries.push_back(status.library);
  }
  libraries.push_back(absl::StrCat("Abseil ", ABSL_LTS_RELEASE_VERSION));
  const std::string commit = Commit();
  return absl::StrJoin(
      {absl::StrCat("concord ", kVersion),
       absl::StrCat("commit ", commit.empty() ? "unknown" : commit),
       absl::StrCat("backends ", absl::StrJoin(backends, ", ")),
       absl::StrCat("libraries ", absl::StrJoin(libraries, ", ")),
       std::string()},
      "\n");
}

}  // namespace concord
