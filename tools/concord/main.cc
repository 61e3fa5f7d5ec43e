// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The command line: `concord COMMAND ...`. It knows algorithms by their specs
// and backends by their registrations, and none of them by name.

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "concord/benchmarks/parse_arguments.h"
#include "concord/core/environment.h"
#include "concord/core/errors.h"
#include "concord/core/explanation.h"
#include "concord/core/guarded.h"
#include "concord/core/names.h"
#include "concord/core/replicas.h"
#include "concord/core/temporary_file.h"
#include "concord/tools/concord/command_line.h"
#include "concord/tools/concord/help.h"
#include "concord/tools/concord/programs.h"
#include "concord/tools/concord/suggestions.h"

namespace concord {
namespace {

using Arguments = std::vector<std::string>;

// The first argument that names an algorithm. What follows an option may be its
// value instead, which cannot be told before the algorithm is known; it counts
// when there is nothing better.
const AlgorithmSpec* AlgorithmAmong(const Arguments& arguments) {
  const AlgorithmSpec* second_choice = nullptr;
  absl::string_view before;
  for (const std::string& argument : arguments) {
    if (auto spec = FindSpec(argument); spec.ok()) {
      if (!absl::StartsWith(before, "-") || absl::StrContains(before, "=")) {
        return *spec;
      }
      if (second_choice == nullptr) second_choice = *spec;
    }
    before = argument;
  }
  return second_choice;
}

// An argument that no option and no position took.
absl::Status Unexpected(const CLI::App& command, const std::string& argument) {
  if (!absl::StartsWith(argument, "-")) {
    return InvalidArgumentError("unexpected argument '", argument, "' of ",
                                command.get_name(),
                                "; --help shows what it takes");
  }
  std::vector<std::string> options;
  for (const CLI::Option* option : command.get_options()) {
    if (option->nonpositional() && option->get_name() != "--help") {
      options.push_back(option->get_name());
    }
  }
  return InvalidArgumentError(
      "unknown option ", argument.substr(0, argument.find('=')),
      "; the options here are ", absl::StrJoin(options, ", "));
}

absl::Status CheckCommand(const CLI::App& app, const Arguments& arguments) {
  if (!arguments.empty() && absl::StartsWith(arguments.front(), "-")) {
    return absl::OkStatus();
  }
  std::vector<std::string> names;
  for (const CLI::App* command :
       app.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(command->get_name());
    if (!arguments.empty() && arguments.front() == names.back()) {
      return absl::OkStatus();
    }
  }
  return InvalidArgumentError(
      arguments.empty()
          ? "a command is needed"
          : absl::StrCat("unknown command '", arguments.front(), "'"),
      "; the commands are ", absl::StrJoin(names, ", "));
}

// A file that is opened while one of these is closed takes its place, and is
// read or written in its stead. What stands there now fails as if closed.
void OccupyStandardDescriptors() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(descriptor, F_GETFD) >= 0) continue;
    open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  }
}

void Declare(CommandLine& line) {
  line.app.description("Parallel kernels, each implemented several times.");
  line.app.name("concord");
  line.app.set_help_flag("-h,--help", "Shows this");
  line.app.set_version_flag("--version", VersionText,
                            "Shows versions and the commit");
  line.app.formatter(std::make_shared<HelpFormatter>());
  line.app.require_subcommand(1);
  AddBackendsCommand(line);
  AddListCommand(line);
  AddDescribeCommand(line);
  AddRunCommand(line);
  AddCompareCommand(line);
  AddVerifyCommand(line);
  AddExplainCommand(line);
  AddTuneCommand(line);
  AddVersionCommand(line);
  AddCompletionCommand(line);
  AddPrograms(line);
}

absl::StatusOr<ExitStatus> Execute(const Arguments& arguments) {
  RETURN_IF_ERROR(CheckNames());
  RETURN_IF_ERROR(CheckEnvironment());
  if (!arguments.empty() && IsProgram(arguments.front())) {
    return StartProgram(arguments);
  }
  CommandLine line;
  line.algorithm = AlgorithmAmong(arguments);
  Declare(line);
  RETURN_IF_ERROR(CheckCommand(line.app, arguments));
  try {
    ParseArguments(line.app, arguments);
  } catch (const CLI::CallForHelp&) {
    const auto commands = line.app.get_subcommands();
    const CLI::App& asked = commands.empty() ? line.app : *commands.front();
    RETURN_IF_ERROR(Print(asked.help()));
    return kDone;
  } catch (const CLI::CallForVersion& version) {
    RETURN_IF_ERROR(Print(version.what()));
    return kDone;
  } catch (const CLI::ParseError& error) {
    return InvalidArgumentError(error.what());
  }
  for (const CLI::App* command : line.app.get_subcommands()) {
    const Arguments rest = command->remaining();
    // Nothing can be said about the options of an algorithm that is unknown.
    const bool unknown_algorithm =
        command->get_option_no_throw("ALGORITHM") != nullptr &&
        line.algorithm == nullptr;
    if (!rest.empty() && !unknown_algorithm) {
      return Unexpected(*command, rest.front());
    }
  }
  return line.action();
}

// `explain` without an algorithm is about the one that can be explained.
Arguments WithExplained(Arguments arguments) {
  const std::vector<std::string> explained = ExplainedAlgorithms();
  if (!arguments.empty() && arguments.front() == "explain" &&
      AlgorithmAmong(arguments) == nullptr && explained.size() == 1) {
    arguments.insert(arguments.begin() + 1, explained.front());
  }
  return arguments;
}

// `completion --words WORD...`, which the scripts for shells call. The words
// are a command line that is not complete, so nothing else may look at them.
bool AsksForSuggestions(const Arguments& arguments) {
  return arguments.size() > 2 && arguments[0] == "completion" &&
         arguments[1] == "--words";
}

absl::StatusOr<ExitStatus> Suggest(const Arguments& arguments) {
  const Arguments words =
      WithExplained(Arguments(arguments.begin() + 2, arguments.end()));
  CommandLine line;
  line.algorithm = AlgorithmAmong(words);
  Declare(line);
  if (words.size() > 1) AddProgramOptions(line, words.front());
  RETURN_IF_ERROR(Print(Suggestions(line, words)));
  return kDone;
}

ExitStatus Main(const Arguments& arguments) {
  const absl::StatusOr<ExitStatus> status = Guarded([&] {
    return AsksForSuggestions(arguments) ? Suggest(arguments)
                                         : Execute(WithExplained(arguments));
  });
  if (status.ok()) return *status;
  const ExitStatus exit_status = ExitStatusOf(status.status());
  if (const auto words = LastWords(status.status().message(), exit_status)) {
    Complain(*words);
  }
  return exit_status;
}

}  // namespace
}  // namespace concord

int main(int argc, char** argv) {
  concord::OccupyStandardDescriptors();
  // A file past the limit of its size is then an error, as on a full disk.
  signal(SIGXFSZ, SIG_IGN);
  concord::RemoveTemporaryFilesWhenInterrupted();
  return concord::Main({argv + 1, argv + argc});
}
