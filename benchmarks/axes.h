// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_BENCHMARKS_AXES_H_
#define CONCORD_BENCHMARKS_AXES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "concord/benchmarks/measure.h"
#include "concord/benchmarks/sampling.h"
#include "concord/core/spec.h"

namespace concord {

// What rows say of a backend with several members: how much faster they do the
// work of one, or how much more of it in the same time.
enum class Scaling {
  kNone,
  kStrong,  // sizes are those of all members together
  kWeak,    // sizes are those of each member
};

// "strong", "weak"; "" of kNone.
absl::string_view Name(Scaling scaling);

// What to time: every combination of these that exists. An empty list stands
// for what its comment says.
struct Axes {
  std::vector<std::string> algorithms;     // all
  std::vector<std::string> backends;       // all that are available
  std::vector<std::string> variants;       // all
  std::vector<std::string> types;          // int32, or the spec's first
  std::vector<std::int64_t> sizes;         // none
  std::vector<std::string> distributions;  // the spec's first
  // "op:add,kind:inclusive"; what is not named is at its default. "all" stands
  // for every combination that tests use. Empty: all at their defaults. With a
  // function, as in "op:a > b ? a : b", rows are those of the algorithm that
  // runs it.
  std::vector<std::string> options;
  std::vector<Scope> scopes = {Scope::kKernel};
  std::vector<Cache> caches = {Cache::kHot};
  // With it, an empty list of variants stands for the backend's default.
  Scaling scaling = Scaling::kNone;
};

// Of "tbb:8", "tbb".
std::string BackendName(const std::string& spec);

// In `types`: all that the implementation's contract allows.
inline constexpr char kAllTypes[] = "all";

// A list of axes with a name, for --preset.
struct Preset {
  std::string name;
  std::string summary;
  std::vector<Axes> axes;
};

const std::vector<Preset>& Presets();

// One line of a report.
struct Row {
  const AlgorithmSpec* spec;
  CaseRequest request;
  ImplementationInfo implementation;
  std::string backend;  // spec
  Scope scope;
  Cache cache;
  // What runs on the backend where no variant is named.
  bool is_default = false;
  // Of rows about scaling, as FindMembers sets them: how many members the
  // backend has, and the row of one member that this one is measured against;
  // "" where there is none.
  Scaling scaling = Scaling::kNone;
  int members = 1;
  std::string one_member = {};

  // "scan/cuda/lookback/int32/n:1024/kind:exclusive/op:add/uniform/kernel/hot":
  // algorithm, backend as it was asked for, variant, element type, size, every
  // option of kind kChoice and those others that are not at their defaults,
  // distribution, scope, cache.
  std::string name() const;
  // What rows on the same case have in common.
  std::string CaseName() const;
};

// The axes of which the row with this name is one combination, at the seed that
// Expand gets. InvalidArgument: no row has such a name.
absl::StatusOr<Axes> AxesOfRow(const std::string& name);

// The rows, in an order that keeps those on one case together, because making
// a case takes longer than timing it. `specs` and `available`, backend names,
// are what there is. InvalidArgument: a name that nothing has.
absl::StatusOr<std::vector<Row>> Expand(
    const Axes& axes, const std::vector<const AlgorithmSpec*>& specs,
    const std::vector<std::string>& available, std::uint64_t seed);

}  // namespace concord

#endif  // CONCORD_BENCHMARKS_AXES_H_
