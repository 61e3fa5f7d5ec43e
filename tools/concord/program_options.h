// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_TOOLS_CONCORD_PROGRAM_OPTIONS_H_
#define CONCORD_TOOLS_CONCORD_PROGRAM_OPTIONS_H_

#include <CLI/CLI.hpp>

#include "absl/strings/string_view.h"

namespace concord {

// Gives a command the options that its program's --help lists, with what they
// take and what is said of them, so that they can be suggested. Such a line is
//
//     --picture {time,throughput}   draw one plot, of the first rows
//
// and where there is no room, the explanation is the next line.
void AddListedOptions(absl::string_view help, CLI::App& command);

}  // namespace concord

#endif  // CONCORD_TOOLS_CONCORD_PROGRAM_OPTIONS_H_
