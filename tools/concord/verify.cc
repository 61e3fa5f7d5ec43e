// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// `concord verify`: the differential engine on the implementations of this
// program, for as long as wanted.

#include "concord/testing/engine/verify.h"

#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "concord/testing/engine/counterexample.h"
#include "concord/testing/engine/failure_file.h"
#include "concord/tools/concord/command_line.h"
#include "concord/tools/concord/selection.h"
#include "concord/tools/concord/text.h"

namespace concord {
namespace {

// How long a line of progress stands before the next one.
constexpr double kSecondsBetweenLines = 0.1;

struct VerifyArguments {
  std::string pattern;
  std::string backends;
  std::int64_t cases = 0;
  double minutes = 0;
  std::uint64_t seed = 1;
  std::string replay;
};

// Shows how far the engine is, on a terminal.
class VerifyLine {
 public:
  void Show(const VerifyProgress& progress) {
    if (progress.seconds < next_) return;
    next_ = progress.seconds + kSecondsBetweenLines;
    const std::string of_all =
        progress.planned > 0
            ? absl::StrCat("/", WithThousands(progress.planned))
            : "";
    line_.Show(absl::StrCat("[", WithThousands(progress.executed), of_all, "] ",
                            progress.implementation, ", ",
                            Counted(progress.failures, "failures"), ", ",
                            HumanSeconds(progress.seconds)));
  }

 private:
  Progress line_;
  double next_ = 0;
};

std::string BackendOf(const VerifyRow& row) {
  return std::vector<std::string>(absl::StrSplit(row.implementation, '/'))[1];
}

// Absent is not passed: a backend that $CONCORD_REQUIRE names must have run.
std::vector<std::string> RequiredButSkipped(const VerifyReport& report) {
  const char* const required = std::getenv("CONCORD_REQUIRE");
  std::vector<std::string> missing;
  for (absl::string_view name : absl::StrSplit(
           required == nullptr ? "" : required, ',', absl::SkipWhitespace())) {
    for (const VerifyRow& row : report.rows) {
      if (BackendOf(row) != name || row.skipped.empty()) continue;
      missing.push_back(absl::StrCat(name, " is required, but it was skipped (",
                                     row.skipped, ")"));
      break;
    }
  }
  return missing;
}

// "tbb: 812 cases on 3 implementations", or why there are none.
std::string CountsByBackend(const VerifyReport& report) {
  struct Counts {
    std::int64_t executed = 0;
    std::int64_t ran = 0;
    std::int64_t skipped = 0;
    std::string reason;
  };
  std::map<std::string, Counts> backends;
  for (const VerifyRow& row : report.rows) {
    Counts& counts = backends[BackendOf(row)];
    counts.executed += row.executed;
    ++(row.skipped.empty() ? counts.ran : counts.skipped);
    if (!row.skipped.empty()) counts.reason = row.skipped;
  }
  std::string lines;
  for (const auto& [name, counts] : backends) {
    std::string line =
        absl::StrCat(name, ": ", Counted(counts.executed, "cases"),
                     " executed on ", Counted(counts.ran, "implementations"),
                     ", ", WithThousands(counts.skipped), " skipped");
    if (counts.skipped > 0) absl::StrAppend(&line, " (", counts.reason, ")");
    lines += Wrapped(line, 4);
  }
  return lines;
}

std::string AsText(const VerifyReport& report, std::uint64_t seed) {
  Table table;
  table.AddColumn("IMPLEMENTATION", Table::Align::kLeft);
  table.AddColumn("CASES", Table::Align::kRight);
  for (const VerifyRow& row : report.rows) {
    table.AddRow({row.implementation, row.skipped.empty()
                                          ? WithThousands(row.executed)
                                          : "skipped"});
  }
  std::string text = table.ToString();
  for (const Counterexample& failure : report.failures) {
    absl::StrAppend(&text, "\n", failure.Report());
    if (text.back() != '\n') text += '\n';
  }
  absl::StrAppend(&text, "\n", CountsByBackend(report));
  const auto failed = static_cast<std::int64_t>(report.failures.size());
  return absl::StrCat(
      text, Wrapped(absl::StrCat(
                Counted(report.executed(), "cases"), " in ",
                HumanSeconds(report.seconds), " with seed ", seed, ": ",
                failed == 0 ? "no failure"
                            : absl::StrCat(Counted(failed, "implementations"),
                                           " failed"),
                ".")));
}

absl::StatusOr<ExitStatus> ReplayFile(const std::string& path) {
  absl::StatusOr<FailureRecord> record = LoadFailure(path);
  if (!record.ok()) return record.status();
  absl::StatusOr<std::optional<Failure>> failure = Replay(*record);
  if (!failure.ok()) return failure.status();
  const std::string what =
      absl::StrCat(record->implementation, " on ", Describe(record->trial));
  if (!failure->has_value()) {
    absl::Status printed =
        Print(Wrapped(absl::StrCat(what, ": does not fail any more.")));
    if (!printed.ok()) return printed;
    return kDone;
  }
  const Failure& seen = **failure;
  absl::Status printed =
      Print(absl::StrCat(Wrapped(absl::StrCat(what, ": ", Name(seen.kind))),
                         "    ", seen.message, "\n"));
  if (!printed.ok()) return printed;
  return kFailed;
}

absl::StatusOr<ExitStatus> RunVerify(const VerifyArguments& arguments) {
  if (!arguments.replay.empty()) return ReplayFile(arguments.replay);
  VerifyOptions options;
  options.selects = [&](const std::string& implementation) {
    return Matches(arguments.pattern, implementation);
  };
  options.backends = arguments.backends;
  options.cases = arguments.cases;
  options.seconds = 60 * arguments.minutes;
  options.seed = arguments.seed;
  absl::StatusOr<VerifyReport> report;
  {
    VerifyLine line;
    options.progress = [&](const VerifyProgress& progress) {
      line.Show(progress);
      return true;
    };
    report = Verify(options);
  }
  if (absl::IsNotFound(report.status())) {
    return absl::NotFoundError(absl::StrCat(
        "no implementation matches '", arguments.pattern, "'",
        arguments.backends.empty() ? "" : " on ", arguments.backends));
  }
  if (!report.ok()) return report.status();
  absl::Status printed = Print(AsText(*report, arguments.seed));
  if (!printed.ok()) return printed;
  const std::vector<std::string> missing = RequiredButSkipped(*report);
  for (const std::string& message : missing) Complain(message);
  if (report->executed() == 0) {
    return absl::FailedPreconditionError("nothing was executed");
  }
  return report->failures.empty() && missing.empty() ? kDone : kFailed;
}

}  // namespace

void AddVerifyCommand(CommandLine& line) {
  auto arguments = std::make_shared<VerifyArguments>();
  CLI::App* const command = AddCommand(
      line, "verify",
      "Tests implementations against the reference, on edge cases and random "
      "ones",
      [arguments] { return RunVerify(*arguments); });
  command->add_option("PATTERN", arguments->pattern,
                      "Part of a name, or a pattern such as 'scan/*' [default "
                      "all implementations]");
  command
      ->add_option("--backend", arguments->backends,
                   "Backends separated by commas, such as tbb:1,tbb:3 "
                   "[default all that can run here]")
      ->type_name("LIST");
  command
      ->add_option("--cases", arguments->cases,
                   "Cases of each implementation: the standard suite first, "
                   "random ones after it [default the standard suite]")
      ->type_name("NUMBER")
      ->check(CLI::NonNegativeNumber);
  command
      ->add_option("--minutes", arguments->minutes,
                   "Goes on with random cases for as long as this")
      ->type_name("NUMBER")
      ->check(CLI::NonNegativeNumber);
  command
      ->add_option("--seed", arguments->seed,
                   "Other random cases; the same for the same seed on every "
                   "machine [default 1]")
      ->type_name("NUMBER");
  command
      ->add_option("--replay", arguments->replay,
                   "Repeats the failure that is saved in a file, and nothing "
                   "else")
      ->type_name("FILE");
}

}  // namespace concord
