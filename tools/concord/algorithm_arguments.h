// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_TOOLS_CONCORD_ALGORITHM_ARGUMENTS_H_
#define CONCORD_TOOLS_CONCORD_ALGORITHM_ARGUMENTS_H_

#include <map>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "concord/core/options.h"
#include "concord/core/spec.h"
#include "concord/tools/concord/command_line.h"

namespace concord {

// What the commands that run one algorithm have in common: its name, its own
// options, and where its input is.
struct AlgorithmArguments {
  std::string algorithm;
  // What messages call it: the name that was given, where a function of the
  // user's has made it another.
  std::string asked;
  std::string input;
  std::string type;
  OptionMap options;
  // The outputs that go to files of their own.
  std::map<std::string, std::string> output_files;

  // What Request returns instead: a program or a function could not be read.
  absl::Status unread;

  // Reads the programs and functions that are in files, `@FILE`. Where an
  // option is a function of the user's, these are from now on the arguments of
  // the algorithm that runs it. NotFound or InvalidArgument: the algorithm, or
  // an option beside the function.
  absl::Status TakeFunction();
  // NotFound lists the algorithms there are.
  absl::StatusOr<const AlgorithmSpec*> Spec() const {
    return FindSpec(algorithm);
  }
  // Where the inputs are. InvalidArgument: the type. What is `unread`.
  absl::StatusOr<LoadRequest> Request(const Algorithm& algorithm) const;
  // NotFound or InvalidArgument: an option or the input.
  absl::StatusOr<LoadedCase> LoadFor(const AlgorithmSpec& spec) const;
};

// What options such as --output-indices take: a file to write, or nothing where
// results are computed but not kept.
enum class OutputOptions { kFiles, kSwitches };

// For people: "--op=add|max", and what it means.
std::string Usage(const OptionSpec& option);
std::string Explanation(const OptionSpec& option);

// Declares them on `command`. Filled in when the command line has been read.
std::shared_ptr<AlgorithmArguments> AddAlgorithmArguments(
    const CommandLine& line, CLI::App& command, OutputOptions outputs);

}  // namespace concord

#endif  // CONCORD_TOOLS_CONCORD_ALGORITHM_ARGUMENTS_H_
