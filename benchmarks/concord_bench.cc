// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The program that times every implementation of every algorithm linked with
// it, registered at run time from the specs. README.md beside this file says
// what the rows mean.

#include <benchmark/benchmark.h>
#include <sys/stat.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <iostream>
#include <memory>
#include <regex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "concord/benchmarks/flags.h"
#include "concord/benchmarks/measuring.h"
#include "concord/benchmarks/parse_arguments.h"
#include "concord/benchmarks/provenance.h"
#include "concord/benchmarks/record.h"
#include "concord/core/backend.h"
#include "concord/core/environment.h"
#include "concord/core/errors.h"
#include "concord/core/guarded.h"
#include "concord/core/names.h"
#include "concord/core/output_file.h"
#include "concord/core/replicas.h"

namespace concord {
namespace {

constexpr int kUsage = 2;
constexpr int kUnavailable = 3;

// The exit status: this one or, if standard output could not be written, that
// of a failure. Only the first of several replicas writes there, so the others
// are not asked what they say.
int AfterOutput(int status) {
  errno = 0;
  std::cout.flush();
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return status;
  std::cerr << "concord_bench: cannot write standard output";
  // Unknown where it was not the last part that failed.
  if (errno != 0) std::cerr << ": " << std::strerror(errno);
  std::cerr << std::endl;
  return status == 0 ? kFailure : status;
}

// Google Benchmark ends the process after it, with 0.
void PrintHelp() {
  CLI::App app("Times every implementation of every algorithm.",
               "concord bench");
  Flags flags;
  AddFlags(app, flags);
  std::cout << app.help() << "\nFlags of Google Benchmark:\n"
            << "  --benchmark_filter=REGEX      only the rows that match; with "
               "a minus before it, the others\n"
            << "  --benchmark_list_tests        print the names of the rows\n"
            << "\nExit status: 0 all results were right; 1 a result was wrong, "
               "or the run failed;\n2 arguments that cannot be used; 3 a "
               "backend that is named is not available; 130,\n143 or 129 "
               "interrupted.\n";
  if (const int status = AfterOutput(0); status != 0) std::exit(status);
}

// Which names match --benchmark_filter, which Google Benchmark has read. Known
// before the first row is measured, so that progress can count them.
absl::StatusOr<std::function<bool(const std::string&)>> Filter() {
  std::string pattern = benchmark::GetBenchmarkFilter();
  benchmark::SetBenchmarkFilter("all");
  const bool drops = absl::StartsWith(pattern, "-");
  if (drops) pattern.erase(0, 1);
  if (pattern.empty() || pattern == "all") {
    return [](const std::string&) { return true; };
  }
  try {
    return [drops, expression = std::regex(pattern, std::regex::extended)](
               const std::string& name) {
      return std::regex_search(name, expression) != drops;
    };
  } catch (const std::regex_error& error) {
    return InvalidArgumentError("--benchmark_filter: ", error.what());
  }
}

// Unavailable: the backend of these rows is not here. A recorded run names it
// no less than --backends does.
absl::Status BackendsOfRecordedRows(
    const Flags& flags, const std::function<bool(const std::string&)>& kept) {
  if (!flags.recorded.has_value()) return absl::OkStatus();
  for (const std::string& name : flags.recorded->RowNames()) {
    const absl::StatusOr<Axes> axes = AxesOfRow(name);
    if (!axes.ok() || !kept(name)) continue;
    absl::Status status = OpenBackend(axes->backends.front()).status();
    if (absl::IsUnavailable(status)) return status;
  }
  return absl::OkStatus();
}

// Those of the rows, and the one that says what is right, if it is another.
absl::StatusOr<Backends> OpenAll(const std::vector<Row>& rows,
                                 const std::string& checker) {
  std::set<std::string> specs;
  for (const Row& row : rows) specs.insert(row.backend);
  if (!checker.empty()) specs.insert(checker);
  Backends backends;
  for (const std::string& spec : specs) {
    ASSIGN_OR_RETURN(backends[spec], OpenBackend(spec));
  }
  return backends;
}

Facts ContextOf(const Flags& flags, const Backends& backends) {
  std::vector<std::shared_ptr<Backend>> opened;
  for (const auto& [spec, backend] : backends) opened.push_back(backend);
  Facts facts = Provenance(opened);
  facts.emplace_back("preset", flags.preset);
  facts.emplace_back("seed", absl::StrCat(flags.seed));
  facts.emplace_back("repetitions", absl::StrCat(flags.plan.repetitions));
  facts.emplace_back("max_seconds", absl::StrCat(flags.plan.max_seconds));
  facts.emplace_back("passes", absl::StrCat(flags.passes));
  if (!flags.checker.empty()) facts.emplace_back("checker", flags.checker);
  return facts;
}

// Takes what --continue finds, if anything.
absl::Status GoOn(const std::string& path, Record& record) {
  struct stat found;
  if (stat(path.c_str(), &found) != 0) return absl::OkStatus();
  ASSIGN_OR_RETURN(const Record before, Record::Load(path));
  const absl::Status status = record.Continue(before);
  if (status.ok()) return status;
  return InvalidArgumentError("--continue: ", path,
                              " is another run: ", status.message());
}

// Where the run starts from: nothing, or what --continue finds. The first of
// several replicas has the file, and what it says of the machine stands there;
// the others, which may be bound to other processors, take what it has taken.
absl::StatusOr<Record> NewRecord(const Flags& flags, const Facts& context) {
  Record record;
  for (const auto& [name, value] : context) record.AddContext(name, value);
  if (!flags.go_on) return record;
  RETURN_IF_ERROR(AgreeAsOne(IsFirstReplica() ? GoOn(flags.out, record)
                                              : absl::OkStatus()));
  ASSIGN_OR_RETURN(const std::string text, FromFirst(record.Text()));
  return Record::Parse(text, flags.out);
}

std::vector<std::string> Available(const std::vector<BackendStatus>& backends) {
  std::vector<std::string> available;
  for (const BackendStatus& status : backends) {
    if (status.available()) available.push_back(status.name);
  }
  return available;
}

void SayWhichAreAbsent(const std::vector<BackendStatus>& backends) {
  if (!IsFirstReplica()) return;
  for (const BackendStatus& status : backends) {
    if (status.available()) continue;
    std::cerr << "concord_bench: no rows for " << status.name << " ("
              << Name(status.stage) << ": " << status.reason << ")\n";
  }
}

// The flags, after Google Benchmark has taken its own.
absl::StatusOr<Flags> ParseFlags(int argc, char** argv) {
  CLI::App app;
  Flags flags;
  AddFlags(app, flags);
  try {
    ParseArguments(app, {argv + 1, argv + argc});
  } catch (const CLI::ParseError& error) {
    return InvalidArgumentError(error.what());
  }
  if (flags.go_on && flags.out.empty()) {
    return InvalidArgumentError("--continue needs the --out of the run");
  }
  if (flags.go_on && !Record::IsReplaceable(flags.out)) {
    return InvalidArgumentError("--continue goes on with a file, and ",
                                flags.out, " is none");
  }
  if (!flags.rows_from.empty()) {
    ASSIGN_OR_RETURN(flags.recorded, Record::Load(flags.rows_from));
  }
  flags.plan.before_sample = BeforeSample(flags);
  return flags;
}

// What the record could not be written for, known before backends are opened.
// The first of several replicas writes it; all end together when it cannot, so
// that none waits for the others.
absl::Status CheckOut(const std::string& out) {
  if (out.empty()) return absl::OkStatus();
  return AgreeAsOne(IsFirstReplica() ? CheckWritable(out) : absl::OkStatus());
}

// Google Benchmark would write this file in its own way.
std::vector<char*> WithoutOutputFile(std::vector<std::string>& arguments) {
  std::vector<char*> pointers;
  for (std::string& argument : arguments) {
    if (absl::StartsWith(argument, "--benchmark_out=")) {
      argument.erase(2, std::string("benchmark_").size());
    }
    pointers.push_back(argument.data());
  }
  return pointers;
}

// The rows that the flags and the filter ask for. Unavailable: their backends
// are not here.
absl::StatusOr<std::vector<Row>> RowsToMeasure(const Flags& flags) {
  const std::vector<BackendStatus> backends = ListBackends();
  for (const std::string& spec : flags.axes.backends) {
    RETURN_IF_ERROR(OpenBackend(spec).status());
  }
  ASSIGN_OR_RETURN(std::vector<Row> rows,
                   ChosenRows(flags, Available(backends)));
  ASSIGN_OR_RETURN(const auto kept, Filter());
  // Of those that the flags name, none is.
  if (flags.axes.backends.empty()) SayWhichAreAbsent(backends);
  rows.erase(
      std::remove_if(rows.begin(), rows.end(),
                     [&kept](const Row& row) { return !kept(row.name()); }),
      rows.end());
  if (!rows.empty()) return rows;
  RETURN_IF_ERROR(BackendsOfRecordedRows(flags, kept));
  return NotFoundError("no row has these axes");
}

// As Google Benchmark reads its switches.
bool AsksForNames(const std::string& argument) {
  absl::string_view value = argument;
  if (!absl::ConsumePrefix(&value, "--benchmark_list_tests")) return false;
  if (value.empty()) return true;
  bool lists = false;
  return absl::ConsumePrefix(&value, "=") && absl::SimpleAtob(value, &lists) &&
         lists;
}

int Main(int argc, char** argv) {
  std::vector<std::string> arguments(argv, argv + argc);
  // One iteration of each row: how often to sample is our own decision.
  arguments.insert(arguments.begin() + 1, "--benchmark_min_time=0");
  std::vector<char*> pointers = WithoutOutputFile(arguments);
  argc = static_cast<int>(pointers.size());
  pointers.push_back(nullptr);
  for (const std::string& argument : arguments) {
    if (absl::StartsWith(argument, "--benchmark_out_format=") &&
        !absl::EndsWith(argument, "=json")) {
      return Fail(kUsage, "a record is always JSON");
    }
  }
  const bool lists =
      std::any_of(arguments.begin(), arguments.end(), AsksForNames);
  benchmark::Initialize(&argc, pointers.data(), PrintHelp);
  if (const absl::Status names = CheckNames(); !names.ok()) {
    return Fail(kFailure, names.message());
  }
  if (const absl::Status environment = CheckEnvironment(); !environment.ok()) {
    return Fail(kUsage, environment.message());
  }
  const absl::StatusOr<Flags> flags = ParseFlags(argc, pointers.data());
  if (!flags.ok()) return Fail(kUsage, flags.status().message());
  if (!lists) {
    const absl::Status out = CheckOut(flags->out);
    // Unavailable: replicas that do not reach each other.
    if (!out.ok()) {
      return Fail(absl::IsUnavailable(out) ? kUnavailable : kUsage,
                  out.message());
    }
  }

  const absl::StatusOr<std::vector<Row>> rows = RowsToMeasure(*flags);
  if (!rows.ok()) {
    return Fail(absl::IsUnavailable(rows.status()) ? kUnavailable : kUsage,
                rows.status().message());
  }
  if (lists) {
    for (const Row& row : *rows) std::cout << row.name() << '\n';
    return 0;
  }
  const absl::StatusOr<Backends> backends = OpenAll(*rows, flags->checker);
  if (!backends.ok()) {
    return Fail(absl::IsUnavailable(backends.status())       ? kUnavailable
                : absl::IsInvalidArgument(backends.status()) ? kUsage
                                                             : kFailure,
                backends.status().message());
  }
  const Facts context = ContextOf(*flags, *backends);
  for (const auto& [name, value] : context) {
    benchmark::AddCustomContext(name, value);
  }
  absl::StatusOr<Record> record = NewRecord(*flags, context);
  if (!record.ok()) return Fail(kUsage, record.status().message());
  // Before what takes long. A run without rows is a record too.
  if (const absl::Status saved = record->SaveSoFar(flags->out); !saved.ok()) {
    return Fail(kUsage, saved.message());
  }
  StopWhenInterrupted();
  return MeasureRows(*flags, *rows, *backends, *record);
}

}  // namespace
}  // namespace concord

int main(int argc, char** argv) {
  // Of several replicas the first prints.
  if (!concord::IsFirstReplica() &&
      std::freopen("/dev/null", "w", stdout) == nullptr) {
    return concord::kUsage;
  }
  const absl::StatusOr<int> status = concord::Guarded(
      [&]() -> absl::StatusOr<int> { return concord::Main(argc, argv); });
  if (status.ok()) return concord::AfterOutput(*status);
  return concord::Fail(concord::kFailure, status.status().message());
}
