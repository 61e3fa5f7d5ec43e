// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_BENCHMARKS_FLAGS_H_
#define CONCORD_BENCHMARKS_FLAGS_H_

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "concord/benchmarks/axes.h"
#include "concord/benchmarks/record.h"
#include "concord/benchmarks/sampling.h"

namespace concord {

// What the command line of the benchmark program asks for.
struct Flags {
  std::string preset = "quick";
  // What is given here replaces that of the preset. Of a preset that says which
  // algorithms it is about, the given ones stay.
  Axes axes;
  std::vector<std::string> sizes;
  std::vector<std::string> scopes;
  std::vector<std::string> caches;
  // A recorded run, whose rows take the place of all of the above, and what is
  // there: it may be a pipe, which can be read once.
  std::string rows_from;
  std::optional<Record> recorded;
  SamplingPlan plan;
  // How often all rows are gone through.
  int passes = 1;
  // How often a row is measured while the machine is disturbed.
  int attempts = 3;
  std::uint64_t seed = 1;
  // The backend whose results are what is right; empty: the algorithms' specs.
  std::string checker;
  // The record; empty: none.
  std::string out;
  bool go_on = false;
  // Two descriptors, to ask for the next turn and to be given it.
  std::vector<int> turns;
};

void AddFlags(CLI::App& app, Flags& flags);

// The rows that the flags describe, each once. Backends of a preset that are
// not among `available` are left out. InvalidArgument: a name that nothing has,
// or a file that is no recorded run.
absl::StatusOr<std::vector<Row>> ChosenRows(
    const Flags& flags, const std::vector<std::string>& available);

}  // namespace concord

#endif  // CONCORD_BENCHMARKS_FLAGS_H_
