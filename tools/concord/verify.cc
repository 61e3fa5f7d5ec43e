// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// `concord verify`: the differential engine on the implementations of this
// program, for as long as wanted.

#include "concord/testing/engine/verify.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "concord/benchmarks/number_checks.h"
#include "concord/core/backend.h"
#include "concord/core/errors.h"
#include "concord/core/replicas.h"
#include "concord/testing/engine/counterexample.h"
#include "concord/testing/engine/failure_file.h"
#include "concord/testing/engine/required.h"
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
  ProgressLine line_;
  double next_ = 0;
};

std::string BackendOf(const VerifyRow& row) {
  return std::vector<std::string>(absl::StrSplit(row.implementation, '/'))[1];
}

// Why all rows are skipped: "cuda is not available (...)" for each backend that
// cannot run here, "scan/cuda/pipelined: it needs ..." for each implementation
// that does not suit one that can.
std::string WhyNothingRan(const VerifyReport& report) {
  std::set<std::string> absent;
  for (const BackendStatus& status : ListBackends()) {
    if (!status.available()) absent.insert(status.name);
  }
  std::map<std::string, std::string> reasons;
  for (const VerifyRow& row : report.rows) {
    const std::string backend = BackendOf(row);
    if (absent.count(backend) > 0) {
      reasons[backend] = absl::StrCat(" is not available (", row.skipped, ")");
    } else {
      reasons[row.implementation] = absl::StrCat(": ", row.skipped);
    }
  }
  return absl::StrJoin(reasons, ", ", absl::PairFormatter(""));
}

// Absent is not passed: why the run as a whole failed although no case did.
absl::Status CheckExecuted(const VerifyReport& report) {
  const auto is_skipped = [](const VerifyRow& row) {
    return !row.skipped.empty();
  };
  if (std::all_of(report.rows.begin(), report.rows.end(), is_skipped)) {
    return UnavailableError("nothing was executed: ", WhyNothingRan(report));
  }
  if (report.executed() == 0 && report.failures.empty()) {
    return FailedPreconditionError("nothing was executed");
  }
  const std::vector<std::string> without = report.without_a_case();
  if (!without.empty()) {
    return FailedPreconditionError("there was no time for ",
                                   absl::StrJoin(without, ", "));
  }
  std::set<std::string> ran;
  for (const VerifyRow& row : report.rows) {
    if (row.executed > 0) ran.insert(BackendOf(row));
  }
  for (const std::string& required : RequiredBackends()) {
    if (ran.count(required) > 0) continue;
    return FailedPreconditionError("CONCORD_REQUIRE names ", required,
                                   ", but nothing was executed on it");
  }
  return absl::OkStatus();
}

// "tbb: 812 cases on 3 implementations", or why there are none.
std::string CountsByBackend(const VerifyReport& report) {
  struct Counts {
    std::int64_t executed = 0;
    std::int64_t ran = 0;
    std::int64_t skipped = 0;
    std::set<std::string> reasons;
  };
  std::map<std::string, Counts> backends;
  for (const VerifyRow& row : report.rows) {
    Counts& counts = backends[BackendOf(row)];
    counts.executed += row.executed;
    ++(row.skipped.empty() ? counts.ran : counts.skipped);
    if (!row.skipped.empty()) counts.reasons.insert(row.skipped);
  }
  std::string lines;
  for (const auto& [name, counts] : backends) {
    std::string line =
        absl::StrCat(name, ": ", Counted(counts.executed, "cases"),
                     " executed on ", Counted(counts.ran, "implementations"),
                     ", ", WithThousands(counts.skipped), " skipped");
    if (counts.skipped > 0) {
      absl::StrAppend(&line, " (", absl::StrJoin(counts.reasons, "; "), ")");
    }
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
  ASSIGN_OR_RETURN(FailureRecord record, LoadFailure(path));
  const absl::StatusOr<std::optional<Failure>> failure = Replay(record);
  if (!failure.ok()) {
    return absl::Status(
        failure.status().code(),
        absl::StrCat("'", path, "': ", failure.status().message()));
  }
  const std::string what =
      absl::StrCat(record.implementation, " on ", Describe(record.trial));
  if (!failure->has_value()) {
    RETURN_IF_ERROR(AgreeAsOne(
        Print(Wrapped(absl::StrCat(what, ": does not fail any more.")))));
    return kDone;
  }
  const Failure& seen = **failure;
  RETURN_IF_ERROR(AgreeAsOne(
      Print(absl::StrCat(Wrapped(absl::StrCat(what, ": ", Name(seen.kind))),
                         "    ", seen.message, "\n"))));
  return kFailed;
}

absl::StatusOr<ExitStatus> RunVerify(const VerifyArguments& arguments) {
  if (!arguments.replay.empty()) return ReplayFile(arguments.replay);
  RETURN_IF_ERROR(CheckRequiredBackends());
  VerifyOptions options;
  options.selects = [&](const std::string& implementation) {
    return Matches(arguments.pattern, implementation);
  };
  options.backends = arguments.backends;
  options.cases = arguments.cases;
  options.random_seconds = 60 * arguments.minutes;
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
    return NotFoundError("no implementation matches '", arguments.pattern, "'",
                         arguments.backends.empty() ? "" : " on ",
                         arguments.backends);
  }
  if (!report.ok()) return report.status();
  // All replicas wait for the first one, which prints.
  RETURN_IF_ERROR(AgreeAsOne(Print(AsText(*report, arguments.seed))));
  RETURN_IF_ERROR(CheckExecuted(*report));
  return report->failures.empty() ? kDone : kFailed;
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
      ->transform(Positive<std::int64_t>());
  command
      ->add_option("--minutes", arguments->minutes,
                   "Goes on with random cases for as long as this, after the "
                   "standard suite or --cases")
      ->type_name("NUMBER")
      ->transform(NotNegative<double>());
  command
      ->add_option("--seed", arguments->seed,
                   "Other random cases; the same for the same seed on every "
                   "machine [default 1]")
      ->type_name("NUMBER")
      ->transform(NotNegative<std::uint64_t>());
  command
      ->add_option("--replay", arguments->replay,
                   "Repeats the failure that is saved in a file, and nothing "
                   "else")
      ->type_name("FILE");
}

}  // namespace concord
