// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// `concord tune`: which implementation is the fastest here, for `auto`.

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "concord/benchmarks/number_checks.h"
#include "concord/benchmarks/tuning.h"
#include "concord/benchmarks/tuning_check.h"
#include "concord/benchmarks/tuning_search.h"
#include "concord/core/cache_folder.h"
#include "concord/core/choices.h"
#include "concord/core/errors.h"
#include "concord/core/output_file.h"
#include "concord/core/replicas.h"
#include "concord/tools/concord/command_line.h"
#include "concord/tools/concord/interruption.h"
#include "concord/tools/concord/text.h"
#include "concord/tools/concord/tune_report.h"

namespace concord {
namespace {

namespace fs = std::filesystem;

struct TuneArguments {
  double seconds = 240;
  std::vector<std::string> algorithms;
  std::vector<std::string> types;
  bool show = false;
  int check = 0;
  std::uint64_t seed = 2;
  bool json = false;
};

// The table of this machine, or why there is none.
struct MachineTable {
  std::string machine;
  std::string path;
  absl::StatusOr<Choices> choices;
};

absl::StatusOr<MachineTable> TableOfThisMachine() {
  MachineTable table;
  table.machine = MachineOf(ListBackends());
  table.path = ChoicesFile(table.machine);
  if (table.path.empty()) {
    return InvalidArgumentError(
        "there is no folder for the table; set CONCORD_CACHE to one");
  }
  table.choices = LoadChoices(table.path, table.machine);
  // That there is none names the file already.
  if (!table.choices.ok() && !absl::IsNotFound(table.choices.status())) {
    table.choices = InvalidArgumentError(
        table.path, " cannot be used: ", table.choices.status().message());
  }
  return table;
}

// Those that `auto` may take, by rising rank: all that compute in host memory,
// and the best of the others.
std::vector<std::shared_ptr<Backend>> BackendsOfAuto() {
  std::vector<std::shared_ptr<Backend>> backends;
  const std::vector<BackendStatus> statuses = ListBackends();
  bool has_device = false;
  for (auto status = statuses.rbegin(); status != statuses.rend(); ++status) {
    if (!status->available()) continue;
    absl::StatusOr<std::shared_ptr<Backend>> backend =
        OpenBackend(status->name);
    if (!backend.ok()) continue;
    const bool is_device = !(*backend)->memory().is_host();
    if (is_device && has_device) continue;
    has_device |= is_device;
    backends.push_back(*std::move(backend));
  }
  std::reverse(backends.begin(), backends.end());
  return backends;
}

absl::Status CheckNames(const TuneArguments& arguments) {
  for (const std::string& name : arguments.algorithms) {
    RETURN_IF_ERROR(FindSpec(name).status());
  }
  for (const std::string& name : arguments.types) {
    RETURN_IF_ERROR(ParseElementType(name).status());
  }
  return absl::OkStatus();
}

// The folder also holds compiled kernels, which are read only where nobody else
// may write.
absl::Status MakeFolder(const std::string& folder) {
  std::error_code error;
  const bool is_new = fs::create_directories(folder, error);
  if (is_new) fs::permissions(folder, fs::perms::owner_all, error);
  if (!error) return absl::OkStatus();
  return InvalidArgumentError(folder, " cannot be made: ", error.message());
}

// Writes the table while it grows, so that it is there whatever happens.
class TableWriter {
 public:
  TableWriter(const MachineTable& table, Choices& choices)
      : table_(table), choices_(choices) {}

  // `done` jobs have a place in the choices.
  absl::Status Keep(std::size_t done) {
    constexpr absl::Duration kOften = absl::Seconds(2);
    const bool is_due = done > done_ || absl::Now() - written_ > kOften;
    if (done == 0 || !is_due) return absl::OkStatus();
    return Write(done);
  }

  absl::Status Write(std::size_t done) {
    done_ = done;
    written_ = absl::Now();
    choices_.measured =
        absl::FormatTime(absl::RFC3339_sec, written_, absl::UTCTimeZone());
    return WriteFile(table_.path, ToText(choices_, table_.machine));
  }

  // Of the jobs that the file is about.
  std::size_t done() const { return done_; }

 private:
  const MachineTable& table_;
  Choices& choices_;
  std::size_t done_ = 0;
  absl::Time written_;
};

absl::StatusOr<ExitStatus> TuneJobs(const TuneArguments& arguments,
                                    const std::vector<TuningJob>& jobs,
                                    const MachineTable& table) {
  RETURN_IF_ERROR(MakeFolder(CacheFolder()));
  RETURN_IF_ERROR(CheckWritable(table.path));
  // What is not measured now stays as it was.
  Choices choices = table.choices.ok() ? *table.choices : Choices();
  TableWriter writer(table, choices);
  const absl::Time start = absl::Now();
  std::vector<std::string> wrong;
  Interruption interruption;
  absl::Status status;
  {
    ProgressLine progress;
    const BeforeTuning before = [&](const TuningJob& job, std::size_t done,
                                    double left) -> absl::Status {
      RETURN_IF_ERROR(writer.Keep(done));
      if (interruption.has_come()) return absl::CancelledError("interrupted");
      progress.Show(absl::StrCat("[", done, "/", jobs.size(), "] ", job.name(),
                                 ": at most ",
                                 HumanSeconds(std::max(left, 0.0)), " left"));
      return absl::OkStatus();
    };
    status = TuneAll(jobs, arguments.seconds, before, choices, wrong);
  }
  for (const std::string& message : wrong) {
    Complain(absl::StrCat(message, "; it is never chosen"));
  }
  if (absl::IsCancelled(status)) {
    if (writer.done() > 0) RETURN_IF_ERROR(writer.Write(writer.done()));
    Complain(
        absl::StrCat("interrupted; ", table.path, " has what was measured of ",
                     writer.done(), " of ",
                     Counted(static_cast<std::int64_t>(jobs.size()), "cases")));
    interruption.End();
  }
  RETURN_IF_ERROR(status);
  RETURN_IF_ERROR(writer.Write(jobs.size()));
  RETURN_IF_ERROR(Print(absl::StrCat(
      "Measured ", Counted(static_cast<std::int64_t>(jobs.size()), "cases"),
      " in ", HumanSeconds(absl::ToDoubleSeconds(absl::Now() - start)),
      ". `auto` now chooses by ", table.path, ".\n")));
  return wrong.empty() ? kDone : kFailed;
}

// An empty list is all.
bool IsAmong(const std::vector<std::string>& names, absl::string_view name) {
  return names.empty() ||
         std::find(names.begin(), names.end(), name) != names.end();
}

absl::StatusOr<ExitStatus> Show(const TuneArguments& arguments,
                                const MachineTable& table) {
  RETURN_IF_ERROR(table.choices.status());
  Choices asked;
  for (const auto& [key, steps] : table.choices->steps) {
    const auto& [algorithm, type, place] = key;
    if (IsAmong(arguments.algorithms, algorithm) &&
        IsAmong(arguments.types, Name(type))) {
      asked.steps.emplace(key, steps);
    }
  }
  RETURN_IF_ERROR(Print(
      absl::StrCat(asked.steps.empty() ? "The table has nothing of these.\n"
                                       : AsTable(asked),
                   "\n",
                   Wrapped(absl::StrCat(table.path, ", measured ",
                                        table.choices->measured)))));
  return kDone;
}

// The backends that let `auto` choose among these.
absl::StatusOr<AutoBackends> OpenAutoBackends(
    const std::vector<std::shared_ptr<Backend>>& backends) {
  AutoBackends opened;
  for (const std::shared_ptr<Backend>& backend : backends) {
    std::shared_ptr<Backend>& place =
        backend->memory().is_host() ? opened.cpu : opened.device;
    ASSIGN_OR_RETURN(place,
                     OpenBackend(absl::StrCat("auto:", backend->info().name)));
  }
  return opened;
}

absl::StatusOr<ExitStatus> Check(
    const TuneArguments& arguments, const std::vector<TuningJob>& jobs,
    const std::vector<std::shared_ptr<Backend>>& backends,
    const MachineTable& table) {
  RETURN_IF_ERROR(table.choices.status());
  ASSIGN_OR_RETURN(const AutoBackends opened, OpenAutoBackends(backends));
  std::vector<CheckedChoice> checked;
  Interruption interruption;
  absl::Status status;
  std::size_t done = 0;
  {
    ProgressLine progress;
    while (status.ok() && done < jobs.size() && !interruption.has_come()) {
      progress.Show(
          absl::StrCat("[", done, "/", jobs.size(), "] ", jobs[done].name()));
      status = CheckChoices(jobs[done], *table.choices, opened, arguments.check,
                            arguments.seed, checked);
      if (status.ok()) ++done;
    }
  }
  // Also of what was checked until it failed or was interrupted.
  RETURN_IF_ERROR(Print(arguments.json ? AsJson(checked) : AsText(checked)));
  if (interruption.has_come()) {
    Complain(
        absl::StrCat("interrupted; this is of ", done, " of ",
                     Counted(static_cast<std::int64_t>(jobs.size()), "cases")));
    interruption.End();
  }
  RETURN_IF_ERROR(status);
  return kDone;
}

absl::StatusOr<ExitStatus> Tune(const TuneArguments& arguments) {
  RETURN_IF_ERROR(CheckNames(arguments));
  // They would not measure the same at the same time.
  if (ReplicaCount() > 1) {
    return InvalidArgumentError("tune measures by one process, without mpirun");
  }
  ASSIGN_OR_RETURN(const MachineTable table, TableOfThisMachine());
  if (arguments.show) return Show(arguments, table);
  const std::vector<std::shared_ptr<Backend>> backends = BackendsOfAuto();
  const std::vector<TuningJob> jobs =
      Tuner(backends).Jobs(arguments.algorithms, arguments.types);
  if (jobs.empty()) {
    RETURN_IF_ERROR(
        Print("There is nothing to measure: no two implementations of these "
              "give the same results.\n"));
    return kDone;
  }
  return arguments.check > 0 ? Check(arguments, jobs, backends, table)
                             : TuneJobs(arguments, jobs, table);
}

}  // namespace

void AddTuneCommand(CommandLine& line) {
  auto arguments = std::make_shared<TuneArguments>();
  CLI::App* const command = AddCommand(
      line, "tune",
      "Measures which implementation is the fastest here, for the backend auto",
      [arguments] { return Tune(*arguments); });
  CLI::Option* const seconds =
      command
          ->add_option("--seconds", arguments->seconds,
                       "How long to measure at most, about [default 240]")
          ->transform(Positive<double>());
  command
      ->add_option("--algorithms", arguments->algorithms,
                   "Such as reduce,scan [default all]")
      ->type_name("ALGORITHMS")
      ->delimiter(',');
  command
      ->add_option("--types", arguments->types,
                   "Such as int32,float64 [default all]")
      ->type_name("TYPES")
      ->delimiter(',');
  command
      ->add_flag("--show", arguments->show,
                 "Shows the table, or what it has of --algorithms and --types; "
                 "measures nothing")
      ->excludes(seconds);
  command
      ->add_option("--check", arguments->check,
                   "Measures at so many other sizes for each algorithm and "
                   "type, says how often the choice is near the best, and "
                   "lists where it is not")
      ->transform(Positive<int>())
      ->excludes("--show")
      ->excludes(seconds);
  command
      ->add_option("--seed", arguments->seed,
                   "Of the sizes and cases of --check [default 2]")
      ->transform(NotNegative<std::uint64_t>())
      ->needs("--check");
  command
      ->add_flag("--json", arguments->json,
                 "What --check measured, as JSON instead of tables")
      ->needs("--check");
}

}  // namespace concord
