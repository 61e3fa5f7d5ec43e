// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/tools/concord/command_line.h"

#include <cstdio>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "concord/core/output_file.h"
#include "concord/tools/concord/text.h"

namespace concord {

ExitStatus ExitStatusOf(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kOk:
      return kDone;
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kNotFound:
    case absl::StatusCode::kOutOfRange:
      return kUnusable;
    case absl::StatusCode::kUnavailable:
      return kUnavailable;
    default:
      return kFailed;
  }
}

CLI::App* AddCommand(CommandLine& line, const std::string& name,
                     const std::string& summary,
                     std::function<absl::StatusOr<ExitStatus>()> action) {
  CLI::App* const command = line.app.add_subcommand(name, summary);
  // What nobody asked for is reported in words of our own.
  command->allow_extras();
  command->callback(
      [&line, action = std::move(action)] { line.action = action; });
  return command;
}

absl::Status Print(absl::string_view text) { return WriteFile("-", text); }

namespace {

// Whether the last line is a caret below a place in a text.
bool ShowsPlace(absl::string_view message) {
  const std::size_t last = message.rfind('\n');
  return last != absl::string_view::npos && message.back() == '^' &&
         message.find_first_not_of(' ', last + 1) == message.size() - 1;
}

}  // namespace

void Complain(absl::string_view message) {
  const std::string text = Printable(message);
  const std::string line = absl::StrCat(
      "concord: ",
      ShowsPlace(text) ? text : absl::StrReplaceAll(text, {{"\n", "; "}}),
      "\n");
  std::fwrite(line.data(), 1, line.size(), stderr);
}

}  // namespace concord
