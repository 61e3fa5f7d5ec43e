// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/core/spec.h"

#include <algorithm>
#include <functional>
#include <numeric>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "concord/core/array_io.h"
#include "concord/core/distributions.h"

namespace concord {
namespace {

std::vector<const AlgorithmSpec*>& Specs() {
  static auto* const specs = new std::vector<const AlgorithmSpec*>();
  return *specs;
}

}  // namespace

Case MakeCase(std::string label, OptionMap options, HostArray in) {
  Case made;
  made.label = std::move(label);
  made.type = in.type();
  made.options = std::move(options);
  made.inputs.emplace("in", std::move(in));
  return made;
}

std::string ToString(const CaseRequest& request) {
  return absl::StrCat("n=", request.size, " ", Name(request.type), " ",
                      request.distribution, " seed=", request.seed);
}

std::int64_t Capacity(const OutputSpec& spec) {
  return std::accumulate(spec.shape.begin(), spec.shape.end(), std::int64_t{1},
                         std::multiplies<std::int64_t>());
}

std::int64_t ResultSize(const OutputSpec& spec, const Results& results) {
  const std::int64_t capacity = Capacity(spec);
  if (spec.size_in.empty()) return capacity;
  const std::int64_t size = *results.at(spec.size_in).data<std::int64_t>();
  return 0 <= size && size <= capacity ? size : capacity;
}

std::vector<OutputSpec> SizesFirst(std::vector<OutputSpec> specs) {
  std::stable_partition(specs.begin(), specs.end(), [](const OutputSpec& spec) {
    return spec.size_in.empty();
  });
  return specs;
}

std::vector<std::string> AlgorithmSpec::Distributions(ElementType type) const {
  return DistributionsFor(type);
}

std::vector<OptionMap> AlgorithmSpec::OptionCombinations(ElementType) const {
  std::vector<OptionMap> combinations(1);
  for (const OptionSpec& option : options()) {
    if (option.kind == OptionSpec::Kind::kFile) continue;
    std::vector<std::string> values = ChoicesOf(option);
    if (values.empty()) values = {option.default_value};
    std::vector<OptionMap> extended;
    for (const OptionMap& combination : combinations) {
      for (const std::string& value : values) {
        extended.push_back(combination);
        extended.back()[option.name] = value;
      }
    }
    combinations = std::move(extended);
  }
  return combinations;
}

absl::StatusOr<Case> AlgorithmSpec::Generate(const CaseRequest& request) const {
  absl::StatusOr<OptionMap> complete =
      CompleteOptions(options(), request.options);
  if (!complete.ok()) return complete.status();
  absl::StatusOr<HostArray> in = DrawInput(request, *complete);
  if (!in.ok()) return in.status();
  return MakeCase(ToString(request), *std::move(complete), *std::move(in));
}

absl::StatusOr<HostArray> AlgorithmSpec::DrawInput(const CaseRequest& request,
                                                   const OptionMap&) const {
  return Draw(request.distribution, request.type, request.size, request.seed);
}

std::vector<Axis> AlgorithmSpec::Axes(const Case& test_case) const {
  const auto in = test_case.inputs.find("in");
  if (in == test_case.inputs.end()) return {};
  return {{"elements", in->second.size(),
           [test_case](std::int64_t first, std::int64_t last) {
             Case smaller = test_case;
             HostArray& array = smaller.inputs.at("in");
             array = array.Without(first, last);
             return smaller;
           }}};
}

std::int64_t AlgorithmSpec::SizeOfCase(const Case& test_case) const {
  const auto in = test_case.inputs.find("in");
  return in == test_case.inputs.end() ? 0 : in->second.size();
}

absl::StatusOr<LoadedCase> AlgorithmSpec::Load(
    const LoadRequest& request) const {
  absl::StatusOr<OptionMap> complete =
      CompleteOptions(options(), request.options);
  if (!complete.ok()) return complete.status();
  const auto path = request.files.find("input");
  if (path == request.files.end()) {
    return absl::InvalidArgumentError("--input=FILE is needed");
  }
  absl::StatusOr<HostArray> array = ReadArray(path->second, request.type);
  if (!array.ok()) return array.status();
  LoadedCase loaded;
  loaded.value =
      MakeCase(path->second, *std::move(complete), *std::move(array));
  return loaded;
}

absl::Status AlgorithmSpec::Save(const Results& results,
                                 const std::string& path) const {
  return WriteArray(path, results.at("out"));
}

bool RegisterSpec(const AlgorithmSpec* spec) {
  auto& specs = Specs();
  specs.push_back(spec);
  std::sort(specs.begin(), specs.end(),
            [](const AlgorithmSpec* a, const AlgorithmSpec* b) {
              return a->name() < b->name();
            });
  return true;
}

std::vector<const AlgorithmSpec*> AllSpecs() { return Specs(); }

absl::StatusOr<const AlgorithmSpec*> FindSpec(absl::string_view name) {
  for (const AlgorithmSpec* spec : Specs()) {
    if (spec->name() == name) return spec;
  }
  return absl::NotFoundError(absl::StrCat(
      "unknown algorithm '", name, "'; the algorithms are ",
      absl::StrJoin(Specs(), ", ",
                    [](std::string* out, const AlgorithmSpec* spec) {
                      out->append(spec->name());
                    })));
}

}  // namespace concord
