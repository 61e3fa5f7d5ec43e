// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_TOOLS_CONCORD_COMMAND_LINE_H_
#define CONCORD_TOOLS_CONCORD_COMMAND_LINE_H_

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "concord/core/spec.h"

namespace concord {

enum ExitStatus {
  kDone = 0,         // and everything agreed
  kFailed = 1,       // a disagreement, or something went wrong
  kUnusable = 2,     // arguments or input that nothing can be done with
  kUnavailable = 3,  // the backend that was named cannot run here
};

// The exit status of a program that ends with this error.
ExitStatus ExitStatusOf(const absl::Status& status);

// The command line while it is being read.
struct CommandLine {
  CLI::App app;
  // The algorithm that the arguments name; null when they name none.
  const AlgorithmSpec* algorithm = nullptr;
  // What the command on the command line does. Set when it has been read.
  std::function<absl::StatusOr<ExitStatus>()> action;
};

// Each command stands in the file of its name.
void AddBackendsCommand(CommandLine& line);
void AddListCommand(CommandLine& line);
void AddDescribeCommand(CommandLine& line);
void AddRunCommand(CommandLine& line);
void AddCompareCommand(CommandLine& line);
void AddVerifyCommand(CommandLine& line);
void AddExplainCommand(CommandLine& line);
void AddTuneCommand(CommandLine& line);
void AddVersionCommand(CommandLine& line);
void AddCompletionCommand(CommandLine& line);

// For --version: of this program, its commit, its compiler, its backends and
// its libraries.
std::string VersionText();

// "bash", "zsh", ...: what `concord completion` has a script for.
std::vector<std::string> CompletedShells();

// A command without further parts; `action` runs after its options were read.
CLI::App* AddCommand(CommandLine& line, const std::string& name,
                     const std::string& summary,
                     std::function<absl::StatusOr<ExitStatus>()> action);

// Writes to standard output. A full disk is an error. A reader that is gone
// ends the process by SIGPIPE, and is an error only where that signal is
// ignored.
absl::Status Print(absl::string_view text);

// Writes one line to standard error: "concord: " and the message. One that ends
// with a caret below a place in a text keeps its lines.
void Complain(absl::string_view message);

}  // namespace concord

#endif  // CONCORD_TOOLS_CONCORD_COMMAND_LINE_H_
