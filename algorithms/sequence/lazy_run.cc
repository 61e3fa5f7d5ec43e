// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/algorithms/sequence/lazy_run.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "concord/algorithms/sequence/lazy_writer.h"
#include "concord/core/chooser.h"
#include "concord/core/errors.h"

namespace concord {
namespace {

using sequence::kColumnNames;

}  // namespace

absl::StatusOr<std::unique_ptr<Sequence::ReadyRun>> Sequence::ReadyRun::Make(
    const std::shared_ptr<const Node>& node) {
  auto run = std::make_unique<ReadyRun>();
  Writer writer;
  ASSIGN_OR_RETURN(std::string program, writer.Program(node));
  run->options_ = {{"program", std::move(program)}};
  Inputs columns;
  CallFacts facts;
  for (std::size_t k = 0; k < writer.columns().size(); ++k) {
    const Node& column = *writer.columns()[k];
    run->sources_[kColumnNames[k]] =
        std::make_shared<ArraySource>(column.array, column.owner);
    columns.emplace(kColumnNames[k],
                    WithoutElements(column.array.type(), column.array.shape()));
    facts.AddInput(column.array);
  }
  ASSIGN_OR_RETURN(run->algorithm_, FindAlgorithm(SequenceProgram::kName));
  ASSIGN_OR_RETURN(run->specs_, run->algorithm_->Plan(run->options_, columns));
  for (const OutputSpec& spec : run->specs_) facts.AddOutput(spec.type);
  Chooser::Choice choice = Choose(
      node->backend, "", SequenceProgram::kName,
      [&] { return run->algorithm_->implementations(); },
      [&] { return run->algorithm_->IsUsualWork(run->options_); },
      [&] { return facts; });
  run->backend_ = std::move(choice.backend);
  run->variant_ = std::move(choice.variant);
  if (!run->HasRoomBefore()) return run;
  ASSIGN_OR_RETURN(run->runner_,
                   run->algorithm_->NewRunner(run->backend_, run->variant_));
  RETURN_IF_ERROR(run->runner_->Configure(run->options_));
  return run;
}

bool Sequence::ReadyRun::HasRoomBefore() const {
  return backend_->memory().is_host() ||
         std::all_of(specs_.begin(), specs_.end(), [](const OutputSpec& spec) {
           return spec.size_in.empty();
         });
}

absl::Status Sequence::ReadyRun::operator()(const Sinks& sinks) {
  if (!HasRoomBefore()) return RunAsCall(sinks);
  Outputs rooms;
  for (const OutputSpec& spec : specs_) {
    const auto sink = sinks.find(spec.name);
    if (sink == sinks.end()) continue;
    ASSIGN_OR_RETURN(const ArrayView room,
                     sink->second->Room(spec.type, spec.shape));
    rooms.emplace(spec.name, room);
  }
  ASSIGN_OR_RETURN(Call call, Call::Place(*backend_, specs_, sources_, rooms,
                                          WhereTheyAre()));
  RETURN_IF_ERROR(call.Launch(*runner_));
  const bool on_host = backend_->memory().is_host();
  if (!on_host) RETURN_IF_ERROR(call.CopyResultsTo(rooms));
  RETURN_IF_ERROR(backend_->Synchronize());
  for (const OutputSpec& spec : specs_) {
    const auto sink = sinks.find(spec.name);
    if (sink == sinks.end()) continue;
    RETURN_IF_ERROR(sink->second->Take(
        {ResultSize(spec, on_host ? call.outputs() : rooms)}));
  }
  return absl::OkStatus();
}

absl::Status Sequence::ReadyRun::RunAsCall(const Sinks& sinks) const {
  ASSIGN_OR_RETURN(Call call, Call::Create(*algorithm_, backend_, variant_,
                                           options_, sources_, sinks));
  RETURN_IF_ERROR(call.Launch());
  return call.Finish();
}

}  // namespace concord
