// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_TOOLS_CONCORD_SUGGESTIONS_H_
#define CONCORD_TOOLS_CONCORD_SUGGESTIONS_H_

#include <string>
#include <vector>

#include "concord/tools/concord/command_line.h"

namespace concord {

// What could stand in place of the last of these words, which may be empty, in
// a command line. One line each: a word, a tab, and what it means. The line
// ":files" stands for the names of files.
//
//   {"run", "scan", "--op=m"} -> "--op=mul\t\n--op=min\t\n--op=max\t\n"
//
// `line` has every command, and the algorithm that the words name.
std::string Suggestions(const CommandLine& line,
                        const std::vector<std::string>& words);

}  // namespace concord

#endif  // CONCORD_TOOLS_CONCORD_SUGGESTIONS_H_
