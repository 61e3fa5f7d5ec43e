// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/tools/concord/algorithm_arguments.h"

#include <sys/stat.h>
#include <unistd.h>

#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "concord/core/errors.h"
#include "concord/core/file.h"
#include "concord/core/file_sink.h"
#include "concord/core/functions.h"

namespace concord {
namespace {

// What stands for the option's value in its help.
std::string Placeholder(const OptionSpec& option) {
  switch (option.kind) {
    case OptionSpec::Kind::kChoice:
      return absl::StrJoin(option.choices, "|");
    case OptionSpec::Kind::kNumber:
      return "NUMBER";
    case OptionSpec::Kind::kText:
      return "TEXT";
    case OptionSpec::Kind::kFile:
    case OptionSpec::Kind::kOutput:
      return "FILE";
    case OptionSpec::Kind::kSwitch:
      break;
  }
  return "";
}

CLI::Option* Declare(const SignatureData& signature, const OptionSpec& option,
                     const std::shared_ptr<AlgorithmArguments>& arguments,
                     CLI::App& command, OutputOptions outputs) {
  const std::string flag = "--" + option.name;
  const bool is_output = option.kind == OptionSpec::Kind::kOutput;
  std::string help = Explanation(option);
  if (option.name == signature.function.option) {
    absl::StrAppend(&help, "; @FILE for a function in a file");
  }
  if (option.kind == OptionSpec::Kind::kSwitch ||
      (is_output && outputs == OutputOptions::kSwitches)) {
    return command.add_flag_callback(
        flag,
        [arguments, name = option.name] { arguments->options[name] = "yes"; },
        Explanation(option));
  }
  return command
      .add_option_function<std::string>(
          flag,
          [arguments, option, is_output,
           output = is_output ? OutputOf(signature, option)
                              : ""](const std::string& value) {
            arguments->options[option.name] = is_output ? "yes" : value;
            if (is_output) arguments->output_files[output] = value;
          },
          help)
      ->type_name(Placeholder(option));
}

// Refuses two inputs that are one stream: what the first has read is gone for
// the second. `files` are all that will be read, by the options that name them.
absl::Status CheckStreams(const std::map<std::string, std::string>& files) {
  std::map<std::pair<dev_t, ino_t>, std::string> streams;
  for (const auto& [name, path] : files) {
    struct stat facts;
    const bool standard = path == "-";
    const int unknown =
        standard ? fstat(STDIN_FILENO, &facts) : stat(path.c_str(), &facts);
    // What cannot be read says so when it is read.
    if (unknown) continue;
    // Only "-" goes on in a file where the last reader has stopped.
    if (!standard && !S_ISFIFO(facts.st_mode) && !S_ISSOCK(facts.st_mode)) {
      continue;
    }
    const auto [found, is_new] =
        streams.emplace(std::pair(facts.st_dev, facts.st_ino), name);
    if (is_new) continue;
    return InvalidArgumentError(
        "--", found->second, " and --", name, " are both ", SourceName(path),
        ", which can be read only once; give one of them a file");
  }
  return absl::OkStatus();
}

// The files of the inputs, by the options that name them.
std::map<std::string, std::string> InputFiles(
    const Algorithm& algorithm, const AlgorithmArguments& arguments) {
  std::map<std::string, std::string> files;
  if (!arguments.input.empty()) files["input"] = arguments.input;
  for (const OptionSpec& option : algorithm.options()) {
    const auto given = arguments.options.find(option.name);
    if (option.kind == OptionSpec::Kind::kFile &&
        given != arguments.options.end()) {
      files[option.name] = given->second;
    }
  }
  return files;
}

// Replaces `@FILE` by the text in the file. In all other options "@" is a
// letter.
absl::Status ReadFunctions(const Algorithm& algorithm,
                           AlgorithmArguments& arguments) {
  std::map<std::string, std::string> texts;
  for (const auto& [name, value] : arguments.options) {
    if (absl::StartsWith(value, "@") && TakesFunction(algorithm, name)) {
      texts.emplace(name, value.substr(1));
    }
  }
  std::map<std::string, std::string> files = InputFiles(algorithm, arguments);
  files.insert(texts.begin(), texts.end());
  RETURN_IF_ERROR(CheckStreams(files));
  for (const auto& [name, path] : texts) {
    ASSIGN_OR_RETURN(std::string text, ReadFile(path));
    absl::StripTrailingAsciiWhitespace(&text);
    arguments.options[name] = std::move(text);
  }
  return absl::OkStatus();
}

}  // namespace

std::string Usage(const OptionSpec& option) {
  const std::string value = Placeholder(option);
  return absl::StrCat("--", option.name, value.empty() ? "" : "=", value);
}

std::string Explanation(const OptionSpec& option) {
  std::string text = option.help;
  if (option.kind == OptionSpec::Kind::kNumber) {
    absl::StrAppend(&text, ", ", RangeOf(option));
  }
  if (!option.default_value.empty()) {
    absl::StrAppend(&text, " [default ", option.default_value, "]");
  }
  return text;
}

absl::Status AlgorithmArguments::TakeFunction() {
  ASSIGN_OR_RETURN(const Algorithm* const named, FindAlgorithm(algorithm));
  unread = ReadFunctions(*named, *this);
  asked = algorithm;
  // The caller first comes to where all replicas are.
  if (!unread.ok()) return absl::OkStatus();
  ASSIGN_OR_RETURN(const ProgramCall call, AsProgram(*named, options));
  if (call.algorithm != named) absl::StrAppend(&asked, " with a function");
  algorithm = call.algorithm->name();
  options = call.options;
  return absl::OkStatus();
}

absl::StatusOr<LoadRequest> AlgorithmArguments::Request(
    const Algorithm& of) const {
  RETURN_IF_ERROR(unread);
  LoadRequest request;
  request.files = InputFiles(of, *this);
  for (const OptionSpec& option : of.options()) {
    const auto given = options.find(option.name);
    if (given == options.end() || option.kind == OptionSpec::Kind::kFile) {
      continue;
    }
    request.options[option.name] = given->second;
  }
  if (!type.empty()) {
    ASSIGN_OR_RETURN(request.type, ParseElementType(type));
  }
  RETURN_IF_ERROR(CheckStreams(request.files));
  return request;
}

absl::StatusOr<LoadedCase> AlgorithmArguments::LoadFor(
    const AlgorithmSpec& spec) const {
  ASSIGN_OR_RETURN(LoadRequest request, Request(spec.algorithm()));
  return LoadCase(spec, request);
}

std::shared_ptr<AlgorithmArguments> AddAlgorithmArguments(
    const CommandLine& line, CLI::App& command, OutputOptions outputs) {
  auto arguments = std::make_shared<AlgorithmArguments>();
  command.add_option("ALGORITHM", arguments->algorithm, "What to compute")
      ->required();
  command
      .add_option("--input", arguments->input,
                  "The file to read; - is standard input")
      ->type_name("FILE");
  command
      .add_option("--type", arguments->type,
                  "Element type of --input, if that is text [default int64 for "
                  "whole numbers, otherwise float64]")
      ->type_name("TYPE");
  if (line.algorithm == nullptr) {
    std::vector<std::string> names;
    for (const AlgorithmSpec* spec : AllSpecs()) {
      names.push_back(absl::StrCat(spec->name(), " (", spec->summary(), ")"));
    }
    command.footer(absl::StrCat("Algorithms: ", absl::StrJoin(names, ", "),
                                ". With one of them, --help shows its own "
                                "options as well."));
    return arguments;
  }
  for (const OptionSpec& option : line.algorithm->options()) {
    Declare(line.algorithm->algorithm().signature(), option, arguments, command,
            outputs)
        ->group(absl::StrCat("Options of ", line.algorithm->name()));
  }
  return arguments;
}

}  // namespace concord
