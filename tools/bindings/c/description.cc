// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/tools/bindings/c/description.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "concord/core/errors.h"

namespace concord::bindings {
namespace {

using Json = nlohmann::ordered_json;

// A member that this does not know is a mistake of somebody's.
absl::Status CheckMembers(const Json& json, const std::string& what,
                          const std::vector<std::string>& known) {
  if (!json.is_object()) return InvalidArgumentError(what, " is no object");
  for (const auto& member : json.items()) {
    if (std::count(known.begin(), known.end(), member.key()) == 0) {
      return InvalidArgumentError(what, " has no '", member.key(), "'");
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<DescribedInput> InputOf(const Json& json) {
  RETURN_IF_ERROR(
      CheckMembers(json, "an input",
                   {"name", "types", "shape", "least", "most", "offsets_of"}));
  DescribedInput input;
  input.name = json.at("name").get<std::string>();
  for (const Json& type : json.at("types")) {
    ASSIGN_OR_RETURN(input.types.emplace_back(),
                     ParseElementType(type.get<std::string>()));
  }
  input.shape = json.at("shape").get<std::vector<std::string>>();
  if (json.contains("least")) input.least = json["least"].get<double>();
  if (json.contains("most")) input.most = json["most"].get<double>();
  input.offsets_of = json.value("offsets_of", "");
  return input;
}

// Whole numbers are a range, texts a choice, yes and no a switch.
absl::StatusOr<DescribedOption> OptionOf(const Json& json) {
  RETURN_IF_ERROR(CheckMembers(json, "an option", {"name", "values"}));
  const std::string name = json.at("name").get<std::string>();
  const Json& values = json.at("values");
  DescribedOption option;
  const auto all = [&](bool (Json::*is)() const noexcept) {
    return values.is_array() && !values.empty() &&
           std::all_of(values.begin(), values.end(),
                       [&](const Json& value) { return (value.*is)(); });
  };
  if (all(&Json::is_boolean)) {
    for (const Json& value : values) {
      option.values.emplace_back(value.get<bool>() ? "yes" : "no");
    }
    option.spec = OptionSpec::Switch(name, "");
  } else if (all(&Json::is_number_integer)) {
    const auto numbers = values.get<std::vector<std::int64_t>>();
    for (const std::int64_t number : numbers) {
      option.values.push_back(absl::StrCat(number));
    }
    const auto [least, most] =
        std::minmax_element(numbers.begin(), numbers.end());
    option.spec = OptionSpec::Number(name, "", *least, *least, *most);
  } else if (all(&Json::is_string)) {
    option.values = values.get<std::vector<std::string>>();
    option.spec =
        OptionSpec::Choice(name, "", option.values.front(), option.values);
  } else {
    return InvalidArgumentError("the option '", name,
                                "' has no values that are all whole numbers, "
                                "all texts, or all true or false");
  }
  return option;
}

absl::StatusOr<DescribedFunction> FunctionOf(const Json& json) {
  RETURN_IF_ERROR(CheckMembers(json, "a description",
                               {"name", "inputs", "options", "boundaries",
                                "largest_size", "absolute", "relative"}));
  DescribedFunction function;
  Description& description = function.description;
  description.name = json.at("name").get<std::string>();
  for (const Json& input : json.at("inputs")) {
    ASSIGN_OR_RETURN(description.inputs.emplace_back(), InputOf(input));
  }
  for (const Json& option : json.value("options", Json::array())) {
    ASSIGN_OR_RETURN(description.options.emplace_back(), OptionOf(option));
  }
  description.boundaries =
      json.value("boundaries", std::vector<std::int64_t>());
  description.largest_size =
      json.value("largest_size", description.largest_size);
  if (description.largest_size < 1) {
    return InvalidArgumentError("the largest size is ",
                                description.largest_size);
  }
  function.allowance = {json.value("absolute", 0.0),
                        json.value("relative", 0.0)};
  const Allowance& allowance = function.allowance;
  if (!(allowance.absolute >= 0) || !(allowance.relative >= 0)) {
    return InvalidArgumentError("a tolerance is negative");
  }
  return function;
}

}  // namespace

absl::StatusOr<DescribedFunction> ParseDescription(absl::string_view json) {
  // The JSON library throws.
  try {
    return FunctionOf(Json::parse(json));
  } catch (const Json::exception& exception) {
    return InvalidArgumentError("this is no description: ", exception.what());
  }
}

}  // namespace concord::bindings
