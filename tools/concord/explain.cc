// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// `concord explain`: what a call would do. Nothing runs.

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "concord/core/errors.h"
#include "concord/core/explanation.h"
#include "concord/core/file_format.h"
#include "concord/tools/concord/algorithm_arguments.h"
#include "concord/tools/concord/command_line.h"
#include "concord/tools/concord/descriptions.h"
#include "concord/tools/concord/text.h"

namespace concord {
namespace {

struct ExplainArguments {
  std::shared_ptr<AlgorithmArguments> algorithm;
  std::string assumed;
  bool json = false;
};

// "x:int32:1000,y:float64:50": inputs that are not there yet.
absl::Status AddAssumed(const std::string& assumed, Inputs& inputs) {
  if (assumed.empty()) return absl::OkStatus();
  std::set<std::string> names;
  for (const absl::string_view part : absl::StrSplit(assumed, ',')) {
    const std::vector<std::string> fields = absl::StrSplit(part, ':');
    std::int64_t size = 0;
    if (fields.size() != 3 || !absl::SimpleAtoi(fields[2], &size) || size < 0) {
      return InvalidArgumentError(
          "--assume takes inputs such as x:int32:1000, not '", part, "'");
    }
    ASSIGN_OR_RETURN(const ElementType type, ParseElementType(fields[1]));
    const ConstArrayView view(nullptr, type, size, Memory::Host());
    const bool is_again = !names.insert(fields[0]).second;
    if (inputs.emplace(fields[0], view).second) continue;
    return InvalidArgumentError(
        "the input '", fields[0], "' is ",
        is_again ? "assumed twice" : "given, and assumed");
  }
  return absl::OkStatus();
}

std::string Bytes(std::int64_t bytes) {
  return HumanBytes(static_cast<double>(bytes));
}

std::string AsText(const ExplainedCall& explanation) {
  Table table;
  table.AddColumn("STEP", Table::Align::kRight);
  table.AddColumn("ELEMENTS", Table::Align::kRight);
  table.AddColumn("OPERATIONS EACH", Table::Align::kRight);
  table.AddColumn("READS", Table::Align::kRight);
  table.AddColumn("WRITES", Table::Align::kRight);
  double moved = 0;
  for (std::size_t k = 0; k < explanation.steps.size(); ++k) {
    const ExplainedCall::Step& step = explanation.steps[k];
    moved += static_cast<double>(step.bytes_read) +
             static_cast<double>(step.bytes_written);
    table.AddRow(
        {absl::StrCat(k + 1),
         absl::StrCat(step.at_most ? "<= " : "", WithThousands(step.elements)),
         absl::StrCat(step.operations), Bytes(step.bytes_read),
         Bytes(step.bytes_written)},
        Wrapped("    " + step.what, 4));
  }
  return absl::StrCat(
      table.ToString(), "\n",
      Wrapped(absl::StrCat(
          "One step after the other moves ", HumanBytes(moved),
          ". The least that any implementation moves is ",
          HumanBytes(static_cast<double>(explanation.least_read) +
                     static_cast<double>(explanation.least_written)),
          ": ", Bytes(explanation.least_read), " of inputs and ",
          Bytes(explanation.least_written), " of results. Nothing was run.")));
}

absl::StatusOr<ExitStatus> Explain(const ExplainArguments& arguments) {
  RETURN_IF_ERROR(arguments.algorithm->TakeFunction());
  ASSIGN_OR_RETURN(const AlgorithmSpec* spec, arguments.algorithm->Spec());
  const Algorithm& algorithm = spec->algorithm();
  ASSIGN_OR_RETURN(const LoadRequest request,
                   arguments.algorithm->Request(algorithm));
  ASSIGN_OR_RETURN(const LoadedInputs loaded,
                   FileFormatOf(algorithm).Load(algorithm, request));
  Inputs inputs;
  for (const auto& [name, source] : loaded.inputs) {
    inputs.emplace(name, WithoutElements(source->type(), source->shape()));
  }
  RETURN_IF_ERROR(AddAssumed(arguments.assumed, inputs));
  ASSIGN_OR_RETURN(const ExplainedCall explanation,
                   ExplainCall(algorithm.name(), loaded.options, inputs));
  RETURN_IF_ERROR(Print(arguments.json ? AsJson(algorithm.name(), explanation)
                                       : AsText(explanation)));
  return kDone;
}

}  // namespace

void AddExplainCommand(CommandLine& line) {
  auto arguments = std::make_shared<ExplainArguments>();
  CLI::App* const command = AddCommand(
      line, "explain",
      "Shows the steps of a call, and what each would read, compute and write; "
      "nothing runs",
      [arguments] { return Explain(*arguments); });
  command
      ->add_option("--assume", arguments->assumed,
                   "Inputs that are not there yet, such as "
                   "x:int32:1000,y:float64:50")
      ->type_name("INPUTS");
  command->add_flag("--json", arguments->json, "Prints JSON, for programs");
  arguments->algorithm =
      AddAlgorithmArguments(line, *command, OutputOptions::kSwitches);
}

}  // namespace concord
