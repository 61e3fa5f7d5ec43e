// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// `concord run`: one implementation, from a file to a file.

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/backend.h"
#include "core/spec.h"
#include "testing/staging.h"
#include "tools/concord/algorithm_arguments.h"
#include "tools/concord/command_line.h"
#include "tools/concord/selection.h"

namespace concord {
namespace {

struct RunArguments {
  std::shared_ptr<AlgorithmArguments> algorithm;
  std::string backend;
  std::string variant;
  std::string output = "-";
};

absl::StatusOr<Results> RunOnce(const AlgorithmSpec& spec,
                                const std::shared_ptr<Backend>& backend,
                                const std::string& variant,
                                const Case& test_case) {
  absl::StatusOr<std::unique_ptr<Runner>> runner =
      spec.NewRunner(backend, variant);
  if (!runner.ok()) return runner.status();
  absl::Status status = (*runner)->Configure(test_case.options);
  if (!status.ok()) return status;
  absl::StatusOr<std::vector<OutputSpec>> outputs = spec.OutputsOf(test_case);
  if (!outputs.ok()) return outputs.status();
  absl::StatusOr<Staging> arrays =
      Staging::Create(*backend, test_case, *outputs, Placements().front());
  if (!arrays.ok()) return arrays.status();
  status = arrays->Fill();
  if (status.ok()) {
    status = (*runner)->Run(arrays->inputs(), arrays->outputs());
  }
  if (status.ok()) status = backend->Synchronize();
  if (!status.ok()) return status;
  return arrays->ReadOutputs();
}

absl::StatusOr<ExitStatus> Run(const RunArguments& arguments) {
  absl::StatusOr<const AlgorithmSpec*> found = arguments.algorithm->Spec();
  if (!found.ok()) return found.status();
  const AlgorithmSpec& spec = **found;
  absl::StatusOr<std::shared_ptr<Backend>> backend =
      OpenBackend(arguments.backend);
  if (!backend.ok()) return backend.status();
  absl::StatusOr<ImplementationInfo> info =
      FindImplementation(spec, **backend, arguments.variant);
  if (!info.ok()) return info.status();

  absl::StatusOr<LoadedCase> loaded = arguments.algorithm->Load(spec);
  if (!loaded.ok()) return loaded.status();
  for (const std::string& note : loaded->notes) Complain(note);
  const std::string refusal = RefusalOf(*info, spec, loaded->value);
  if (!refusal.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat(info->name(), ": ", refusal));
  }
  absl::StatusOr<Results> results =
      RunOnce(spec, *backend, info->variant, loaded->value);
  if (!results.ok()) return results.status();
  absl::Status saved = spec.Save(*results, arguments.output);
  if (!saved.ok()) return saved;
  return kDone;
}

}  // namespace

void AddRunCommand(CommandLine& line) {
  auto arguments = std::make_shared<RunArguments>();
  CLI::App* const command =
      AddCommand(line, "run", "Runs one implementation on a file",
                 [arguments] { return Run(*arguments); });
  command
      ->add_option("--backend", arguments->backend,
                   "Where to run: a name, or one with threads or device such "
                   "as tbb:8 [default $CONCORD_BACKEND, otherwise auto]")
      ->type_name("SPEC");
  command
      ->add_option("--variant", arguments->variant,
                   "Which of the backend's implementations [default its best]")
      ->type_name("NAME");
  command
      ->add_option("--output", arguments->output,
                   "The file to write, .npy or text; - is standard output "
                   "[default -]")
      ->type_name("FILE");
  arguments->algorithm = AddAlgorithmArguments(line, *command);
}

}  // namespace concord
