// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/testing/support/report.h"

#include <cstdlib>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace concord {

std::string ReportOfTest(Counterexample found, absl::string_view outputs) {
  // From there on it is a path in the workspace, by Bazel's link.
  const std::size_t start = outputs.rfind("/bazel-out/");
  if (start == absl::string_view::npos ||
      !absl::StartsWith(found.path, absl::StrCat(outputs, "/"))) {
    return found.Report();
  }
  const std::string name = found.path.substr(outputs.size() + 1);
  found.path = absl::StrCat("/tmp/", name);
  const std::string unpack =
      absl::StrCat("  unpack: unzip -o -d /tmp ", outputs.substr(start + 1),
                   "/outputs.zip ", name, "\n");
  std::string report = found.Report();
  report.insert(report.rfind("  repeat: "), unpack);
  return report;
}

std::string ReportOfTest(Counterexample found) {
  const char* const outputs = std::getenv("TEST_UNDECLARED_OUTPUTS_DIR");
  return ReportOfTest(std::move(found), outputs == nullptr ? "" : outputs);
}

}  // namespace concord
