// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/core/file_format.h"

#include <utility>

#include "concord/core/array_io.h"
#include "concord/core/errors.h"
#include "concord/core/guarded.h"

namespace concord {
namespace {

std::map<std::string, const FileFormat*>& Formats() {
  static auto* const formats = new std::map<std::string, const FileFormat*>();
  return *formats;
}

}  // namespace

absl::StatusOr<LoadedInputs> FileFormat::Load(
    const Algorithm& algorithm, const LoadRequest& request) const {
  return Guarded([&] { return LoadFiles(algorithm, request); });
}

absl::Status FileFormat::Save(const Results& results,
                              const std::string& path) const {
  return Guarded([&] { return SaveFile(results, path); });
}

absl::StatusOr<LoadedInputs> FileFormat::LoadFiles(
    const Algorithm& algorithm, const LoadRequest& request) const {
  LoadedInputs loaded;
  ASSIGN_OR_RETURN(loaded.options, CompleteOptions(algorithm, request.options));
  for (const InputSpec& input : algorithm.signature().inputs) {
    const std::string option = FileOption(algorithm.signature(), input);
    const auto path = request.files.find(option);
    if (path == request.files.end()) {
      if (input.optional) continue;
      return InvalidArgumentError("--", option, "=FILE is needed");
    }
    // --type is that of the first.
    ASSIGN_OR_RETURN(std::shared_ptr<const Source> source,
                     OpenArray(path->second, option == "input" ? request.type
                                                               : std::nullopt));
    loaded.inputs.emplace(input.name, std::move(source));
  }
  return loaded;
}

std::optional<std::string> FileFormat::FormatInput(
    const Algorithm& algorithm, const std::map<std::string, HostArray>& inputs,
    const OptionMap&) const {
  const auto first = inputs.find(algorithm.signature().inputs.front().name);
  if (first == inputs.end() || first->second.shape().size() != 1) {
    return std::nullopt;
  }
  return FormatText(first->second);
}

absl::Status FileFormat::SaveFile(const Results&, const std::string&) const {
  return UnimplementedError("results are written as arrays");
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

absl::Status CheckType(const LoadRequest& request, ElementType type) {
  if (!request.type.has_value() || *request.type == type) {
    return absl::OkStatus();
  }
  return InvalidArgumentError("--type=", Name(*request.type),
                              ": text is read as ", Name(type), " here");
}

absl::StatusOr<std::string> InputPath(const LoadRequest& request,
                                      absl::string_view wanted) {
  const auto path = request.files.find("input");
  if (path != request.files.end()) return path->second;
  return InvalidArgumentError("--input=FILE is needed",
                              wanted.empty() ? "" : ", ", wanted);
}

std::shared_ptr<const Source> SourceOf(HostArray array) {
  auto owned = std::make_shared<const HostArray>(std::move(array));
  return std::make_shared<ArraySource>(owned->view(), owned);
}

}  // namespace concord
