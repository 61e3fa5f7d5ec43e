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
#include "absl/strings/str_join.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "concord/benchmarks/number_checks.h"
#include "concord/benchmarks/tuning.h"
#include "concord/benchmarks/tuning_check.h"
#include "concord/core/cache_folder.h"
#include "concord/core/choices.h"
#include "concord/core/errors.h"
#include "concord/core/output_file.h"
#include "concord/tools/concord/command_line.h"
#include "concord/tools/concord/text.h"

namespace concord {
namespace {

namespace fs = std::filesystem;

struct TuneArguments {
  double seconds = 120;
  std::vector<std::string> algorithms;
  std::vector<std::string> types;
  bool show = false;
  int check = 0;
  std::uint64_t seed = 2;
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

absl::StatusOr<ExitStatus> TuneAll(const TuneArguments& arguments,
                                   const Tuner& tuner,
                                   const MachineTable& table) {
  RETURN_IF_ERROR(MakeFolder(CacheFolder()));
  RETURN_IF_ERROR(CheckWritable(table.path));
  const std::vector<TuningJob> jobs =
      tuner.Jobs(arguments.algorithms, arguments.types);
  // What is not measured now stays as it was.
  Choices choices = table.choices.ok() ? *table.choices : Choices();
  const absl::Time start = absl::Now();
  Progress progress;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const double left =
        arguments.seconds - absl::ToDoubleSeconds(absl::Now() - start);
    progress.Show(absl::StrCat("[", i, "/", jobs.size(), "] ", jobs[i].name(),
                               ": at most ", HumanSeconds(std::max(left, 0.0)),
                               " left"));
    RETURN_IF_ERROR(tuner.Tune(
        jobs[i], left / static_cast<double>(jobs.size() - i), choices));
  }
  progress.Show("");
  choices.measured =
      absl::FormatTime(absl::RFC3339_sec, absl::Now(), absl::UTCTimeZone());
  RETURN_IF_ERROR(WriteFile(table.path, ToText(choices, table.machine)));
  RETURN_IF_ERROR(Print(absl::StrCat(
      "Measured ", Counted(static_cast<std::int64_t>(jobs.size()), "cases"),
      " in ", HumanSeconds(absl::ToDoubleSeconds(absl::Now() - start)),
      ". `auto` now chooses by ", table.path, ".\n")));
  return kDone;
}

std::string AsTable(const Choices& choices) {
  Table table;
  table.AddColumn("ALGORITHM", Table::Align::kLeft);
  table.AddColumn("TYPE", Table::Align::kLeft);
  table.AddColumn("DATA", Table::Align::kLeft);
  table.AddColumn("FROM SIZE: IMPLEMENTATION", Table::Align::kLeft);
  for (const auto& [key, steps] : choices.steps) {
    const auto& [algorithm, type, place] = key;
    table.AddRow({algorithm, std::string(Name(type)), std::string(Name(place)),
                  absl::StrJoin(steps, ", ",
                                [](std::string* out, const ChoiceStep& step) {
                                  absl::StrAppend(out, step.from, ": ",
                                                  step.backend, "/",
                                                  step.variant);
                                })});
  }
  return table.ToString();
}

absl::StatusOr<ExitStatus> Show(const MachineTable& table) {
  RETURN_IF_ERROR(table.choices.status());
  RETURN_IF_ERROR(
      Print(absl::StrCat(AsTable(*table.choices), "\n",
                         Wrapped(absl::StrCat(table.path, ", measured ",
                                              table.choices->measured)))));
  return kDone;
}

std::string AsTable(const std::vector<CheckedChoice>& checked) {
  const auto share = [&](auto is_good) {
    std::int64_t good = 0;
    for (const CheckedChoice& choice : checked) good += is_good(choice);
    return absl::StrCat(good, " of ", checked.size(), " (",
                        HumanShare(static_cast<double>(good) /
                                   static_cast<double>(std::max<std::size_t>(
                                       checked.size(), 1))),
                        ")");
  };
  Table table;
  table.AddColumn("FAR FROM THE BEST", Table::Align::kLeft);
  table.AddColumn("SIZE", Table::Align::kRight);
  table.AddColumn("CHOSEN", Table::Align::kLeft);
  table.AddColumn("BEST", Table::Align::kLeft);
  table.AddColumn("TIMES AS LONG", Table::Align::kRight);
  for (const CheckedChoice& choice : checked) {
    if (choice.WithTable() <= kNearTheBest) continue;
    table.AddRow({choice.where, absl::StrCat(choice.size), choice.chosen,
                  choice.best, HumanRatio(choice.WithTable())});
  }
  return absl::StrCat(table.ToString(),
                      "\nWithin 10 % of the best at sizes that were not "
                      "measured for the table:\n  with it     ",
                      share([](const CheckedChoice& c) {
                        return c.WithTable() <= kNearTheBest;
                      }),
                      "\n  without it  ", share([](const CheckedChoice& c) {
                        return c.WithoutTable() <= kNearTheBest;
                      }),
                      "\n");
}

absl::StatusOr<ExitStatus> Check(const TuneArguments& arguments,
                                 const Tuner& tuner,
                                 const MachineTable& table) {
  RETURN_IF_ERROR(table.choices.status());
  const std::vector<TuningJob> jobs =
      tuner.Jobs(arguments.algorithms, arguments.types);
  std::vector<CheckedChoice> checked;
  Progress progress;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    progress.Show(absl::StrCat("[", i, "/", jobs.size(), "] ", jobs[i].name()));
    RETURN_IF_ERROR(CheckChoices(tuner, jobs[i], *table.choices,
                                 arguments.check, arguments.seed, checked));
  }
  progress.Show("");
  RETURN_IF_ERROR(Print(AsTable(checked)));
  return kDone;
}

absl::StatusOr<ExitStatus> Tune(const TuneArguments& arguments) {
  RETURN_IF_ERROR(CheckNames(arguments));
  ASSIGN_OR_RETURN(const MachineTable table, TableOfThisMachine());
  if (arguments.show) return Show(table);
  const Tuner tuner(BackendsOfAuto());
  return arguments.check > 0 ? Check(arguments, tuner, table)
                             : TuneAll(arguments, tuner, table);
}

}  // namespace

void AddTuneCommand(CommandLine& line) {
  auto arguments = std::make_shared<TuneArguments>();
  CLI::App* const command = AddCommand(
      line, "tune",
      "Measures which implementation is the fastest here, for the backend auto",
      [arguments] { return Tune(*arguments); });
  command
      ->add_option("--seconds", arguments->seconds,
                   "How long to measure, about [default 120]")
      ->check(Positive<double>());
  command
      ->add_option("--algorithms", arguments->algorithms,
                   "Such as reduce,scan [default all]")
      ->delimiter(',');
  command
      ->add_option("--types", arguments->types,
                   "Such as int32,float64 [default all]")
      ->delimiter(',');
  command->add_flag("--show", arguments->show,
                    "Shows the table; measures nothing");
  command
      ->add_option("--check", arguments->check,
                   "Measures at so many other sizes for each algorithm and "
                   "type, and says how often the choice is near the best")
      ->check(Positive<int>());
  command->add_option("--seed", arguments->seed,
                      "Of the sizes and cases of --check [default 2]");
}

}  // namespace concord
