// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_BENCHMARKS_REPORTERS_H_
#define CONCORD_BENCHMARKS_REPORTERS_H_

#include <benchmark/benchmark.h>

#include <sstream>
#include <string>
#include <vector>

namespace concord {

// Leaves the names of rows as they were registered: Google Benchmark appends
// "/manual_time", which all of them share.
template <typename Reporter>
class PlainNames : public Reporter {
 public:
  using typename Reporter::Run;

  void ReportRuns(const std::vector<Run>& runs) override {
    std::vector<Run> plain = runs;
    for (Run& run : plain) run.run_name.time_type.clear();
    Reporter::ReportRuns(plain);
  }
};

// For files that are published: without the name of the machine and the path
// of the program, which tell nobody anything.
class RecordReporter : public PlainNames<benchmark::JSONReporter> {
 public:
  bool ReportContext(const Context& context) override {
    std::ostream& file = GetOutputStream();
    std::stringstream whole;
    SetOutputStream(&whole);
    const bool go_on = JSONReporter::ReportContext(context);
    SetOutputStream(&file);
    for (std::string line; std::getline(whole, line);) {
      if (line.find("\"host_name\":") == std::string::npos &&
          line.find("\"executable\":") == std::string::npos) {
        file << line << '\n';
      }
    }
    return go_on;
  }
};

}  // namespace concord

#endif  // CONCORD_BENCHMARKS_REPORTERS_H_
