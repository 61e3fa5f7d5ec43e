// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_TOOLS_CONCORD_ALGORITHM_ARGUMENTS_H_
#define CONCORD_TOOLS_CONCORD_ALGORITHM_ARGUMENTS_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "core/options.h"
#include "core/spec.h"
#include "tools/concord/command_line.h"

namespace concord {

// What the commands that run one algorithm have in common: its name, its own
// options, and where its input is.
struct AlgorithmArguments {
  std::string algorithm;
  std::string input;
  std::string type;
  OptionMap options;

  // NotFound lists the algorithms there are.
  absl::StatusOr<const AlgorithmSpec*> Spec() const {
    return FindSpec(algorithm);
  }
  // NotFound or InvalidArgument: an option or the input.
  absl::StatusOr<LoadedCase> Load(const AlgorithmSpec& spec) const;
};

// Declares them on `command`. Filled in when the command line has been read.
std::shared_ptr<AlgorithmArguments> AddAlgorithmArguments(
    const CommandLine& line, CLI::App& command);

}  // namespace concord

#endif  // CONCORD_TOOLS_CONCORD_ALGORITHM_ARGUMENTS_H_
