// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// `concord run`: one implementation, from a file to a file.

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "concord/core/array_io.h"
#include "concord/core/backend.h"
#include "concord/core/output_file.h"
#include "concord/core/spec.h"
#include "concord/testing/engine/staging.h"
#include "concord/tools/concord/algorithm_arguments.h"
#include "concord/tools/concord/command_line.h"
#include "concord/tools/concord/selection.h"

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

// Before anything is computed that could then not be kept.
absl::Status CheckOutputFiles(const RunArguments& arguments) {
  absl::Status status = CheckWritable(arguments.output);
  std::set<std::string> files = {WrittenFile(arguments.output)};
  for (const auto& [name, path] : arguments.algorithm->output_files) {
    if (status.ok()) status = CheckWritable(path);
    const std::string file = WrittenFile(path);
    if (status.ok() && file != "/dev/null" && !files.insert(file).second) {
      status = absl::InvalidArgumentError(
          path == "-" ? "only one output can be standard output; give the "
                        "others a file"
                      : absl::StrCat("two outputs cannot both be ", path));
    }
  }
  return status;
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

  absl::Status writable = CheckOutputFiles(arguments);
  if (!writable.ok()) return writable;

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
  for (const auto& [name, path] : arguments.algorithm->output_files) {
    if (!saved.ok()) break;
    saved = WriteArray(path, results->at(name));
  }
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
  arguments->algorithm =
      AddAlgorithmArguments(line, *command, OutputOptions::kFiles);
}

}  // namespace concord
