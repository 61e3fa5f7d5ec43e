// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/testing/engine/failure_file.h"

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <limits>
#include <type_traits>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "concord/core/errors.h"
#include "concord/core/file.h"
#include "concord/core/hash.h"
#include "concord/core/output_file.h"
#include "concord/testing/engine/json_problem.h"
#include "concord/testing/engine/record_check.h"
#include "nlohmann/json.hpp"

namespace concord {
namespace {

using Json = nlohmann::ordered_json;

constexpr char kFormat[] = "concord failure 1";
constexpr char kNanPrefix[] = "nan:";

template <typename T>
Json ToJson(T value) {
  if constexpr (std::is_floating_point_v<T>) {
    if (!std::isnan(value)) return ElementToString(value);
    using Bits =
        std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    Bits bits;
    std::memcpy(&bits, &value, sizeof(bits));
    return absl::StrCat(kNanPrefix, absl::Hex(bits));
  } else {
    return value;
  }
}

template <typename T>
bool FromJson(const Json& json, T& value) {
  if constexpr (std::is_floating_point_v<T>) {
    if (!json.is_string()) return false;
    absl::string_view text = json.get_ref<const std::string&>();
    if (!absl::ConsumePrefix(&text, kNanPrefix)) {
      // They round correctly, know "inf" and ask no locale.
      bool is_number;
      if constexpr (std::is_same_v<T, float>) {
        is_number = absl::SimpleAtof(text, &value);
      } else {
        is_number = absl::SimpleAtod(text, &value);
      }
      return is_number &&
             (std::isfinite(value) || text == "inf" || text == "-inf");
    }
    using Bits =
        std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    Bits bits;
    if (!absl::SimpleHexAtoi(text, &bits)) return false;
    std::memcpy(&value, &bits, sizeof(value));
    return true;
  } else {
    using Limits = std::numeric_limits<T>;
    if (json.is_number_unsigned()) {
      const auto number = json.get<std::uint64_t>();
      value = static_cast<T>(number);
      return number <= static_cast<std::uint64_t>(Limits::max());
    }
    if (!json.is_number_integer()) return false;
    const auto number = json.get<std::int64_t>();
    value = static_cast<T>(number);
    return number >= static_cast<std::int64_t>(Limits::min());
  }
}

Json ToJson(const HostArray& array) {
  Json values = Json::array();
  Dispatch(array.type(), [&](auto tag) {
    for (auto value : array.span<typename decltype(tag)::type>()) {
      values.push_back(ToJson(value));
    }
  });
  return {{"type", Name(array.type())},
          {"shape", array.shape()},
          {"values", std::move(values)}};
}

// Where a number of the format is another kind of value, or does not fit.
absl::Status NoNumber(absl::string_view field) {
  return InvalidArgumentError("'", field,
                              "' is no whole number that it can be");
}

// The elements are counted before there is an array, so that it takes no more
// memory than its text.
absl::StatusOr<std::vector<std::int64_t>> ShapeFromJson(const Json& json,
                                                        const Json& values) {
  std::vector<std::int64_t> shape;
  std::int64_t size = 1;
  bool fits = json.is_array() && values.is_array();
  for (const Json& extent : json) {
    fits = fits && FromJson(extent, shape.emplace_back()) &&
           shape.back() >= 0 &&
           !__builtin_mul_overflow(size, shape.back(), &size);
  }
  if (!fits || shape.empty() || shape.size() > Shape::kMostDimensions) {
    return InvalidArgumentError("a shape that is none");
  }
  if (size == static_cast<std::int64_t>(values.size())) return shape;
  return InvalidArgumentError(values.size(), " values for ", size, " elements");
}

absl::StatusOr<HostArray> ArrayFromJson(const Json& json) {
  ASSIGN_OR_RETURN(ElementType type,
                   ParseElementType(json.at("type").get<std::string>()));
  const Json& values = json.at("values");
  ASSIGN_OR_RETURN(std::vector<std::int64_t> shape,
                   ShapeFromJson(json.at("shape"), values));
  HostArray array(type, std::move(shape));
  bool ok = true;
  Dispatch(type, [&](auto tag) {
    auto* element = array.data<typename decltype(tag)::type>();
    for (const Json& value : values) ok = ok && FromJson(value, *element++);
  });
  if (ok) return array;
  return InvalidArgumentError("a value that is no ", Name(type));
}

Json ToJson(const CaseRequest& request) {
  return {{"size", request.size},
          {"type", Name(request.type)},
          {"distribution", request.distribution},
          {"options", request.options},
          {"seed", request.seed}};
}

// Options that the algorithm has learnt since are as they are by default.
absl::StatusOr<OptionMap> OptionsFromJson(const Json& json,
                                          const AlgorithmSpec& spec) {
  return CompleteOptions(spec.options(), json.at("options").get<OptionMap>());
}

absl::StatusOr<CaseRequest> RequestFromJson(const Json& json,
                                            const AlgorithmSpec& spec) {
  ASSIGN_OR_RETURN(ElementType type,
                   ParseElementType(json.at("type").get<std::string>()));
  ASSIGN_OR_RETURN(OptionMap options, OptionsFromJson(json, spec));
  CaseRequest request;
  request.type = type;
  request.distribution = json.at("distribution").get<std::string>();
  request.options = std::move(options);
  if (!FromJson(json.at("size"), request.size)) return NoNumber("size");
  if (!FromJson(json.at("seed"), request.seed)) return NoNumber("seed");
  return request;
}

absl::StatusOr<Case> CaseFromJson(const Json& json, const AlgorithmSpec& spec) {
  ASSIGN_OR_RETURN(ElementType type,
                   ParseElementType(json.at("type").get<std::string>()));
  ASSIGN_OR_RETURN(OptionMap options, OptionsFromJson(json, spec));
  Case test_case;
  test_case.label = json.at("label").get<std::string>();
  test_case.type = type;
  test_case.options = std::move(options);
  for (const auto& [name, value] :
       json.at("inputs").get_ref<const Json::object_t&>()) {
    ASSIGN_OR_RETURN(HostArray array, ArrayFromJson(value));
    test_case.inputs.emplace(name, std::move(array));
  }
  return test_case;
}

// `known` is the subject, where it is not the registry's.
absl::StatusOr<FailureRecord> FromJson(const Json& json, const Subject* known) {
  if (json.at("format") != kFormat) {
    return InvalidArgumentError("its format is not '", kFormat, "'");
  }
  FailureRecord record;
  record.implementation = json.at("implementation").get<std::string>();
  record.kind = json.at("kind").get<std::string>();
  record.message = json.at("message").get<std::string>();
  Trial& trial = record.trial;
  trial.backend = json.at("backend").get<std::string>();
  trial.placement = json.at("placement").get<std::string>();
  trial.law = json.at("law").get<std::string>();
  if (!FromJson(json.at("repetitions"), trial.repetitions)) {
    return NoNumber("repetitions");
  }
  trial.also_on = json.at("also_on").get<std::vector<std::string>>();
  Subject subject;
  if (known != nullptr) {
    subject = *known;
  } else {
    ASSIGN_OR_RETURN(subject, FindSubject(record.implementation));
  }
  const AlgorithmSpec& spec = *subject.spec;
  absl::StatusOr<Case> test_case;
  if (json.contains("case")) {
    test_case = CaseFromJson(json.at("case"), spec);
  } else {
    ASSIGN_OR_RETURN(CaseRequest request,
                     RequestFromJson(json.at("request"), spec));
    RETURN_IF_ERROR(CheckRequest(subject, request));
    test_case = spec.Generate(request);
    trial.request = std::move(request);
  }
  if (!test_case.ok()) return test_case.status();
  trial.test_case = *std::move(test_case);
  return record;
}

absl::StatusOr<FailureRecord> Parse(const Subject* known,
                                    absl::string_view text,
                                    absl::string_view source) {
  absl::Status problem;
  // The one place where exceptions of the JSON library end.
  try {
    absl::StatusOr<FailureRecord> record = FromJson(Json::parse(text), known);
    if (record.ok()) return record;
    problem = record.status();
  } catch (const Json::exception& exception) {
    problem = InvalidArgumentError(JsonProblem(exception));
  }
  return InvalidArgumentError("'", source,
                              "' is not a saved failure: ", problem.message());
}

// Of the options for tuning, those that the implementation has: the others
// change nothing, and a build without their variants does not know them.
OptionMap OptionsToSave(const FailureRecord& record, const OptionMap& options) {
  const absl::StatusOr<Subject> subject = FindSubject(record.implementation);
  if (!subject.ok()) return options;
  OptionMap saved = WithoutTuning(options, subject->spec->implementations());
  for (const OptionSpec& own : subject->implementation.tuning) {
    const auto given = options.find(own.name);
    if (given != options.end()) saved.insert(*given);
  }
  return saved;
}

}  // namespace

std::int64_t ElementsOf(const Case& test_case) {
  std::int64_t elements = 0;
  for (const auto& [name, value] : test_case.inputs) elements += value.size();
  return elements;
}

std::string FormatFailure(const FailureRecord& record) {
  const Trial& trial = record.trial;
  Json json = {
      {"format", kFormat},        {"implementation", record.implementation},
      {"kind", record.kind},      {"message", record.message},
      {"backend", trial.backend}, {"placement", trial.placement},
      {"law", trial.law},         {"repetitions", trial.repetitions},
      {"also_on", trial.also_on}};
  // A case without inputs is one that Generate refused.
  if (trial.request.has_value() &&
      (ElementsOf(trial.test_case) > kMostElementsInFile ||
       trial.test_case.inputs.empty())) {
    CaseRequest request = *trial.request;
    request.options = OptionsToSave(record, request.options);
    json["request"] = ToJson(request);
  } else {
    Json inputs = Json::object();
    for (const auto& [name, value] : trial.test_case.inputs) {
      inputs[name] = ToJson(value);
    }
    json["case"] = {{"label", trial.test_case.label},
                    {"type", Name(trial.test_case.type)},
                    {"options", OptionsToSave(record, trial.test_case.options)},
                    {"inputs", std::move(inputs)}};
  }
  // Labels and messages may quote any bytes.
  return json.dump(1, ' ', /*ensure_ascii=*/false,
                   Json::error_handler_t::replace) +
         "\n";
}

absl::StatusOr<FailureRecord> ParseFailure(absl::string_view text,
                                           absl::string_view source) {
  return Parse(nullptr, text, source);
}

absl::StatusOr<FailureRecord> ParseFailureOf(const Subject& subject,
                                             absl::string_view text,
                                             absl::string_view source) {
  return Parse(&subject, text, source);
}

absl::StatusOr<std::string> SaveFailure(const FailureRecord& record,
                                        const std::string& folder) {
  namespace fs = std::filesystem;
  std::error_code error;
  fs::path where = folder;
  if (where.empty()) {
    const char* outputs = std::getenv("TEST_UNDECLARED_OUTPUTS_DIR");
    where =
        outputs != nullptr ? fs::path(outputs) : fs::temp_directory_path(error);
  }
  fs::create_directories(where, error);
  const std::string text = FormatFailure(record);
  const fs::path path =
      where /
      absl::StrCat(absl::StrReplaceAll(record.implementation, {{"/", "_"}}),
                   "_", absl::Hex(HashOf(text), absl::kZeroPad16), ".json");
  RETURN_IF_ERROR(WriteFile(path.string(), text));
  return path.string();
}

absl::StatusOr<FailureRecord> LoadFailure(const std::string& path) {
  ASSIGN_OR_RETURN(const std::string text, ReadFile(path));
  return ParseFailure(text, SourceName(path));
}

}  // namespace concord
