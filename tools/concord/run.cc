// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// `concord run`: one implementation, from a file to a file.

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "concord/core/backend.h"
#include "concord/core/call.h"
#include "concord/core/errors.h"
#include "concord/core/file_format.h"
#include "concord/core/file_sink.h"
#include "concord/core/guarded.h"
#include "concord/core/output_file.h"
#include "concord/core/replicas.h"
#include "concord/core/written_file.h"
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

// No two outputs in one file, by whatever name.
absl::Status CheckDistinct(const RunArguments& arguments) {
  std::set<std::string> files = {WrittenFile(arguments.output)};
  for (const auto& [name, path] : arguments.algorithm->output_files) {
    const std::string file = WrittenFile(path);
    if (file == "/dev/null" || files.insert(file).second) continue;
    return InvalidArgumentError(
        path == "-" ? "only one output can be standard output; give the "
                      "others a file"
                    : absl::StrCat("two outputs cannot both be ", path));
  }
  return absl::OkStatus();
}

// Where the outputs of a run go. Opened before anything is computed that could
// then not be kept; all take their names together when all is done.
class OutputFiles {
 public:
  static absl::StatusOr<OutputFiles> Open(const Algorithm& algorithm,
                                          const RunArguments& arguments,
                                          bool shared_out) {
    OutputFiles files;
    files.shared_out_ = shared_out;
    files.format_ = &FileFormatOf(algorithm);
    files.path_ = arguments.output;
    const std::vector<OutputText>& outputs = algorithm.signature().outputs;
    if (files.SavesAll()) {
      // Nothing else is written before this can be.
      RETURN_IF_ERROR(AgreeAsOne(CheckWritable(files.path_)));
      for (const OutputText& output : outputs) {
        files.sinks_.emplace(output.name, &files.arrays_[output.name]);
      }
    } else {
      RETURN_IF_ERROR(files.Add(outputs.front().name, files.path_));
    }
    for (const auto& [name, path] : arguments.algorithm->output_files) {
      RETURN_IF_ERROR(files.Add(name, path));
    }
    return files;
  }

  const Sinks& sinks() const { return sinks_; }

  // All replicas together: the first one has files.
  absl::Status Commit() {
    return AgreeAsOne(Guarded([&] { return CommitHere(); }));
  }

 private:
  bool SavesAll() const { return format_->Saves(path_); }

  absl::Status CommitHere() {
    if (files_.size() + (SavesAll() ? 1 : 0) > 1) {
      for (auto& [name, file] : files_) RETURN_IF_ERROR(file->Prepare());
    }
    if (SavesAll()) {
      Results results;
      for (auto& [name, array] : arrays_) {
        if (array.taken()) results.emplace(name, std::move(array.value()));
      }
      RETURN_IF_ERROR(format_->Save(results, path_));
    }
    for (auto& [name, file] : files_) RETURN_IF_ERROR(file->Commit());
    return absl::OkStatus();
  }

  absl::Status Add(const std::string& name, const std::string& path) {
    ASSIGN_OR_RETURN(files_[name], FileSink::Open(path, shared_out_));
    sinks_[name] = files_[name].get();
    return absl::OkStatus();
  }

  const FileFormat* format_ = nullptr;
  std::string path_;
  bool shared_out_ = false;
  Sinks sinks_;
  std::map<std::string, HostArraySink> arrays_;
  std::map<std::string, std::unique_ptr<FileSink>> files_;
};

// What its contract refuses.
absl::Status CheckContract(const ImplementationInfo& info,
                           const Algorithm& algorithm, const Sources& inputs) {
  const InputSpec& first = algorithm.signature().inputs.front();
  const auto source = inputs.find(first.name);
  if (source == inputs.end()) return absl::OkStatus();
  const std::string refusal =
      RefusalOf(info, source->second->type(), source->second->shape().size(),
                first.shape.front() == "n" ? "elements" : first.shape.front());
  if (refusal.empty()) return absl::OkStatus();
  return InvalidArgumentError(info.name(), ": ", refusal);
}

// An algorithm that takes a function has one place for what it gives.
absl::Status CheckColumns(const Call& call, const std::string& asked) {
  for (const OutputSpec& output : call.specs()) {
    if (!absl::StartsWith(output.name, "out_")) continue;
    return InvalidArgumentError(
        asked,
        ": it gives several values, and there is one output; `concord "
        "run sequence` writes each to a file of its own");
  }
  return absl::OkStatus();
}

absl::StatusOr<ExitStatus> Run(const RunArguments& arguments) {
  RETURN_IF_ERROR(arguments.algorithm->TakeFunction());
  ASSIGN_OR_RETURN(const Algorithm* const found,
                   FindAlgorithm(arguments.algorithm->algorithm));
  const Algorithm& algorithm = *found;
  ASSIGN_OR_RETURN(const std::shared_ptr<Backend> backend,
                   OpenBackend(arguments.backend));
  ASSIGN_OR_RETURN(const ImplementationInfo info,
                   FindImplementation(algorithm, *backend, arguments.variant,
                                      arguments.algorithm->asked));

  RETURN_IF_ERROR(CheckDistinct(arguments));
  const bool shared_out = IsSharedOut(backend->memory());
  ASSIGN_OR_RETURN(OutputFiles files,
                   OutputFiles::Open(algorithm, arguments, shared_out));
  // Replicas end together, also where each computes all.
  absl::StatusOr<LoadRequest> request = arguments.algorithm->Request(algorithm);
  RETURN_IF_ERROR(AgreeAsOne(request.status()));
  request->shared_out = shared_out;
  absl::StatusOr<LoadedInputs> read =
      FileFormatOf(algorithm).Load(algorithm, *request);
  RETURN_IF_ERROR(AgreeAsOne(read.status()));
  const LoadedInputs loaded = *std::move(read);
  // All replicas have the same to say of an input.
  if (IsFirstReplica()) {
    for (const std::string& note : loaded.notes) Complain(note);
  }
  RETURN_IF_ERROR(AgreeAsOne(CheckContract(info, algorithm, loaded.inputs)));

  absl::StatusOr<Call> call =
      Call::Create(algorithm, backend, arguments.variant, loaded.options,
                   loaded.inputs, files.sinks());
  RETURN_IF_ERROR(AgreeAsOne(call.status()));
  if (arguments.algorithm->asked != arguments.algorithm->algorithm) {
    RETURN_IF_ERROR(CheckColumns(*call, arguments.algorithm->asked));
  }
  RETURN_IF_ERROR(call->Launch());
  RETURN_IF_ERROR(call->Finish());
  RETURN_IF_ERROR(files.Commit());
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
