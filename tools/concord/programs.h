// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_TOOLS_CONCORD_PROGRAMS_H_
#define CONCORD_TOOLS_CONCORD_PROGRAMS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "concord/tools/concord/command_line.h"

namespace concord {

// `concord bench|report|gate|reproduce` are programs of their own, the
// benchmark program and scripts around it, which get the arguments as they are.
// They stand in PREFIX/libexec/concord where this program stands in PREFIX/bin,
// and among the runfiles of a build.

// Whether the command is one of them.
bool IsProgram(absl::string_view command);

// Starts the one that the first argument names, with the others. Returns only
// when it cannot be started.
absl::StatusOr<ExitStatus> StartProgram(
    const std::vector<std::string>& arguments);

// Declares them, for --help and completion.
void AddPrograms(CommandLine& line);

// Where the command is one of them: gives it the options that the program's
// --help lists.
void AddProgramOptions(CommandLine& line, const std::string& command);

}  // namespace concord

#endif  // CONCORD_TOOLS_CONCORD_PROGRAMS_H_
