// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_BENCHMARKS_REPORTERS_H_
#define CONCORD_BENCHMARKS_REPORTERS_H_

#include <benchmark/benchmark.h>
#include <unistd.h>

#include <sstream>
#include <string>
#include <vector>

namespace concord {

// Google Benchmark appends "/manual_time" to the names of rows. All of ours
// have it: it says nothing.
inline void ShortenName(benchmark::BenchmarkReporter::Run& run) {
  run.run_name.time_type.clear();
}

// For people: those counters that fit on a line.
class ScreenReporter : public benchmark::ConsoleReporter {
 public:
  ScreenReporter()
      : ConsoleReporter(isatty(STDOUT_FILENO) ? OO_ColorTabular : OO_Tabular) {}

  void ReportRuns(const std::vector<Run>& runs) override {
    std::vector<Run> shorter = runs;
    for (Run& run : shorter) {
      ShortenName(run);
      benchmark::UserCounters shown;
      for (const char* name :
           {"copy_share", "elements_per_second", "floor_bytes_per_second"}) {
        const auto counter = run.counters.find(name);
        if (counter != run.counters.end()) shown.insert(*counter);
      }
      run.counters = shown;
    }
    ConsoleReporter::ReportRuns(shorter);
  }
};

// For files that are published. Left out: the name of the machine and the path
// of the program, which tell nobody anything, and how Google Benchmark itself
// was built, since it takes no part in the sampling.
class RecordReporter : public benchmark::JSONReporter {
 public:
  bool ReportContext(const Context& context) override {
    std::ostream& file = GetOutputStream();
    std::stringstream whole;
    SetOutputStream(&whole);
    const bool go_on = JSONReporter::ReportContext(context);
    SetOutputStream(&file);
    for (std::string line; std::getline(whole, line);) {
      if (line.find("\"host_name\":") == std::string::npos &&
          line.find("\"executable\":") == std::string::npos &&
          line.find("\"library_build_type\":") == std::string::npos) {
        file << line << '\n';
      }
    }
    return go_on;
  }

  void ReportRuns(const std::vector<Run>& runs) override {
    std::vector<Run> renamed = runs;
    for (Run& run : renamed) ShortenName(run);
    JSONReporter::ReportRuns(renamed);
  }
};

}  // namespace concord

#endif  // CONCORD_BENCHMARKS_REPORTERS_H_
