// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/benchmarks/axes.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "concord/core/errors.h"
#include "concord/core/functions.h"

namespace concord {
namespace {

template <typename T>
bool Contains(const std::vector<T>& values, const T& value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

// An empty list allows everything.
bool Allows(const std::vector<std::string>& list, const std::string& name) {
  return list.empty() || Contains(list, name);
}

absl::StatusOr<std::vector<ElementType>> TypesOf(const Axes& axes,
                                                 const AlgorithmSpec& spec) {
  const std::vector<ElementType> offered = spec.element_types();
  if (axes.types.empty()) {
    if (Contains(offered, ElementType::kInt32)) return {{ElementType::kInt32}};
    return {{offered.front()}};
  }
  if (Contains<std::string>(axes.types, kAllTypes)) return offered;
  std::vector<ElementType> types;
  for (const std::string& name : axes.types) {
    ASSIGN_OR_RETURN(ElementType type, ParseElementType(name));
    if (Contains(offered, type)) types.push_back(type);
  }
  return types;
}

// Whether an option may have this name.
bool IsName(absl::string_view text) {
  return !text.empty() && absl::ascii_islower(text.front()) &&
         absl::c_all_of(text, [](char c) {
           return absl::ascii_islower(c) || absl::ascii_isdigit(c) ||
                  c == '-' || c == '_';
         });
}

// A value as names of rows have it. What follows a slash and could be an
// option, as in "map x/y", is put after a space, which functions may have
// anywhere.
std::string NamedValue(const std::string& value) {
  std::vector<std::string> parts = absl::StrSplit(value, '/');
  for (std::size_t i = 1; i < parts.size(); ++i) {
    if (IsName(parts[i].substr(0, parts[i].find(':')))) parts[i].insert(0, " ");
  }
  return absl::StrJoin(parts, "/");
}

// "op:add,kind:inclusive". A part that does not begin with a name and a colon
// belongs to the value before it, as in "keep:between:1,5" and in
// "op:min(a, b) > 0 ? a : b".
absl::StatusOr<OptionMap> ParseSetting(const std::string& setting) {
  OptionMap options;
  std::string* value = nullptr;
  for (absl::string_view part :
       absl::StrSplit(setting, ',', absl::SkipEmpty())) {
    const std::size_t colon = part.find(':');
    if (value != nullptr &&
        (colon == absl::string_view::npos || !IsName(part.substr(0, colon)))) {
      absl::StrAppend(value, ",", part);
      continue;
    }
    const std::pair<std::string, std::string> named =
        absl::StrSplit(part, absl::MaxSplits(':', 1));
    const auto [place, is_new] = options.insert(named);
    if (!is_new) {
      return InvalidArgumentError("'", setting, "' says ", named.first,
                                  " twice; each --options is one combination, "
                                  "and the flag may be repeated");
    }
    value = &place->second;
  }
  return options;
}

absl::StatusOr<std::vector<OptionMap>> OptionsOf(const Axes& axes,
                                                 const AlgorithmSpec& spec,
                                                 ElementType type) {
  std::vector<std::string> settings = axes.options;
  if (settings.empty()) settings = {""};
  std::vector<OptionMap> all;
  for (const std::string& setting : settings) {
    if (setting == "all") {
      for (OptionMap& options : spec.OptionCombinations(type)) {
        all.push_back(std::move(options));
      }
      continue;
    }
    ASSIGN_OR_RETURN(const OptionMap asked, ParseSetting(setting));
    absl::StatusOr<OptionMap> complete = CompleteOptions(spec.options(), asked);
    if (!complete.ok()) {
      return InvalidArgumentError(spec.name(), ": ",
                                  complete.status().message());
    }
    all.push_back(*std::move(complete));
  }
  return all;
}

// The axes of one algorithm, and those of the algorithm that runs its
// functions, where settings have functions of the user's.
absl::StatusOr<std::vector<std::pair<const AlgorithmSpec*, Axes>>> ByRunner(
    const Axes& axes, const AlgorithmSpec& spec) {
  Axes own = axes;
  own.options.clear();
  std::vector<std::pair<const AlgorithmSpec*, Axes>> all;
  for (const std::string& setting : axes.options) {
    ASSIGN_OR_RETURN(const OptionMap asked, ParseSetting(setting));
    ASSIGN_OR_RETURN(const ProgramCall call,
                     AsProgram(spec.algorithm(), asked));
    if (call.algorithm == &spec.algorithm()) {
      own.options.push_back(setting);
      continue;
    }
    ASSIGN_OR_RETURN(const AlgorithmSpec* const runner,
                     FindSpec(call.algorithm->name()));
    all.emplace_back(runner, axes);
    all.back().second.options = {
        absl::StrJoin(call.options, ",", absl::PairFormatter(":"))};
  }
  if (all.empty() || !own.options.empty()) all.emplace_back(&spec, own);
  return all;
}

// Calls `add` for every case of one algorithm.
template <typename F>
absl::Status ForEachRequest(const Axes& axes, const AlgorithmSpec& spec,
                            std::uint64_t seed, const F& add) {
  ASSIGN_OR_RETURN(std::vector<ElementType> types, TypesOf(axes, spec));
  for (const ElementType type : types) {
    ASSIGN_OR_RETURN(std::vector<OptionMap> options,
                     OptionsOf(axes, spec, type));
    const std::vector<std::string> offered = spec.Distributions(type);
    std::vector<std::string> distributions = axes.distributions;
    if (distributions.empty()) distributions = {offered.front()};
    for (const std::int64_t size : axes.sizes) {
      for (const std::string& distribution : distributions) {
        if (!Contains(offered, distribution)) continue;
        for (const OptionMap& setting : options) {
          add(CaseRequest{size, type, distribution, setting, seed});
        }
      }
    }
  }
  return absl::OkStatus();
}

// Those of the backend that can run here.
std::vector<ImplementationInfo> RunningOn(const std::string& backend,
                                          const AlgorithmSpec& spec) {
  std::vector<ImplementationInfo> running;
  for (ImplementationInfo& info : spec.implementations()) {
    if (info.backend == BackendName(backend) &&
        info.RefusalOn(backend).empty()) {
      running.push_back(std::move(info));
    }
  }
  return running;
}

void AddRows(const Axes& axes, const AlgorithmSpec& spec,
             const std::vector<std::string>& backends,
             const CaseRequest& request, std::vector<Row>& rows) {
  const bool defaults_only =
      axes.scaling != Scaling::kNone && axes.variants.empty();
  for (const std::string& backend : backends) {
    const std::vector<ImplementationInfo> running = RunningOn(backend, spec);
    const auto highest = absl::c_max_element(
        running, [](const auto& a, const auto& b) { return a.rank < b.rank; });
    for (const ImplementationInfo& info : running) {
      const bool is_default = info.variant == highest->variant;
      if ((defaults_only && !is_default) ||
          !Allows(axes.variants, info.variant) ||
          !info.contract.Allows(request.type) ||
          request.size > info.contract.max_size) {
        continue;
      }
      for (const Scope scope : axes.scopes) {
        for (const Cache cache : axes.caches) {
          rows.push_back({&spec, request, info, backend, scope, cache,
                          is_default, axes.scaling});
        }
      }
    }
  }
}

absl::Status CheckNames(absl::string_view what,
                        const std::vector<std::string>& asked,
                        const std::set<std::string>& known) {
  for (const std::string& name : asked) {
    if (known.count(name) == 0) {
      return InvalidArgumentError("no ", what, " '", name, "'; there are ",
                                  absl::StrJoin(known, ", "));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckAllNames(const Axes& axes,
                           const std::vector<const AlgorithmSpec*>& specs,
                           const std::vector<std::string>& available) {
  std::set<std::string> algorithms;
  std::set<std::string> variants;
  std::set<std::string> distributions;
  for (const AlgorithmSpec* spec : specs) {
    algorithms.insert(spec->name());
    for (const ImplementationInfo& info : spec->implementations()) {
      variants.insert(info.variant);
    }
    for (const ElementType type : spec->element_types()) {
      for (std::string& name : spec->Distributions(type)) {
        distributions.insert(std::move(name));
      }
    }
  }
  std::vector<std::string> backends;
  for (const std::string& spec : axes.backends) {
    backends.push_back(BackendName(spec));
  }
  absl::Status status = CheckNames("algorithm", axes.algorithms, algorithms);
  if (status.ok()) status = CheckNames("variant", axes.variants, variants);
  if (status.ok()) {
    status = CheckNames("distribution", axes.distributions, distributions);
  }
  if (status.ok()) {
    status = CheckNames("available backend", backends,
                        {available.begin(), available.end()});
  }
  return status;
}

}  // namespace

std::string BackendName(const std::string& spec) {
  return spec.substr(0, spec.find(':'));
}

std::string Row::CaseName() const {
  std::string name = absl::StrCat(Name(request.type), "/n:", request.size);
  for (const OptionSpec& option : spec->options()) {
    const auto it = request.options.find(option.name);
    if (it == request.options.end()) continue;
    if (it->second == "yes") {
      absl::StrAppend(&name, "/", option.name);
    } else if (it->second != "no" &&
               (option.kind == OptionSpec::Kind::kChoice ||
                it->second != option.default_value)) {
      absl::StrAppend(&name, "/", option.name, ":", NamedValue(it->second));
    }
  }
  return absl::StrCat(name, "/", request.distribution);
}

std::string Row::name() const {
  return absl::StrCat(spec->name(), "/", backend, "/", implementation.variant,
                      "/", CaseName(), "/", Name(scope), "/", Name(cache));
}

absl::StatusOr<Axes> AxesOfRow(const std::string& name) {
  const std::vector<std::string> parts = absl::StrSplit(name, '/');
  const auto unusable = [&] {
    return InvalidArgumentError("no row is named '", name, "'");
  };
  // Algorithm, backend, variant, type, size; distribution, scope, cache.
  constexpr std::size_t kBefore = 5;
  constexpr std::size_t kAfter = 3;
  if (parts.size() < kBefore + kAfter) return unusable();
  Axes axes;
  axes.algorithms = {parts[0]};
  axes.backends = {parts[1]};
  axes.variants = {parts[2]};
  axes.types = {parts[3]};
  std::int64_t size = 0;
  if (!absl::StartsWith(parts[4], "n:") ||
      !absl::SimpleAtoi(parts[4].substr(2), &size) || size <= 0) {
    return unusable();
  }
  axes.sizes = {size};
  std::vector<std::string> options;
  for (std::size_t i = kBefore; i + kAfter < parts.size(); ++i) {
    const bool is_named = IsName(parts[i].substr(0, parts[i].find(':')));
    if (!is_named && !options.empty()) {
      // A slash in the value of the option before.
      absl::StrAppend(&options.back(), "/", parts[i]);
      continue;
    }
    const bool has_value = absl::StrContains(parts[i], ':');
    options.push_back(absl::StrCat(parts[i], has_value ? "" : ":yes"));
  }
  axes.options = {absl::StrJoin(options, ",")};
  axes.distributions = {parts[parts.size() - 3]};
  axes.scopes.clear();
  for (const Scope scope : AllScopes()) {
    if (Name(scope) == parts[parts.size() - 2]) axes.scopes.push_back(scope);
  }
  axes.caches.clear();
  for (const Cache cache : AllCaches()) {
    if (Name(cache) == parts.back()) axes.caches.push_back(cache);
  }
  if (axes.scopes.empty() || axes.caches.empty()) return unusable();
  return axes;
}

absl::StatusOr<std::vector<Row>> Expand(
    const Axes& axes, const std::vector<const AlgorithmSpec*>& specs,
    const std::vector<std::string>& available, std::uint64_t seed) {
  RETURN_IF_ERROR(CheckAllNames(axes, specs, available));
  const std::vector<std::string>& backends =
      axes.backends.empty() ? available : axes.backends;
  std::vector<Row> rows;
  for (const AlgorithmSpec* spec : specs) {
    if (!Allows(axes.algorithms, spec->name())) continue;
    ASSIGN_OR_RETURN(const auto by_runner, ByRunner(axes, *spec));
    for (const auto& [runner, its] : by_runner) {
      // C++17 captures no structured binding, and Clang insists.
      const AlgorithmSpec& that = *runner;
      RETURN_IF_ERROR(
          ForEachRequest(its, that, seed, [&](const CaseRequest& request) {
            AddRows(axes, that, backends, request, rows);
          }));
    }
  }
  return rows;
}

}  // namespace concord
