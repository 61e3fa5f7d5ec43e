// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/benchmarks/measuring.h"

#include <benchmark/benchmark.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <optional>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "concord/benchmarks/progress.h"
#include "concord/benchmarks/screen_reporter.h"
#include "concord/benchmarks/session.h"
#include "concord/benchmarks/turns.h"
#include "concord/benchmarks/watch.h"
#include "concord/core/guarded.h"
#include "concord/core/replicas.h"
#include "concord/core/signals.h"
#include "concord/core/written_file.h"

namespace concord {
namespace {

// What a shell reports of a program that a signal ended.
constexpr int kSignal = 128;

// The signal that asked to stop, or 0.
volatile std::sig_atomic_t stopped_by = 0;

// Measures all rows once, after another, and keeps what it gets.
class Pass {
 public:
  Pass(const Flags& flags, const std::vector<Row>& rows,
       const Backends& backends, Watch* watch, Progress& progress,
       Record& record, std::set<std::string>& failed_rows)
      : flags_(flags),
        session_(flags.plan, rows, backends, {watch, flags.attempts},
                 flags.checker.empty() ? nullptr : backends.at(flags.checker)),
        progress_(progress),
        record_(record),
        failed_rows_(failed_rows) {}

  bool failed() const { return failed_; }
  const absl::Status& saving() const { return saving_; }

  void Measure(const Row& row, benchmark::State& state) {
    if (stopped_by != 0 || !saving_.ok()) {
      state.SkipWithError(kNoRow);
      return;
    }
    progress_.Begin(row.name());
    const absl::StatusOr<Measured> measured =
        Guarded([&] { return session_.Time(row); });
    progress_.End();
    if (absl::IsCancelled(measured.status())) {
      state.SkipWithError(kNoRow);
      failed_ |= stopped_by == 0;
      return;
    }
    if (absl::IsUnimplemented(measured.status())) {
      state.SkipWithError(kNoRow);
      if (IsFirstReplica()) {
        std::cerr << "concord_bench: no row " << row.name() << ": "
                  << measured.status().message() << std::endl;
      }
      return;
    }
    failed_ |= !measured.ok();
    if (measured.ok()) {
      record_.Add(row, *measured);
    } else {
      record_.AddError(row.name(), measured.status().ToString());
      failed_rows_.insert(row.name());
    }
    Report(row, measured, state);
    saving_ = record_.SaveSoFar(flags_.out);
  }

 private:
  // For the screen.
  void Report(const Row& row, const absl::StatusOr<Measured>& measured,
              benchmark::State& state) const {
    if (!measured.ok()) {
      state.SkipWithError(measured.status().ToString().c_str());
      return;
    }
    // Sampling has been done: the one iteration is the median.
    const double seconds = measured->timing.median;
    for (auto _ : state) state.SetIterationTime(seconds);
    const double rate = measured->floor.bytes() / seconds;
    state.counters["elements_per_second"] = measured->elements / seconds;
    state.counters["floor_bytes_per_second"] = rate;
    state.counters["copy_share"] = rate / measured->ceilings.copy;
    std::vector<std::string> remarks;
    if (row.scaling != Scaling::kNone) {
      const absl::StatusOr<double> efficiency =
          record_.EfficiencyOf(row.name());
      state.counters["members"] = row.members;
      if (efficiency.ok()) {
        state.counters["efficiency"] = *efficiency;
      } else {
        remarks.push_back(
            absl::StrCat("no efficiency: ", efficiency.status().message()));
      }
    }
    if (!measured->watched.disturbed_by.empty()) {
      remarks.push_back(absl::StrCat(
          "disturbed: ", absl::StrJoin(measured->watched.disturbed_by, "; ")));
    }
    if (!remarks.empty()) state.SetLabel(absl::StrJoin(remarks, "; "));
  }

  const Flags& flags_;
  Session session_;
  Progress& progress_;
  Record& record_;
  std::set<std::string>& failed_rows_;
  bool failed_ = false;
  absl::Status saving_;
};

// What is left of a run that ended early. Nothing is where a script removes the
// file, which it says by a variable: an older program would refuse a flag.
std::string Interrupted(const std::string& out) {
  const bool is_removed = std::getenv("CONCORD_OUT_IS_REMOVED") != nullptr;
  if (out.empty() || is_removed) return "interrupted";
  return absl::StrCat(
      "interrupted; the rows that are done are in ", out,
      Record::IsReplaceable(out) ? ", and --continue measures the others" : "");
}

}  // namespace

int Fail(int status, absl::string_view message) {
  if (const auto words = LastWords(message, status)) {
    std::cerr << "concord_bench: " << *words << std::endl;
  }
  return status;
}

void StopWhenInterrupted() {
  struct sigaction action = {};
  action.sa_handler = [](int signal) { stopped_by = signal; };
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  for (const int signal : kInterruptions) {
    HandleUnlessIgnored(signal, action);
  }
}

std::function<absl::Status()> BeforeSample(const Flags& flags) {
  std::optional<Turns> turns;
  if (!flags.turns.empty()) turns.emplace(flags.turns[0], flags.turns[1]);
  return [turns]() -> absl::Status {
    if (stopped_by != 0) return absl::CancelledError("interrupted");
    return turns.has_value() ? turns->Await() : absl::OkStatus();
  };
}

int MeasureRows(const Flags& flags, const std::vector<Row>& rows,
                const Backends& backends, Record& record) {
  int left = 0;
  for (const Row& row : rows) {
    left += std::max(0, flags.passes - record.PassesOf(row.name()));
  }
  Progress progress(left);
  ScreenReporter screen;
  // Standard output has the record then, and nothing else.
  if (DescriptorNamed(flags.out) == STDOUT_FILENO && IsFirstReplica()) {
    screen.SetOutputStream(&std::cerr);
  }
  std::unique_ptr<Watch> watch;
  // In turns, the other program runs meanwhile.
  if (flags.turns.empty()) {
    std::vector<std::string> specs;
    for (const auto& [spec, backend] : backends) {
      specs.push_back(backend->info().spec);
    }
    watch = WatchMachine(specs);
  }
  bool failed = false;
  // Their errors stay: a later pass may be right and says nothing of them.
  std::set<std::string> failed_rows;
  absl::Status saving;
  for (int number = 0; number < flags.passes && stopped_by == 0; ++number) {
    std::vector<Row> lacking;
    for (const Row& row : rows) {
      if (record.PassesOf(row.name()) > number) continue;
      // The first of several replicas has the record.
      const bool has_failed = failed_rows.count(row.name()) > 0;
      if (FromFirst(has_failed ? 1 : 0) == 0) lacking.push_back(row);
    }
    if (lacking.empty()) continue;
    Pass pass(flags, lacking, backends, watch.get(), progress, record,
              failed_rows);
    benchmark::ClearRegisteredBenchmarks();
    for (const Row& row : lacking) {
      benchmark::RegisterBenchmark(
          row.name().c_str(),
          [&](benchmark::State& state) { pass.Measure(row, state); })
          ->UseManualTime()
          ->Unit(benchmark::kMicrosecond);
    }
    benchmark::RunSpecifiedBenchmarks(&screen);
    failed |= pass.failed();
    saving = pass.saving();
    if (!saving.ok()) return Fail(kFailure, saving.message());
  }
  saving = record.SaveComplete(flags.out);
  // All replicas wait for the first one, which saves. Who is interrupted does
  // not wait.
  if (stopped_by == 0) saving = AgreeAsOne(saving);
  if (!saving.ok()) return Fail(kFailure, saving.message());
  if (stopped_by != 0) {
    return Fail(kSignal + stopped_by, Interrupted(flags.out));
  }
  if (failed) return kFailure;
  const bool measured =
      rows.empty() || std::any_of(rows.begin(), rows.end(), [&](auto& row) {
        return record.PassesOf(row.name()) > 0;
      });
  return measured ? 0 : Fail(kUsage, "no row was measured");
}

}  // namespace concord
