// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "concord/algorithms/match_parens/match_parens.h"
#include "concord/core/errors.h"
#include "concord/core/file.h"
#include "concord/core/file_format.h"
#include "concord/core/npy.h"
#include "concord/core/output_file.h"

namespace concord::match_parens {
namespace {

// What no text has for anything but nesting. (Angle brackets also compare.)
constexpr absl::string_view kAlwaysBrackets = "()[]{}";

absl::Status Outside(const std::string& source, std::int64_t position,
                     const std::string& what, const std::string& kinds) {
  return InvalidArgumentError(source, ": element ", position, " is ", what,
                              ", no bracket of --kinds=\"", kinds, "\"");
}

// The numbers of any integer array as int8.
absl::StatusOr<HostArray> Numbers(const HostArray& array,
                                  const std::string& source,
                                  const std::string& kinds) {
  if (IsFloat(array.type())) {
    return InvalidArgumentError(
        source, " holds ", Name(array.type()),
        "; match_parens takes text or whole numbers, 1 for an opening bracket "
        "and -1 for a closing one");
  }
  const auto most = static_cast<std::int64_t>(kinds.size() / 2);
  HostArray numbers(ElementType::kInt8, {array.size()});
  RETURN_IF_ERROR(Dispatch(array.type(), [&](auto tag) -> absl::Status {
    using T = typename decltype(tag)::type;
    for (std::int64_t i = 0; i < array.size(); ++i) {
      const T value = array.data<T>()[i];
      const auto number = static_cast<std::int64_t>(value);
      const bool wrapped = number < 0 && value > T{0};
      if (wrapped || number < -most || number > most) {
        return Outside(source, i, array.ToString(i), kinds);
      }
      numbers.data<std::int8_t>()[i] = static_cast<std::int8_t>(number);
    }
    return absl::OkStatus();
  }));
  return numbers;
}

absl::StatusOr<HostArray> Text(absl::string_view content,
                               const std::string& source,
                               const std::string& kinds) {
  for (std::size_t i = 0; i < content.size(); ++i) {
    if (absl::StrContains(kAlwaysBrackets, content[i]) &&
        !absl::StrContains(kinds, content[i])) {
      return Outside(source, static_cast<std::int64_t>(i),
                     absl::StrCat("'", content.substr(i, 1), "'"), kinds);
    }
  }
  HostArray text(ElementType::kUInt8,
                 {static_cast<std::int64_t>(content.size())});
  std::copy(content.begin(), content.end(), text.data<char>());
  return text;
}

class MatchParensFiles : public FileFormat {
 public:
  // Any file is a text unless it is a .npy of numbers.
  absl::StatusOr<LoadedInputs> LoadFiles(
      const Algorithm& algorithm, const LoadRequest& request) const override {
    LoadedInputs loaded;
    ASSIGN_OR_RETURN(loaded.options,
                     CompleteOptions(algorithm, request.options));
    const std::string& kinds = loaded.options.at("kinds");
    RETURN_IF_ERROR(BracketsOf({kinds}, ElementType::kUInt8).status());
    ASSIGN_OR_RETURN(std::string path, InputPath(request, ""));
    ASSIGN_OR_RETURN(HostArray in, Read(path, request, kinds));
    loaded.inputs.emplace("in", SourceOf(std::move(in)));
    return loaded;
  }

  std::optional<std::string> FormatInput(
      const Algorithm&, const std::map<std::string, HostArray>& inputs,
      const OptionMap&) const override {
    const HostArray& in = inputs.at("in");
    if (in.type() != ElementType::kUInt8) return std::nullopt;
    return std::string(in.data<char>(), static_cast<std::size_t>(in.size()));
  }

  // "balanced" or "unbalanced at P"; a .npy has the position or -1.
  bool Saves(const std::string& path) const override {
    return !absl::EndsWith(path, ".npy");
  }
  absl::Status SaveFile(const Results& results,
                        const std::string& path) const override {
    const std::int64_t position = *results.at("fault").data<std::int64_t>();
    return WriteFile(
        path, position < 0 ? "balanced\n"
                           : absl::StrCat("unbalanced at ", position, "\n"));
  }

 private:
  static absl::StatusOr<HostArray> Read(const std::string& path,
                                        const LoadRequest& request,
                                        const std::string& kinds) {
    const std::string source = SourceName(path);
    ASSIGN_OR_RETURN(std::string content, ReadFile(path));
    if (content.empty() || !LooksLikeNpy(content)) {
      RETURN_IF_ERROR(CheckType(request, ElementType::kUInt8));
      return Text(content, source, kinds);
    }
    ASSIGN_OR_RETURN(HostArray array, ParseNpy(content, source));
    if (array.type() != ElementType::kUInt8) {
      return Numbers(array, source, kinds);
    }
    return Text({array.data<char>(), static_cast<std::size_t>(array.size())},
                source, kinds);
  }
};

const bool kRegistered =
    RegisterFileFormat(MatchParens::kName, new MatchParensFiles);

}  // namespace
}  // namespace concord::match_parens
