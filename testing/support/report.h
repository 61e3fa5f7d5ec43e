// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_TESTING_SUPPORT_REPORT_H_
#define CONCORD_TESTING_SUPPORT_REPORT_H_

#include <string>

#include "absl/strings/string_view.h"
#include "concord/testing/engine/counterexample.h"

namespace concord {

// The report of a test. Where `outputs` is the folder that Bazel gives a test
// for its files, none of its paths lasts: Bazel packs the files, and removes
// the sandbox. Then a line says how to unpack the file from the workspace's
// folder, and the line that repeats the case names it where it then lies.
std::string ReportOfTest(Counterexample found, absl::string_view outputs);

// The same, with $TEST_UNDECLARED_OUTPUTS_DIR.
std::string ReportOfTest(Counterexample found);

}  // namespace concord

#endif  // CONCORD_TESTING_SUPPORT_REPORT_H_
