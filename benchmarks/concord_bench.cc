// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The program that times every implementation of every algorithm linked with
// it, registered at run time from the specs. README.md beside this file says
// what the rows mean.

#include <benchmark/benchmark.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "concord/benchmarks/axes.h"
#include "concord/benchmarks/parse_arguments.h"
#include "concord/benchmarks/provenance.h"
#include "concord/benchmarks/reporters.h"
#include "concord/benchmarks/session.h"
#include "concord/core/backend.h"
#include "concord/core/errors.h"
#include "concord/core/spec.h"

namespace concord {
namespace {

constexpr int kFailure = 1;
constexpr int kUsage = 2;
constexpr int kUnavailable = 3;

struct Flags {
  std::string preset = "quick";
  Axes axes;  // what is given here replaces that of the preset
  std::vector<std::string> sizes;
  std::vector<std::string> scopes;
  std::vector<std::string> caches;
  SamplingPlan plan;
  std::uint64_t seed = 1;
};

std::string PresetHelp() {
  return absl::StrJoin(
      Presets(), "; ", [](std::string* out, const Preset& preset) {
        absl::StrAppend(out, preset.name, ": ", preset.summary);
      });
}

std::vector<std::string> PresetNames() {
  std::vector<std::string> names;
  for (const Preset& preset : Presets()) names.push_back(preset.name);
  return names;
}

void AddFlags(CLI::App& app, Flags& flags) {
  app.add_option("--preset", flags.preset, PresetHelp())
      ->check(CLI::IsMember(PresetNames()))
      ->take_last();
  const auto list = [&](const char* name, std::vector<std::string>& values,
                        const char* help) {
    return app.add_option(name, values, help)->delimiter(',');
  };
  list("--algorithms", flags.axes.algorithms, "such as reduce,scan");
  list("--backends", flags.axes.backends, "such as serial,tbb:1,tbb:2,cuda");
  list("--variants", flags.axes.variants, "such as lookback,cub");
  list("--types", flags.axes.types, "such as int8,float32, or all");
  list("--sizes", flags.sizes, "such as 1000,2^20");
  list("--distributions", flags.axes.distributions, "such as uniform,equal");
  app.add_option("--options", flags.axes.options,
                 "such as op:add,kind:inclusive, or all; may be repeated");
  list("--scopes", flags.scopes, "kernel, call, end_to_end, end_to_end_pinned")
      ->check(
          CLI::IsMember({"kernel", "call", "end_to_end", "end_to_end_pinned"}));
  list("--caches", flags.caches, "hot, cold")
      ->check(CLI::IsMember({"hot", "cold"}));
  app.add_option("--repetitions", flags.plan.repetitions, "samples of a row")
      ->check(CLI::PositiveNumber);
  app.add_option("--max_seconds", flags.plan.max_seconds,
                 "no further sample is begun after this long")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--seed", flags.seed, "of all cases");
}

void PrintHelp() {
  CLI::App app("Times every implementation of every algorithm.");
  Flags flags;
  AddFlags(app, flags);
  std::cout << app.help() << "\nFlags of Google Benchmark, of which the format "
            << "is always console and, in the file, JSON:\n";
  benchmark::PrintDefaultHelp();
}

// "2^20" or "1048576".
absl::StatusOr<std::int64_t> ParseSize(const std::string& text) {
  const std::size_t caret = text.find('^');
  std::int64_t number = 0;
  bool good = absl::SimpleAtoi(text.substr(0, caret), &number) && number >= 0;
  if (good && caret != std::string::npos) {
    int exponent = 0;
    good = number == 2 && absl::SimpleAtoi(text.substr(caret + 1), &exponent) &&
           exponent >= 0 && exponent < 62;
    number = std::int64_t{1} << (good ? exponent : 0);
  }
  if (good) return number;
  return InvalidArgumentError("--sizes: '", text,
                              "' is no size such as 1000 or 2^20");
}

template <typename T>
std::vector<T> Named(const std::vector<T>& all,
                     const std::vector<std::string>& names) {
  std::vector<T> chosen;
  for (const T& value : all) {
    for (const std::string& name : names) {
      if (Name(value) == name) chosen.push_back(value);
    }
  }
  return chosen;
}

template <typename T>
void Override(std::vector<T>& value, const std::vector<T>& given) {
  if (!given.empty()) value = given;
}

// The preset's axes with the flags laid over them. Backends of a preset that
// are not available here are left out.
absl::StatusOr<std::vector<Axes>> ChosenAxes(
    const Flags& flags, const std::vector<std::string>& available) {
  Axes given = flags.axes;
  for (const std::string& text : flags.sizes) {
    ASSIGN_OR_RETURN(std::int64_t size, ParseSize(text));
    given.sizes.push_back(size);
  }
  given.scopes = Named(AllScopes(), flags.scopes);
  given.caches = Named(AllCaches(), flags.caches);
  std::vector<Axes> chosen;
  for (const Preset& preset : Presets()) {
    if (preset.name != flags.preset) continue;
    for (Axes axes : preset.axes) {
      const bool any = axes.backends.empty();
      std::vector<std::string> here;
      for (const std::string& name : axes.backends) {
        for (const std::string& other : available) {
          if (name == other) here.push_back(name);
        }
      }
      axes.backends = std::move(here);
      Override(axes.algorithms, given.algorithms);
      Override(axes.backends, given.backends);
      Override(axes.variants, given.variants);
      Override(axes.types, given.types);
      Override(axes.sizes, given.sizes);
      Override(axes.distributions, given.distributions);
      Override(axes.options, given.options);
      Override(axes.scopes, given.scopes);
      Override(axes.caches, given.caches);
      if (any || !axes.backends.empty()) chosen.push_back(std::move(axes));
    }
  }
  return chosen;
}

// The rows of all axes, each once.
absl::StatusOr<std::vector<Row>> ChosenRows(
    const Flags& flags, const std::vector<std::string>& available) {
  ASSIGN_OR_RETURN(std::vector<Axes> chosen, ChosenAxes(flags, available));
  std::vector<Row> rows;
  std::set<std::string> names;
  for (const Axes& axes : chosen) {
    ASSIGN_OR_RETURN(std::vector<Row> expanded,
                     Expand(axes, AllSpecs(), available, flags.seed));
    for (Row& row : expanded) {
      if (names.insert(row.name()).second) rows.push_back(std::move(row));
    }
  }
  return rows;
}

void Report(const absl::StatusOr<Measured>& measured, benchmark::State& state) {
  if (!measured.ok()) {
    state.SkipWithError(measured.status().ToString().c_str());
    return;
  }
  const Timing& timing = measured->timing;
  // Sampling has been done: the one iteration is the median.
  for (auto _ : state) state.SetIterationTime(timing.median);
  const double rate = measured->floor.bytes() / timing.median;
  state.counters["elements_per_second"] = measured->elements / timing.median;
  state.counters["floor_bytes_per_second"] = rate;
  state.counters["copy_share"] = rate / measured->ceilings.copy;
  state.counters["ceiling_share"] =
      rate / measured->ceilings.For(measured->floor);
  state.counters["copy_bytes_per_second"] = measured->ceilings.copy;
  state.counters["read_bytes_per_second"] = measured->ceilings.read;
  if (measured->input_copy_seconds > 0) {
    state.counters["input_copy_seconds"] = measured->input_copy_seconds;
    state.counters["times_input_copy"] =
        timing.median / measured->input_copy_seconds;
  }
  state.counters["least_seconds"] = timing.least;
  state.counters["most_seconds"] = timing.most;
  state.counters["samples"] = timing.samples;
  state.counters["runs_per_sample"] =
      static_cast<double>(timing.runs_per_sample);
}

absl::StatusOr<std::map<std::string, std::shared_ptr<Backend>>> OpenAll(
    const std::vector<Row>& rows) {
  std::map<std::string, std::shared_ptr<Backend>> backends;
  for (const Row& row : rows) {
    if (backends.count(row.backend) > 0) continue;
    ASSIGN_OR_RETURN(std::shared_ptr<Backend> opened, OpenBackend(row.backend));
    backends.emplace(row.backend, std::move(opened));
  }
  return backends;
}

void AddContext(
    const Flags& flags,
    const std::map<std::string, std::shared_ptr<Backend>>& backends) {
  std::vector<std::shared_ptr<Backend>> opened;
  for (const auto& [spec, backend] : backends) opened.push_back(backend);
  for (const auto& [name, value] : Provenance(opened)) {
    benchmark::AddCustomContext(name, value);
  }
  benchmark::AddCustomContext("preset", flags.preset);
  benchmark::AddCustomContext("seed", absl::StrCat(flags.seed));
  benchmark::AddCustomContext("repetitions",
                              absl::StrCat(flags.plan.repetitions));
  benchmark::AddCustomContext("max_seconds",
                              absl::StrCat(flags.plan.max_seconds));
}

int Fail(int status, absl::string_view message) {
  std::cerr << "concord_bench: " << message << std::endl;
  return status;
}

int Main(int argc, char** argv) {
  // One iteration of each row: how often to sample is our own decision.
  std::vector<char*> arguments(argv, argv + argc);
  // Google Benchmark takes a reporter for a file only when it has the file.
  const bool has_output_file =
      std::any_of(argv, argv + argc, [](absl::string_view argument) {
        return absl::StartsWith(argument, "--benchmark_out=");
      });
  char no_more_iterations[] = "--benchmark_min_time=0";
  arguments.insert(arguments.begin() + 1, no_more_iterations);
  argc = static_cast<int>(arguments.size());
  arguments.push_back(nullptr);
  benchmark::Initialize(&argc, arguments.data(), PrintHelp);
  CLI::App app;
  Flags flags;
  AddFlags(app, flags);
  try {
    ParseArguments(app, {arguments.begin() + 1, arguments.begin() + argc});
  } catch (const CLI::ParseError& error) {
    return Fail(kUsage, error.what());
  }

  std::vector<std::string> available;
  for (const BackendStatus& status : ListBackends()) {
    if (status.available()) {
      available.push_back(status.name);
    } else {
      std::cerr << "concord_bench: no rows for " << status.name << " ("
                << Name(status.stage) << ": " << status.reason << ")\n";
    }
  }
  for (const std::string& spec : flags.axes.backends) {
    absl::Status status = OpenBackend(spec).status();
    if (!status.ok()) {
      return Fail(absl::IsUnavailable(status) ? kUnavailable : kUsage,
                  status.message());
    }
  }
  absl::StatusOr<std::vector<Row>> rows = ChosenRows(flags, available);
  if (!rows.ok()) return Fail(kUsage, rows.status().message());
  absl::StatusOr<std::map<std::string, std::shared_ptr<Backend>>> backends =
      OpenAll(*rows);
  if (!backends.ok()) return Fail(kFailure, backends.status().message());
  AddContext(flags, *backends);

  Session session(flags.plan, *rows, *std::move(backends));
  bool failed = false;
  for (const Row& row : *rows) {
    benchmark::RegisterBenchmark(
        row.name().c_str(),
        [&session, &row, &failed](benchmark::State& state) {
          const absl::StatusOr<Measured> measured = session.Time(row);
          failed |= !measured.ok();
          Report(measured, state);
        })
        ->UseManualTime()
        ->Unit(benchmark::kMicrosecond);
  }
  ScreenReporter screen;
  RecordReporter record;
  const std::size_t matched = benchmark::RunSpecifiedBenchmarks(
      &screen, has_output_file ? &record : nullptr);
  if (matched == 0) return Fail(kUsage, "no row has these axes");
  return failed ? kFailure : 0;
}

}  // namespace
}  // namespace concord

int main(int argc, char** argv) { return concord::Main(argc, argv); }
