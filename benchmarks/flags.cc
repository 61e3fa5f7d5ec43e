// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/benchmarks/flags.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "concord/benchmarks/number_checks.h"
#include "concord/benchmarks/scaling.h"
#include "concord/core/available_memory.h"
#include "concord/core/backend.h"
#include "concord/core/errors.h"
#include "concord/core/spec.h"

namespace concord {
namespace {

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

// "2^20" or "1048576". An array is made in host memory, and an element of it
// has a byte or more. Without elements there is no rate to record.
absl::StatusOr<std::int64_t> ParseSize(const std::string& text) {
  const std::size_t caret = text.find('^');
  std::int64_t number = 0;
  bool good = absl::SimpleAtoi(text.substr(0, caret), &number) && number > 0;
  if (good && caret != std::string::npos) {
    int exponent = 0;
    good = number == 2 && absl::SimpleAtoi(text.substr(caret + 1), &exponent) &&
           exponent >= 0 && exponent < 62;
    number = std::int64_t{1} << (good ? exponent : 0);
  }
  if (!good) {
    return InvalidArgumentError("--sizes: '", text,
                                "' is no size such as 1000 or 2^20");
  }
  const std::int64_t available = AvailableMemory();
  if (number > available) {
    return InvalidArgumentError("--sizes: there is no memory for ", text,
                                " elements; ", MemorySize(available),
                                " are available");
  }
  return number;
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

// Those of the names that are among the others.
std::vector<std::string> Among(const std::vector<std::string>& names,
                               const std::vector<std::string>& others) {
  std::vector<std::string> found;
  for (const std::string& name : names) {
    if (std::find(others.begin(), others.end(), name) != others.end()) {
      found.push_back(name);
    }
  }
  return found;
}

// A backend without an argument stands for all its numbers of members.
std::vector<std::string> WithAllMembers(
    const std::vector<std::string>& backends) {
  const std::vector<BackendStatus> statuses = ListBackends();
  std::vector<std::string> all;
  for (const std::string& backend : backends) {
    for (std::string& spec : SpecsByMembers(backend, statuses)) {
      all.push_back(std::move(spec));
    }
  }
  return all;
}

// The preset's axes with the flags laid over them. Backends of a preset that
// are not available here are left out.
absl::StatusOr<std::vector<Axes>> ChosenAxes(
    const Flags& flags, const std::vector<std::string>& available) {
  Axes given = flags.axes;
  // A name that nothing has is said, and not taken for one that is left out.
  Axes named;
  named.algorithms = given.algorithms;
  RETURN_IF_ERROR(Expand(named, AllSpecs(), available, flags.seed).status());
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
      axes.backends = Among(axes.backends, available);
      // Rows of a preset that are of one algorithm are never those of another,
      // whose options differ.
      if (axes.algorithms.empty()) {
        axes.algorithms = given.algorithms;
      } else if (!given.algorithms.empty()) {
        axes.algorithms = Among(axes.algorithms, given.algorithms);
        if (axes.algorithms.empty()) continue;
      }
      Override(axes.backends, given.backends);
      Override(axes.variants, given.variants);
      Override(axes.types, given.types);
      Override(axes.sizes, given.sizes);
      Override(axes.distributions, given.distributions);
      Override(axes.options, given.options);
      Override(axes.scopes, given.scopes);
      Override(axes.caches, given.caches);
      if (!any && axes.backends.empty()) continue;
      if (axes.scaling != Scaling::kNone) {
        axes.backends = WithAllMembers(axes.backends);
      }
      ASSIGN_OR_RETURN(std::vector<Axes> parts, ByMembers(axes));
      std::move(parts.begin(), parts.end(), std::back_inserter(chosen));
    }
  }
  return chosen;
}

// Those rows of the recorded run that there are here.
absl::StatusOr<std::vector<Row>> RecordedRows(
    const Flags& flags, const std::vector<std::string>& available) {
  std::vector<Row> rows;
  for (const std::string& name : flags.recorded->RowNames()) {
    ASSIGN_OR_RETURN(const Axes axes, AxesOfRow(name));
    absl::StatusOr<std::vector<Row>> expanded =
        Expand(axes, AllSpecs(), available, flags.seed);
    // What this program does not have is missing from what it writes.
    if (!expanded.ok()) continue;
    for (Row& row : *expanded) {
      if (row.name() != name) continue;
      row.scaling = flags.recorded->ScalingOf(name);
      rows.push_back(std::move(row));
    }
  }
  RETURN_IF_ERROR(FindMembers(rows));
  return rows;
}

}  // namespace

void AddFlags(CLI::App& app, Flags& flags) {
  app.add_option("--preset", flags.preset, PresetHelp())
      ->check(CLI::IsMember(PresetNames()))
      ->take_last();
  const auto list = [&](const char* name, std::vector<std::string>& values,
                        const char* help) {
    return app.add_option(name, values, help)->delimiter(',');
  };
  list("--algorithms", flags.axes.algorithms, "such as reduce,scan")
      ->type_name("ALGORITHMS");
  list("--backends", flags.axes.backends, "such as serial,tbb:1,tbb:2,cuda")
      ->type_name("LIST");
  list("--variants", flags.axes.variants, "such as lookback,cub");
  list("--types", flags.axes.types, "such as int8,float32, or all")
      ->type_name("TYPES");
  list("--sizes", flags.sizes, "such as 1000,2^20");
  list("--distributions", flags.axes.distributions, "such as uniform,equal");
  app.add_option("--options", flags.axes.options,
                 "such as op:add,kind:inclusive, or all; may be repeated");
  list("--scopes", flags.scopes, "kernel, call, end_to_end, end_to_end_pinned")
      ->check(
          CLI::IsMember({"kernel", "call", "end_to_end", "end_to_end_pinned"}));
  list("--caches", flags.caches, "hot, cold")
      ->check(CLI::IsMember({"hot", "cold"}));
  app.add_option("--rows_from", flags.rows_from,
                 "the rows of this recorded run in place of a preset")
      ->type_name("FILE")
      ->take_last();
  app.add_option("--repetitions", flags.plan.repetitions,
                 "samples of a row in a pass")
      ->transform(Positive<int>());
  app.add_option("--passes", flags.passes, "how often to go through all rows")
      ->transform(Positive<int>());
  app.add_option("--attempts", flags.attempts,
                 "how often a row is measured, in a pass, while other programs "
                 "or heat disturb it")
      ->transform(Positive<int>());
  app.add_option("--max_seconds", flags.plan.max_seconds,
                 "no further sample is begun after this long")
      ->transform(NotNegative<double>());
  app.add_option("--seed", flags.seed, "of all cases")
      ->transform(NotNegative<std::uint64_t>());
  app.add_option(
         "--checker", flags.checker,
         "take for right what this backend computes, such as tbb, where "
         "the plain computation in one thread would take minutes")
      ->type_name("SPEC");
  app.add_option("--out,--benchmark_out", flags.out,
                 "file for the rows with their samples, as JSON")
      ->type_name("FILE")
      ->take_last();
  app.add_flag("--continue", flags.go_on,
               "keep the rows that --out already has and measure the rest");
  app.add_option("--turns", flags.turns,
                 "descriptors to ask for the next sample and to be given it")
      ->expected(2)
      ->delimiter(',');
}

absl::StatusOr<std::vector<Row>> ChosenRows(
    const Flags& flags, const std::vector<std::string>& available) {
  if (flags.recorded.has_value()) return RecordedRows(flags, available);
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
  RETURN_IF_ERROR(FindMembers(rows));
  return rows;
}

}  // namespace concord
