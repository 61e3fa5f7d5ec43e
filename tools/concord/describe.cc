// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// `concord describe`: what an algorithm takes and gives, for people and
// programs.

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "concord/core/algorithm.h"
#include "concord/core/errors.h"
#include "concord/core/file_format.h"
#include "concord/tools/concord/algorithm_arguments.h"
#include "concord/tools/concord/command_line.h"
#include "concord/tools/concord/descriptions.h"
#include "concord/tools/concord/help.h"
#include "concord/tools/concord/text.h"

namespace concord {
namespace {

std::string NameAndShape(const std::string& name,
                         const std::vector<std::string>& shape) {
  return absl::StrCat(name, " [", absl::StrJoin(shape, ", "), "]");
}

std::string AsText(const SignatureData& signature, const InputSpec& input) {
  std::string text = absl::StrCat(input.types.size() == AllElementTypes().size()
                                      ? "any type"
                                      : AnyOf(input.types),
                                  "; ", input.help);
  if (input.optional) text += "; optional";
  const std::string option = FileOption(signature, input);
  absl::StrAppend(&text, "; from ",
                  option.empty() ? "the file of another" : "--", option);
  return HelpEntry(NameAndShape(input.name, input.shape), text);
}

std::string AsText(const OutputText& output) {
  std::string text = absl::StrCat(output.type, "; ", output.help);
  if (!output.when.empty()) absl::StrAppend(&text, "; ", output.when);
  if (!output.size_in.empty()) {
    absl::StrAppend(
        &text,
        output.shape.size() == 2 ? "; as many rows as " : "; as many as ",
        output.size_in, " says, the shape is the room for them");
  }
  if (!output.in_place_of.empty()) {
    absl::StrAppend(&text, "; may be written over ", output.in_place_of);
  }
  return HelpEntry(NameAndShape(output.name, output.shape), text);
}

std::string AsText(const Algorithm& algorithm) {
  const SignatureData& signature = algorithm.signature();
  std::string text = Wrapped(absl::StrCat(
      Painted(algorithm.name(), Colour::kBold), ": ", signature.summary));
  text += "\nInputs:\n";
  for (const InputSpec& input : signature.inputs) {
    text += AsText(signature, input);
  }
  const std::vector<OptionSpec> options = algorithm.options();
  if (!options.empty()) text += "\nOptions:\n";
  for (const OptionSpec& option : options) {
    const std::vector<std::string> variants = TunedBy(algorithm, option);
    text +=
        HelpEntry(Usage(option), absl::StrCat(Explanation(option),
                                              variants.empty() ? "" : "; of ",
                                              absl::StrJoin(variants, ", ")));
  }
  text += "\nOutputs:\n";
  for (const OutputText& output : signature.outputs) text += AsText(output);
  if (!signature.extents.empty()) text += "\nExtents:\n";
  for (const ExtentText& extent : signature.extents) {
    text += HelpEntry(
        extent.name,
        absl::StrCat(extent.words,
                     extent.data_of.empty() ? "" : "; depends on elements of ",
                     absl::StrJoin(extent.data_of, ", ")));
  }
  return text;
}

}  // namespace

void AddDescribeCommand(CommandLine& line) {
  struct Flags {
    std::string algorithm;
    bool json = false;
  };
  auto flags = std::make_shared<Flags>();
  CLI::App* const command =
      AddCommand(line, "describe", "Shows what an algorithm takes and gives",
                 [flags]() -> absl::StatusOr<ExitStatus> {
                   ASSIGN_OR_RETURN(const Algorithm* const algorithm,
                                    FindAlgorithm(flags->algorithm));
                   RETURN_IF_ERROR(Print(flags->json ? AsJson(*algorithm)
                                                     : AsText(*algorithm)));
                   return kDone;
                 });
  command->add_option("ALGORITHM", flags->algorithm, "Which")->required();
  command->add_flag("--json", flags->json, "Print JSON instead of text");
}

}  // namespace concord
