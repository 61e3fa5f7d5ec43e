// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/core/file_format.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "concord/core/array_io.h"

namespace concord {
namespace {

std::map<std::string, const FileFormat*>& Formats() {
  static auto* const formats = new std::map<std::string, const FileFormat*>();
  return *formats;
}

}  // namespace

absl::StatusOr<LoadedInputs> FileFormat::Load(
    const Algorithm& algorithm, const LoadRequest& request) const {
  absl::StatusOr<OptionMap> complete =
      CompleteOptions(algorithm, request.options);
  if (!complete.ok()) return complete.status();
  LoadedInputs loaded;
  loaded.options = *std::move(complete);
  for (const InputSpec& input : algorithm.signature().inputs) {
    const std::string option = FileOption(algorithm.signature(), input);
    const auto path = request.files.find(option);
    if (path == request.files.end()) {
      if (input.optional) continue;
      return absl::InvalidArgumentError(
          absl::StrCat("--", option, "=FILE is needed"));
    }
    // --type is that of the first.
    absl::StatusOr<std::shared_ptr<const Source>> source = OpenArray(
        path->second, option == "input" ? request.type : std::nullopt);
    if (!source.ok()) return source.status();
    loaded.inputs.emplace(input.name, *std::move(source));
  }
  return loaded;
}

std::optional<std::string> FileFormat::FormatInput(
    const Algorithm& algorithm, const std::map<std::string, HostArray>& inputs,
    const OptionMap&) const {
  const HostArray& first = inputs.at(algorithm.signature().inputs.front().name);
  if (first.shape().size() != 1) return std::nullopt;
  return FormatText(first);
}

absl::Status FileFormat::Save(const Results&, const std::string&) const {
  return absl::UnimplementedError("results are written as arrays");
}

bool RegisterFileFormat(const std::string& algorithm,
                        const FileFormat* format) {
  Formats().emplace(algorithm, format);
  return true;
}

const FileFormat& FileFormatOf(const Algorithm& algorithm) {
  static const auto* const arrays = new FileFormat();
  const auto own = Formats().find(algorithm.name());
  return own == Formats().end() ? *arrays : *own->second;
}

std::string FileOption(const SignatureData& signature, const InputSpec& input) {
  if (input.name == signature.inputs.front().name) return "input";
  const std::string& option =
      input.file_option.empty() ? input.name : input.file_option;
  for (const OptionSpec& spec : signature.options) {
    if (spec.kind == OptionSpec::Kind::kFile && spec.name == option) {
      return option;
    }
  }
  return "";
}

absl::StatusOr<std::string> InputPath(const LoadRequest& request,
                                      absl::string_view wanted) {
  const auto path = request.files.find("input");
  if (path != request.files.end()) return path->second;
  return absl::InvalidArgumentError(absl::StrCat(
      "--input=FILE is needed", wanted.empty() ? "" : ", ", wanted));
}

std::shared_ptr<const Source> SourceOf(HostArray array) {
  auto owned = std::make_shared<const HostArray>(std::move(array));
  return std::make_shared<ArraySource>(owned->view(), owned);
}

}  // namespace concord
