// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/tools/bindings/c/description.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "concord/core/errors.h"
#include "concord/testing/engine/json_problem.h"

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

absl::Status IsNot(absl::string_view what, absl::string_view wanted,
                   const Json& json) {
  // Lists and objects may be nested deeper than dump() has stack for.
  return InvalidArgumentError(what, " is ", wanted, ", not ",
                              json.is_structured()
                                  ? absl::StrCat("an ", json.type_name())
                                  : json.dump());
}

absl::StatusOr<std::string> TextOf(const Json& json, absl::string_view what) {
  if (!json.is_string()) return IsNot(what, "a text", json);
  return json.get<std::string>();
}

absl::StatusOr<double> NumberOf(const Json& json, absl::string_view what) {
  if (!json.is_number()) return IsNot(what, "a number", json);
  return json.get<double>();
}

// Whole numbers of 64 bits stay exact.
absl::StatusOr<Number> BoundOf(const Json& json, absl::string_view what) {
  if (json.is_number_unsigned()) return Number(json.get<std::uint64_t>());
  if (json.is_number_integer()) return Number(json.get<std::int64_t>());
  ASSIGN_OR_RETURN(const double number, NumberOf(json, what));
  return Number(number);
}

// The JSON library would cut off what does not fit.
absl::StatusOr<std::int64_t> WholeNumberOf(const Json& json,
                                           absl::string_view what) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
  if (!json.is_number_integer() ||
      (json.is_number_unsigned() && json.get<std::uint64_t>() > kMost)) {
    return IsNot(what, "a whole number of 64 bits", json);
  }
  return json.get<std::int64_t>();
}

// A member that has to be there, or an empty list where it need not. No copy of
// it, which might take more stack than there is.
absl::StatusOr<const Json*> ListOf(const Json& json, const std::string& what,
                                   const std::string& member,
                                   bool is_needed = true) {
  static const auto* const none = new Json(Json::array());
  if (!json.contains(member)) {
    if (!is_needed) return none;
    return InvalidArgumentError(what, " has to have '", member, "'");
  }
  if (!json[member].is_array()) {
    return IsNot(absl::StrCat("'", member, "' of ", what), "a list",
                 json[member]);
  }
  return &json[member];
}

absl::StatusOr<std::string> NameOf(const Json& json, const std::string& what) {
  if (!json.contains("name")) {
    return InvalidArgumentError(what, " has to have 'name'");
  }
  ASSIGN_OR_RETURN(const std::string name,
                   TextOf(json["name"], absl::StrCat("the name of ", what)));
  if (name.empty())
    return InvalidArgumentError("the name of ", what, " is empty");
  return name;
}

absl::StatusOr<std::string> ExtentOf(const Json& json,
                                     const std::string& what) {
  const std::string extent = absl::StrCat("an extent of ", what);
  if (json.is_string()) return json.get<std::string>();
  if (!json.is_number()) return IsNot(extent, "a name or a number", json);
  ASSIGN_OR_RETURN(const std::int64_t number, WholeNumberOf(json, extent));
  return absl::StrCat(number);
}

absl::StatusOr<DescribedInput> InputOf(const Json& json) {
  RETURN_IF_ERROR(
      CheckMembers(json, "an input",
                   {"name", "types", "shape", "least", "most", "offsets_of"}));
  DescribedInput input;
  ASSIGN_OR_RETURN(input.name, NameOf(json, "an input"));
  const std::string what = absl::StrCat("the input '", input.name, "'");
  ASSIGN_OR_RETURN(const Json* const types, ListOf(json, what, "types"));
  for (const Json& type : *types) {
    ASSIGN_OR_RETURN(const std::string name,
                     TextOf(type, absl::StrCat("a type of ", what)));
    ASSIGN_OR_RETURN(input.types.emplace_back(), ParseElementType(name));
  }
  ASSIGN_OR_RETURN(const Json* const shape, ListOf(json, what, "shape"));
  for (const Json& extent : *shape) {
    ASSIGN_OR_RETURN(input.shape.emplace_back(), ExtentOf(extent, what));
  }
  for (const auto& [name, bound] :
       {std::pair("least", &input.least), std::pair("most", &input.most)}) {
    if (!json.contains(name)) continue;
    ASSIGN_OR_RETURN(
        *bound, BoundOf(json[name], absl::StrCat("'", name, "' of ", what)));
  }
  if (json.contains("offsets_of")) {
    ASSIGN_OR_RETURN(
        input.offsets_of,
        TextOf(json["offsets_of"], absl::StrCat("'offsets_of' of ", what)));
  }
  return input;
}

// Whole numbers are a range, texts a choice, yes and no a switch.
absl::StatusOr<DescribedOption> OptionOf(const Json& json) {
  RETURN_IF_ERROR(CheckMembers(json, "an option", {"name", "values"}));
  ASSIGN_OR_RETURN(const std::string name, NameOf(json, "an option"));
  ASSIGN_OR_RETURN(
      const Json* const listed,
      ListOf(json, absl::StrCat("the option '", name, "'"), "values"));
  const Json& values = *listed;
  DescribedOption option;
  const auto all = [&](bool (Json::*is)() const noexcept) {
    return !values.empty() &&
           std::all_of(values.begin(), values.end(),
                       [&](const Json& value) { return (value.*is)(); });
  };
  if (all(&Json::is_boolean)) {
    for (const Json& value : values) {
      option.values.emplace_back(value.get<bool>() ? "yes" : "no");
    }
    option.spec = OptionSpec::Switch(name, "");
  } else if (all(&Json::is_number_integer)) {
    std::vector<std::int64_t> numbers;
    for (const Json& value : values) {
      ASSIGN_OR_RETURN(
          numbers.emplace_back(),
          WholeNumberOf(value,
                        absl::StrCat("a value of the option '", name, "'")));
      option.values.push_back(absl::StrCat(numbers.back()));
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
  const std::string what = "a description";
  ASSIGN_OR_RETURN(description.name, NameOf(json, what));
  ASSIGN_OR_RETURN(const Json* const inputs, ListOf(json, what, "inputs"));
  for (const Json& input : *inputs) {
    ASSIGN_OR_RETURN(description.inputs.emplace_back(), InputOf(input));
  }
  ASSIGN_OR_RETURN(const Json* const options,
                   ListOf(json, what, "options", false));
  for (const Json& option : *options) {
    ASSIGN_OR_RETURN(description.options.emplace_back(), OptionOf(option));
  }
  ASSIGN_OR_RETURN(const Json* const sizes,
                   ListOf(json, what, "boundaries", false));
  for (const Json& size : *sizes) {
    ASSIGN_OR_RETURN(description.boundaries.emplace_back(),
                     WholeNumberOf(size, "a boundary"));
  }
  if (json.contains("largest_size")) {
    ASSIGN_OR_RETURN(description.largest_size,
                     WholeNumberOf(json["largest_size"], "the largest size"));
  }
  for (const auto& [name, bound] :
       {std::pair("absolute", &function.allowance.absolute),
        std::pair("relative", &function.allowance.relative)}) {
    if (!json.contains(name)) continue;
    ASSIGN_OR_RETURN(*bound,
                     NumberOf(json[name], absl::StrCat("'", name, "'")));
  }
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
    return InvalidArgumentError("this is no description: ",
                                JsonProblem(exception));
  }
}

}  // namespace concord::bindings
