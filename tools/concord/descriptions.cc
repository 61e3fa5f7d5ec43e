// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/tools/concord/descriptions.h"

#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "absl/strings/str_cat.h"
#include "concord/core/file_format.h"
#include "concord/tools/concord/json_text.h"
#include "concord/tools/concord/selection.h"

namespace concord {
namespace {

using Json = nlohmann::ordered_json;

std::string KindName(OptionSpec::Kind kind) {
  switch (kind) {
    case OptionSpec::Kind::kChoice:
      return "choice";
    case OptionSpec::Kind::kNumber:
      return "number";
    case OptionSpec::Kind::kText:
      return "text";
    case OptionSpec::Kind::kFile:
      return "file";
    case OptionSpec::Kind::kSwitch:
      return "switch";
    case OptionSpec::Kind::kOutput:
      break;
  }
  return "output";
}

Json AsJson(const SignatureData& signature, const InputSpec& input) {
  return {{"name", input.name},
          {"help", input.help},
          {"element_types", NamesOf(input.types)},
          {"shape", input.shape},
          {"optional", input.optional},
          {"file_option", FileOption(signature, input)}};
}

Json AsJson(const Algorithm& algorithm, const OptionSpec& option) {
  Json json = {{"name", option.name},
               {"help", option.help},
               {"kind", KindName(option.kind)},
               {"default", option.default_value},
               {"tuning_of", TunedBy(algorithm, option)},
               {"takes_functions",
                option.name == algorithm.signature().function.option}};
  if (option.kind == OptionSpec::Kind::kChoice) {
    json["choices"] = option.choices;
  }
  if (option.kind == OptionSpec::Kind::kNumber) {
    json["least"] = option.least;
    json["most"] = option.most;
    json["step"] = option.step;
  }
  return json;
}

Json Description(const Algorithm& algorithm) {
  const SignatureData& signature = algorithm.signature();
  Json all = {{"algorithm", algorithm.name()}, {"summary", signature.summary},
              {"inputs", Json::array()},       {"options", Json::array()},
              {"outputs", Json::array()},      {"extents", Json::array()}};
  for (const InputSpec& input : signature.inputs) {
    all["inputs"].push_back(AsJson(signature, input));
  }
  for (const OptionSpec& option : algorithm.options()) {
    all["options"].push_back(AsJson(algorithm, option));
  }
  for (const OutputText& output : signature.outputs) {
    all["outputs"].push_back({{"name", output.name},
                              {"help", output.help},
                              {"type", output.type},
                              {"shape", output.shape},
                              {"when", output.when},
                              {"size_in", output.size_in},
                              {"in_place_of", output.in_place_of}});
  }
  for (const ExtentText& extent : signature.extents) {
    all["extents"].push_back({{"name", extent.name},
                              {"words", extent.words},
                              {"data_of", extent.data_of}});
  }
  return all;
}

Json AsJson(const Contract& contract) {
  return {{"element_types", NamesOf(contract.element_types)},
          {"in_place", contract.in_place},
          {"determinism", std::string(Name(contract.determinism))},
          {"max_size", contract.max_size},
          {"special_values", contract.special_values},
          {"boundaries", contract.boundaries},
          {"keeps", contract.keeps},
          {"notes", contract.notes}};
}

}  // namespace

std::vector<std::string> TunedBy(const Algorithm& algorithm,
                                 const OptionSpec& option) {
  std::vector<std::string> variants;
  for (const ImplementationInfo& info : algorithm.implementations()) {
    for (const OptionSpec& tuning : info.tuning) {
      if (tuning.name == option.name) variants.push_back(info.name());
    }
  }
  return variants;
}

std::string AsJson(const Algorithm& algorithm) {
  return JsonText(Description(algorithm));
}

std::string AsJson(const std::vector<const Algorithm*>& algorithms) {
  Json all = Json::array();
  for (const Algorithm* algorithm : algorithms) {
    all.push_back(Description(*algorithm));
  }
  return JsonText(all);
}

std::string AsJson(const std::string& algorithm,
                   const ExplainedCall& explanation) {
  Json steps = Json::array();
  for (const ExplainedCall::Step& step : explanation.steps) {
    steps.push_back({{"what", step.what},
                     {"elements", step.elements},
                     {"at_most", step.at_most},
                     {"operations", step.operations},
                     {"bytes_read", step.bytes_read},
                     {"bytes_written", step.bytes_written}});
  }
  const Json all = {{"algorithm", algorithm},
                    {"steps", std::move(steps)},
                    {"least_bytes_read", explanation.least_read},
                    {"least_bytes_written", explanation.least_written}};
  return JsonText(all);
}

std::string AsJson(const std::vector<BackendStatus>& statuses) {
  Json all = Json::array();
  for (const BackendStatus& status : statuses) {
    Json devices = Json::array();
    for (const Device& device : status.devices) {
      Json facts = {{"spec", device.spec}};
      for (const auto& [name, value] : device.facts) facts[name] = value;
      devices.push_back(std::move(facts));
    }
    all.push_back({{"backend", status.name},
                   {"available", status.available()},
                   {"stage", std::string(Name(status.stage))},
                   {"reason", status.reason},
                   {"devices", std::move(devices)}});
  }
  return JsonText(all);
}

std::vector<ListEntry> EntriesOf(const std::string& pattern) {
  std::map<std::string, std::string> reasons;
  for (const BackendStatus& status : ListBackends()) {
    reasons[status.name] = status.available() ? "" : status.WhyNot();
  }
  std::vector<ListEntry> entries;
  for (const Algorithm* algorithm : AllAlgorithms()) {
    std::set<std::string> with_default;
    for (const ImplementationInfo& info : algorithm->implementations()) {
      const std::string& absence = reasons[info.backend];
      const std::string refusal =
          absence.empty() ? info.RefusalOn(info.backend) : "";
      // The first of a backend's, but for those that its device does not suit.
      const bool is_default =
          refusal.empty() && with_default.insert(info.backend).second;
      if (!Matches(pattern, info.name())) continue;
      entries.push_back({info, is_default, absence.empty() ? refusal : absence,
                         absence.empty() ? info.name() : info.backend});
    }
  }
  return entries;
}

std::string AsJson(const std::vector<ListEntry>& entries) {
  Json all = Json::array();
  for (const ListEntry& entry : entries) {
    const ImplementationInfo& info = entry.info;
    all.push_back({{"implementation", info.name()},
                   {"algorithm", info.algorithm},
                   {"backend", info.backend},
                   {"variant", info.variant},
                   {"default", entry.is_default},
                   {"available", entry.reason.empty()},
                   {"reason", entry.reason},
                   {"summary", info.summary},
                   {"contract", AsJson(info.contract)}});
  }
  return JsonText(all);
}

}  // namespace concord
