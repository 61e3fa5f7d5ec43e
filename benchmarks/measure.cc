// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "benchmarks/measure.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <utility>

namespace concord {
namespace {

// What outputs hold before a run, which comparisons report as "never written".
constexpr int kPoison = 0xa5;

// Memory that the host cannot write is poisoned in pieces of this size, so that
// gigabytes of output need no second copy in host memory.
constexpr std::int64_t kPoisonBytes = std::int64_t{4} << 20;

// Copies the results, and what else there is room for only where there is no
// telling it apart.
absl::Status CopyResults(Backend& backend, const std::vector<OutputSpec>& specs,
                         const Outputs& from, Results& to) {
  // Sizes first, then what they are the sizes of.
  for (const bool sized : {false, true}) {
    for (const OutputSpec& spec : specs) {
      if (spec.size_in.empty() == sized) continue;
      const std::int64_t size = ResultSize(spec, to);
      absl::Status copied =
          backend.Copy(from.at(spec.name).Slice(0, size),
                       to.at(spec.name).view().Slice(0, size));
      if (!copied.ok()) return copied;
    }
  }
  return absl::OkStatus();
}

Outputs ViewsOf(Results& results) {
  Outputs outputs;
  for (auto& [name, array] : results) outputs.emplace(name, array.view());
  return outputs;
}

absl::Status Allocate(Backend& backend, const std::string& name,
                      const HostArray& like, std::vector<Array>& owner,
                      Outputs& views) {
  absl::StatusOr<Array> array = backend.Allocate(like.type(), like.size());
  if (!array.ok()) return array.status();
  views.emplace(name, array->view());
  owner.push_back(*std::move(array));
  return absl::OkStatus();
}

// The case's inputs and room for its outputs in the backend's memory.
absl::Status MakeResident(Backend& backend, const Case& test_case,
                          const Results& results, std::vector<Array>& owner,
                          Inputs& inputs, Outputs& outputs) {
  for (const auto& [name, array] : test_case.inputs) {
    Outputs copy;
    absl::Status status = Allocate(backend, name, array, owner, copy);
    if (status.ok()) status = backend.Copy(array.view(), copy.at(name));
    if (!status.ok()) return status;
    inputs.emplace(name, copy.at(name));
  }
  for (const auto& [name, array] : results) {
    absl::Status status = Allocate(backend, name, array, owner, outputs);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::StatusOr<double> WallSeconds(const std::function<absl::Status()>& run,
                                   std::int64_t runs) {
  const auto start = std::chrono::steady_clock::now();
  for (std::int64_t i = 0; i < runs; ++i) {
    absl::Status status = run();
    if (!status.ok()) return status;
  }
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
      .count();
}

}  // namespace

absl::string_view Name(Scope scope) {
  switch (scope) {
    case Scope::kKernel:
      return "kernel";
    case Scope::kCall:
      return "call";
    case Scope::kEndToEnd:
      return "end_to_end";
  }
  __builtin_unreachable();
}

const std::vector<Scope>& AllScopes() {
  static const auto* const scopes =
      new std::vector<Scope>{Scope::kKernel, Scope::kCall, Scope::kEndToEnd};
  return *scopes;
}

absl::StatusOr<std::unique_ptr<Contender>> Contender::Create(
    const AlgorithmSpec& spec, absl::string_view variant,
    std::shared_ptr<Backend> backend, std::shared_ptr<const Case> test_case,
    Check check) {
  auto contender = std::unique_ptr<Contender>(new Contender);
  absl::StatusOr<std::unique_ptr<Runner>> runner =
      spec.NewRunner(backend, variant);
  if (!runner.ok()) return runner.status();
  contender->runner_ = *std::move(runner);
  absl::Status status = contender->runner_->Configure(test_case->options);
  if (!status.ok()) return status;
  absl::StatusOr<std::vector<OutputSpec>> outputs = spec.OutputsOf(*test_case);
  if (!outputs.ok()) return outputs.status();
  for (const OutputSpec& output : *outputs) {
    contender->results_.emplace(output.name,
                                HostArray(output.type, output.shape));
  }
  contender->specs_ = *std::move(outputs);
  contender->backend_ = std::move(backend);
  contender->case_ = std::move(test_case);
  contender->check_ = std::move(check);
  status =
      MakeResident(*contender->backend_, *contender->case_, contender->results_,
                   contender->arrays_, contender->inputs_, contender->outputs_);
  if (!status.ok()) return status;
  return contender;
}

absl::Status Contender::RunResident() {
  absl::Status status = runner_->Run(inputs_, outputs_);
  if (!status.ok()) return status;
  return backend_->Synchronize();
}

absl::Status Contender::RunEndToEnd() {
  if (backend_->memory().is_host()) {
    Inputs inputs;
    for (const auto& [name, array] : case_->inputs) {
      inputs.emplace(name, array.view());
    }
    absl::Status status = runner_->Run(inputs, ViewsOf(results_));
    if (!status.ok()) return status;
    return backend_->Synchronize();
  }
  std::vector<Array> owner;
  Inputs inputs;
  Outputs outputs;
  absl::Status status =
      MakeResident(*backend_, *case_, results_, owner, inputs, outputs);
  if (status.ok()) status = runner_->Run(inputs, outputs);
  if (status.ok()) status = CopyResults(*backend_, specs_, outputs, results_);
  return status;
}

absl::Status Contender::Poison(const Outputs& outputs) {
  HostArray pattern(ElementType::kUInt8, {kPoisonBytes});
  std::memset(pattern.data<char>(), kPoison, kPoisonBytes);
  for (const auto& output : outputs) {
    const ArrayView& view = output.second;
    if (view.memory().is_host()) {
      std::memset(view.data(), kPoison, static_cast<std::size_t>(view.bytes()));
      continue;
    }
    const ArrayView bytes(view.data(), ElementType::kUInt8, view.bytes(),
                          view.memory());
    for (std::int64_t first = 0; first < bytes.size(); first += kPoisonBytes) {
      const std::int64_t count = std::min(kPoisonBytes, bytes.size() - first);
      absl::Status copied = backend_->Copy(pattern.view().Slice(0, count),
                                           bytes.Slice(first, count));
      if (!copied.ok()) return copied;
    }
  }
  return absl::OkStatus();
}

absl::Status Contender::CheckResults() {
  absl::Status checked = check_(results_);
  if (checked.ok()) return checked;
  return absl::DataLossError(checked.message());
}

absl::Status Contender::Verify() {
  absl::Status status = Poison(outputs_);
  if (status.ok()) status = RunResident();
  if (status.ok()) status = CopyResults(*backend_, specs_, outputs_, results_);
  if (status.ok()) status = CheckResults();
  verified_ = status.ok();
  return status;
}

absl::StatusOr<std::unique_ptr<CacheFlusher>> Contender::FlusherFor(
    Cache cache) {
  if (cache == Cache::kHot) return std::unique_ptr<CacheFlusher>();
  return CacheFlusher::Create(backend_);
}

absl::StatusOr<Timing> Contender::Time(Scope scope, const SamplingPlan& plan) {
  absl::Status status = verified_ ? absl::OkStatus() : Verify();
  if (!status.ok()) return status;
  absl::StatusOr<std::unique_ptr<CacheFlusher>> flusher =
      FlusherFor(plan.cache);
  if (!flusher.ok()) return flusher.status();

  const bool end_to_end = scope == Scope::kEndToEnd;
  status = Poison(end_to_end ? ViewsOf(results_) : outputs_);
  if (!status.ok()) return status;
  absl::StatusOr<Timing> timing;
  if (scope == Scope::kKernel) {
    absl::StatusOr<std::unique_ptr<Timer>> timer = backend_->NewTimer();
    if (!timer.ok()) return timer.status();
    timing = TakeSamples(plan, flusher->get(), [&](std::int64_t runs) {
      return TimeOnBackend(*backend_, **timer, runs,
                           [&] { return runner_->Run(inputs_, outputs_); });
    });
  } else {
    timing = TakeSamples(
        plan, flusher->get(), [&](std::int64_t runs) -> absl::StatusOr<double> {
          // Work that is still queued belongs to nobody's wall-clock time.
          absl::Status idle = backend_->Synchronize();
          if (!idle.ok()) return idle;
          return WallSeconds(
              [&] { return end_to_end ? RunEndToEnd() : RunResident(); }, runs);
        });
  }
  if (!timing.ok()) return timing;

  if (!end_to_end) status = CopyResults(*backend_, specs_, outputs_, results_);
  if (status.ok()) status = CheckResults();
  if (!status.ok()) return status;
  return timing;
}

}  // namespace concord
