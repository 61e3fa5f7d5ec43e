// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/tools/concord/programs.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "concord/core/errors.h"
#include "concord/core/replicas.h"
#include "concord/tools/concord/program_options.h"

namespace concord {
namespace {

struct Program {
  const char* name;
  const char* summary;
  const char* file;
  // Recorded runs, or programs.
  bool takes_files = true;
};

constexpr Program kPrograms[] = {
    {"bench", "Measures implementations and records the samples",
     "concord_bench", /*takes_files=*/false},
    {"report", "Shows recorded runs as tables, plots or one page", "report.py"},
    {"gate", "Judges whether one run or program is slower than another",
     "gate.py"},
    {"reproduce", "Measures a recorded run again and compares", "reproduce.py"},
};

// Without a shell's search: the file that this process runs.
std::string OwnPath() {
  char path[PATH_MAX];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof(path));
  return std::string(path, length > 0 ? static_cast<std::size_t>(length) : 0);
}

// The folders that may hold the programs, those nearest to this one first.
std::vector<std::string> Folders() {
  const std::string own = OwnPath();
  const std::string here = own.substr(0, own.rfind('/'));
  // Among runfiles: its own, and, in tests and with `bazel run`, another
  // program's with this one among them.
  std::vector<std::string> runfiles = {absl::StrCat(own, ".runfiles")};
  for (const char* name : {"RUNFILES_DIR", "TEST_SRCDIR"}) {
    if (const char* folder = std::getenv(name)) runfiles.push_back(folder);
  }
  std::vector<std::string> folders = {
      absl::StrCat(here, "/../libexec/concord")};
  for (const std::string& folder : runfiles) {
    // What WORKSPACE calls it, and what MODULE.bazel does.
    for (const char* repository : {"concord", "_main"}) {
      folders.push_back(absl::StrCat(folder, "/", repository, "/benchmarks"));
    }
  }
  // A bundle that was carried elsewhere keeps the layout of runfiles.
  folders.push_back(absl::StrCat(here, "/../../benchmarks"));
  return folders;
}

absl::StatusOr<std::string> Find(const std::string& file) {
  const std::vector<std::string> folders = Folders();
  for (const std::string& folder : folders) {
    std::string path = absl::StrCat(folder, "/", file);
    if (access(path.c_str(), R_OK) == 0) return path;
  }
  return NotFoundError(file, " is not installed; it belongs into ",
                       folders.front());
}

// The one that this command is, or null.
const Program* FindProgram(absl::string_view command) {
  const auto* const found = std::find_if(
      std::begin(kPrograms), std::end(kPrograms),
      [&](const Program& program) { return program.name == command; });
  return found == std::end(kPrograms) ? nullptr : found;
}

// Returns only when the program cannot be started.
absl::StatusOr<ExitStatus> Start(const Program& program,
                                 std::vector<std::string> arguments) {
  ASSIGN_OR_RETURN(std::string path, Find(program.file));
  const bool is_script =
      path.size() > 3 && path.substr(path.size() - 3) == ".py";
  // The scripts share nothing out: one rank has to run them.
  if (is_script && !IsFirstReplica()) return kDone;
  if (!arguments.empty() && arguments.front() == "-h") {
    arguments.front() = "--help";
  }
  // For its messages: what the user called.
  setenv("CONCORD_COMMAND", absl::StrCat("concord ", program.name).c_str(), 1);
  arguments.insert(arguments.begin(), path);
  if (is_script) arguments.insert(arguments.begin(), {"python3", "-B"});
  std::vector<char*> pointers;
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  execvp(pointers.front(), pointers.data());
  const absl::Status failed =
      InvalidArgumentError(program.name, " needs ", arguments.front(),
                           ", which cannot be started: ", std::strerror(errno));
  if (!is_script) return failed;
  // Other ranks, which would be asked what they say, may have ended.
  Complain(failed.message());
  return ExitStatusOf(failed);
}

// What the program prints with --help; "" where it cannot be started.
std::string HelpOf(const Program& program) {
  int ends[2];
  if (pipe(ends) != 0) return "";
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDOUT_FILENO);
    dup2(open("/dev/null", O_WRONLY), STDERR_FILENO);
    close(ends[0]);
    close(ends[1]);
    // Returns only where nothing was started.
    (void)Start(program, {"--help"});
    _exit(1);
  }
  close(ends[1]);
  std::string help;
  char buffer[4096];
  for (ssize_t count; (count = read(ends[0], buffer, sizeof(buffer))) > 0;) {
    help.append(buffer, static_cast<std::size_t>(count));
  }
  close(ends[0]);
  if (child > 0) waitpid(child, nullptr, 0);
  return help;
}

}  // namespace

void AddPrograms(CommandLine& line) {
  for (const Program& program : kPrograms) {
    auto* const command =
        AddCommand(line, program.name, program.summary, nullptr);
    // They know their own flags.
    command->set_help_flag();
  }
}

void AddProgramOptions(CommandLine& line, const std::string& command) {
  const Program* const program = FindProgram(command);
  if (program == nullptr) return;
  CLI::App* const app = line.app.get_subcommand(command);
  AddListedOptions(HelpOf(*program), *app);
  if (program->takes_files) app->add_option("FILE")->expected(-1);
}

bool IsProgram(absl::string_view command) {
  return FindProgram(command) != nullptr;
}

absl::StatusOr<ExitStatus> StartProgram(
    const std::vector<std::string>& arguments) {
  return Start(*FindProgram(arguments.front()),
               {arguments.begin() + 1, arguments.end()});
}

}  // namespace concord
