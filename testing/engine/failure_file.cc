// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/testing/engine/failure_file.h"

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <type_traits>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "concord/core/file.h"
#include "concord/core/output_file.h"
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
      // strtof and strtod round correctly and know "inf".
      char* end = nullptr;
      const std::string copy(text);
      value = std::is_same_v<T, float>
                  ? static_cast<T>(std::strtof(copy.c_str(), &end))
                  : static_cast<T>(std::strtod(copy.c_str(), &end));
      return !copy.empty() && *end == '\0';
    }
    using Bits =
        std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    Bits bits;
    if (!absl::SimpleHexAtoi(text, &bits)) return false;
    std::memcpy(&value, &bits, sizeof(value));
    return true;
  } else {
    if (!json.is_number_integer()) return false;
    value = json.get<T>();
    // Not so when it does not fit.
    return Json(value) == json;
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

absl::StatusOr<HostArray> ArrayFromJson(const Json& json) {
  absl::StatusOr<ElementType> type =
      ParseElementType(json.at("type").get<std::string>());
  if (!type.ok()) return type.status();
  HostArray array(*type, json.at("shape").get<std::vector<std::int64_t>>());
  const Json& values = json.at("values");
  if (static_cast<std::int64_t>(values.size()) != array.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat(values.size(), " values for ", array.size(), " elements"));
  }
  bool ok = true;
  Dispatch(*type, [&](auto tag) {
    auto* element = array.data<typename decltype(tag)::type>();
    for (const Json& value : values) ok = ok && FromJson(value, *element++);
  });
  if (ok) return array;
  return absl::InvalidArgumentError(
      absl::StrCat("a value that is no ", Name(*type)));
}

Json ToJson(const CaseRequest& request) {
  return {{"size", request.size},
          {"type", Name(request.type)},
          {"distribution", request.distribution},
          {"options", request.options},
          {"seed", request.seed}};
}

absl::StatusOr<CaseRequest> RequestFromJson(const Json& json) {
  absl::StatusOr<ElementType> type =
      ParseElementType(json.at("type").get<std::string>());
  if (!type.ok()) return type.status();
  return CaseRequest{json.at("size").get<std::int64_t>(), *type,
                     json.at("distribution").get<std::string>(),
                     json.at("options").get<OptionMap>(),
                     json.at("seed").get<std::uint64_t>()};
}

absl::StatusOr<Case> CaseFromJson(const Json& json) {
  absl::StatusOr<ElementType> type =
      ParseElementType(json.at("type").get<std::string>());
  if (!type.ok()) return type.status();
  Case test_case;
  test_case.label = json.at("label").get<std::string>();
  test_case.type = *type;
  test_case.options = json.at("options").get<OptionMap>();
  for (const auto& [name, value] : json.at("inputs").items()) {
    absl::StatusOr<HostArray> array = ArrayFromJson(value);
    if (!array.ok()) return array.status();
    test_case.inputs.emplace(name, *std::move(array));
  }
  return test_case;
}

std::int64_t ElementsOf(const Case& test_case) {
  std::int64_t elements = 0;
  for (const auto& [name, value] : test_case.inputs) elements += value.size();
  return elements;
}

absl::StatusOr<FailureRecord> FromJson(const Json& json) {
  if (json.at("format") != kFormat) {
    return absl::InvalidArgumentError(
        absl::StrCat("its format is not '", kFormat, "'"));
  }
  FailureRecord record;
  record.implementation = json.at("implementation").get<std::string>();
  record.kind = json.at("kind").get<std::string>();
  record.message = json.at("message").get<std::string>();
  Trial& trial = record.trial;
  trial.backend = json.at("backend").get<std::string>();
  trial.placement = json.at("placement").get<std::string>();
  trial.law = json.at("law").get<std::string>();
  trial.repetitions = json.at("repetitions").get<int>();
  trial.also_on = json.at("also_on").get<std::vector<std::string>>();
  if (json.contains("case")) {
    absl::StatusOr<Case> test_case = CaseFromJson(json.at("case"));
    if (!test_case.ok()) return test_case.status();
    trial.test_case = *std::move(test_case);
    return record;
  }
  absl::StatusOr<CaseRequest> request = RequestFromJson(json.at("request"));
  if (!request.ok()) return request.status();
  const std::vector<std::string> names =
      absl::StrSplit(record.implementation, '/');
  absl::StatusOr<const AlgorithmSpec*> spec = FindSpec(names.front());
  if (!spec.ok()) return spec.status();
  absl::StatusOr<Case> test_case = (*spec)->Generate(*request);
  if (!test_case.ok()) return test_case.status();
  trial.test_case = *std::move(test_case);
  trial.request = *std::move(request);
  return record;
}

}  // namespace

std::string FormatFailure(const FailureRecord& record) {
  const Trial& trial = record.trial;
  Json json = {
      {"format", kFormat},        {"implementation", record.implementation},
      {"kind", record.kind},      {"message", record.message},
      {"backend", trial.backend}, {"placement", trial.placement},
      {"law", trial.law},         {"repetitions", trial.repetitions},
      {"also_on", trial.also_on}};
  if (trial.request.has_value() &&
      ElementsOf(trial.test_case) > kMostElementsInFile) {
    json["request"] = ToJson(*trial.request);
  } else {
    Json inputs = Json::object();
    for (const auto& [name, value] : trial.test_case.inputs) {
      inputs[name] = ToJson(value);
    }
    json["case"] = {{"label", trial.test_case.label},
                    {"type", Name(trial.test_case.type)},
                    {"options", trial.test_case.options},
                    {"inputs", std::move(inputs)}};
  }
  return json.dump(1) + "\n";
}

absl::StatusOr<FailureRecord> ParseFailure(absl::string_view text,
                                           absl::string_view source) {
  absl::Status problem;
  // The one place where exceptions of the JSON library end.
  try {
    absl::StatusOr<FailureRecord> record = FromJson(Json::parse(text));
    if (record.ok()) return record;
    problem = record.status();
  } catch (const Json::exception& exception) {
    problem = absl::InvalidArgumentError(exception.what());
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "'", source, "' is not a saved failure: ", problem.message()));
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
  // FNV-1a, which is the same on every machine.
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (unsigned char byte : text) hash = (hash ^ byte) * 0x100000001b3u;
  const fs::path path =
      where /
      absl::StrCat(absl::StrReplaceAll(record.implementation, {{"/", "_"}}),
                   "_", absl::Hex(hash, absl::kZeroPad16), ".json");
  if (absl::Status status = WriteFile(path.string(), text); !status.ok()) {
    return status;
  }
  return path.string();
}

absl::StatusOr<FailureRecord> LoadFailure(const std::string& path) {
  const absl::StatusOr<std::string> text = ReadFile(path);
  if (!text.ok()) return text.status();
  return ParseFailure(*text, SourceName(path));
}

}  // namespace concord
