// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/core/spec.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "concord/core/distributions.h"
#include "concord/core/errors.h"
#include "concord/core/guarded.h"

namespace concord {
namespace {

std::vector<const AlgorithmSpec*>& Specs() {
  static auto* const specs = new std::vector<const AlgorithmSpec*>();
  return *specs;
}

std::map<std::string, std::vector<Law>>& Laws() {
  static auto* const laws = new std::map<std::string, std::vector<Law>>();
  return *laws;
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

Inputs InputsOf(const Case& test_case) {
  Inputs inputs;
  for (const auto& [name, array] : test_case.inputs) {
    inputs.emplace(name, array.view());
  }
  return inputs;
}

Sources SourcesOf(const Case& test_case) {
  return SourcesOf(InputsOf(test_case));
}

std::string ToString(const CaseRequest& request) {
  return absl::StrCat("n=", request.size, " ", Name(request.type), " ",
                      request.distribution, " seed=", request.seed);
}

absl::StatusOr<std::vector<OutputSpec>> AlgorithmSpec::OutputsOf(
    const Case& test_case) const {
  return algorithm().Plan(test_case.options, InputsOf(test_case));
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
  VaryTuning(algorithm(), combinations);
  return combinations;
}

absl::StatusOr<Case> AlgorithmSpec::Generate(const CaseRequest& request) const {
  const std::vector<std::string> names = Distributions(request.type);
  if (std::find(names.begin(), names.end(), request.distribution) ==
      names.end()) {
    return InvalidArgumentError(name(), " has no distribution '",
                                request.distribution, "'; it has ",
                                absl::StrJoin(names, ", "));
  }
  CaseRequest complete = request;
  ASSIGN_OR_RETURN(complete.options,
                   CompleteOptions(options(), request.options));
  return MakeFrom(complete);
}

absl::StatusOr<Case> AlgorithmSpec::MakeFrom(const CaseRequest& request) const {
  ASSIGN_OR_RETURN(HostArray in, DrawInput(request));
  return MakeCase(ToString(request), request.options, std::move(in));
}

absl::StatusOr<HostArray> AlgorithmSpec::DrawInput(
    const CaseRequest& request) const {
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

Floor AlgorithmSpec::FloorOf(const Case& test_case) const {
  Floor floor;
  for (const auto& [name, input] : test_case.inputs) {
    floor.bytes_read += input.view().bytes();
  }
  const absl::StatusOr<std::vector<OutputSpec>> outputs = OutputsOf(test_case);
  if (!outputs.ok()) return floor;
  for (const OutputSpec& output : *outputs) {
    floor.bytes_written += CapacityBytes(output);
  }
  return floor;
}

std::int64_t AlgorithmSpec::SizeOfCase(const Case& test_case) const {
  const auto in = test_case.inputs.find("in");
  return in == test_case.inputs.end() ? 0 : in->second.size();
}

ElementType AlgorithmSpec::TypeOfCase(const Case& test_case) const {
  return test_case.inputs.at(algorithm().signature().inputs.front().name)
      .type();
}

absl::StatusOr<LoadedCase> LoadCase(const AlgorithmSpec& spec,
                                    const LoadRequest& request) {
  return Guarded([&]() -> absl::StatusOr<LoadedCase> {
    ASSIGN_OR_RETURN(
        LoadedInputs inputs,
        FileFormatOf(spec.algorithm()).Load(spec.algorithm(), request));
    LoadedCase loaded;
    loaded.notes = std::move(inputs.notes);
    const auto input = request.files.find("input");
    loaded.value.label = input == request.files.end() ? "" : input->second;
    loaded.value.options = std::move(inputs.options);
    for (const auto& [name, source] : inputs.inputs) {
      loaded.value.inputs.emplace(name, HostArray::CopyOf(*source->View()));
    }
    loaded.value.type = spec.TypeOfCase(loaded.value);
    return loaded;
  });
}

void VaryTuning(const Algorithm& algorithm,
                std::vector<OptionMap>& combinations) {
  std::map<std::string, OptionSpec> tuning;
  for (const ImplementationInfo& info : algorithm.implementations()) {
    for (const OptionSpec& spec : info.tuning) tuning.emplace(spec.name, spec);
  }
  for (const auto& [name, spec] : tuning) {
    const std::int64_t steps = (spec.most - spec.least) / spec.step;
    const std::vector<std::string> values = {
        spec.default_value, absl::StrCat(spec.least + spec.step),
        absl::StrCat(spec.least + spec.step * (steps / 11 + 1)),
        absl::StrCat(spec.least + spec.step * (steps / 4)),
        absl::StrCat(spec.least + spec.step * steps)};
    for (std::size_t i = 0; i < combinations.size(); ++i) {
      combinations[i][name] = values[i % values.size()];
    }
  }
}

std::vector<Law> AlgorithmSpec::laws() const {
  const auto found = Laws().find(name());
  return found == Laws().end() ? std::vector<Law>() : found->second;
}

bool RegisterLaws(const std::string& algorithm, std::vector<Law> laws) {
  return Laws().emplace(algorithm, std::move(laws)).second;
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
  return Guarded([&]() -> absl::StatusOr<const AlgorithmSpec*> {
    for (const AlgorithmSpec* spec : Specs()) {
      if (spec->name() == name) return spec;
    }
    RETURN_IF_ERROR(FindAlgorithm(name).status());
    return NotFoundError("nothing says what is right for ", name);
  });
}

}  // namespace concord
