// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/benchmarks/measure.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "concord/core/errors.h"
#include "concord/core/guarded.h"
#include "concord/core/replicas.h"

namespace concord {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

// Arrays that others own.
Arrays ViewsOf(const Case& test_case, Results& results) {
  Arrays views = {InputsOf(test_case), {}};
  for (auto& [name, array] : results) {
    views.outputs.emplace(name, array.view());
  }
  return views;
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
    case Scope::kEndToEndPinned:
      return "end_to_end_pinned";
  }
  __builtin_unreachable();
}

const std::vector<Scope>& AllScopes() {
  static const auto* const scopes = new std::vector<Scope>{
      Scope::kKernel, Scope::kCall, Scope::kEndToEnd, Scope::kEndToEndPinned};
  return *scopes;
}

absl::StatusOr<std::unique_ptr<Contender>> Contender::Create(
    const AlgorithmSpec& spec, absl::string_view variant,
    std::shared_ptr<Backend> backend, std::shared_ptr<const Case> test_case,
    Check check) {
  return OnAllReplicas([&] {
    return CreateHere(spec, variant, std::move(backend), std::move(test_case),
                      std::move(check));
  });
}

absl::StatusOr<std::unique_ptr<Contender>> Contender::CreateHere(
    const AlgorithmSpec& spec, absl::string_view variant,
    std::shared_ptr<Backend> backend, std::shared_ptr<const Case> test_case,
    Check check) {
  auto contender = std::unique_ptr<Contender>(new Contender);
  ASSIGN_OR_RETURN(contender->runner_, spec.NewRunner(backend, variant));
  RETURN_IF_ERROR(contender->runner_->Configure(test_case->options));
  ASSIGN_OR_RETURN(const std::vector<OutputSpec> outputs,
                   spec.OutputsOf(*test_case));
  for (const OutputSpec& output : outputs) {
    contender->results_.emplace(output.name,
                                HostArray(output.type, output.shape));
  }
  contender->backend_ = std::move(backend);
  contender->case_ = std::move(test_case);
  contender->check_ = std::move(check);
  ASSIGN_OR_RETURN(
      contender->resident_,
      Call::Place(*contender->backend_, outputs, SourcesOf(*contender->case_),
                  {}, InBackendMemory()));
  return contender;
}

absl::StatusOr<Arrays> Contender::ArraysFor(Scope scope) {
  switch (scope) {
    case Scope::kKernel:
    case Scope::kCall:
      return Arrays{resident_.inputs(), resident_.outputs(), {}};
    case Scope::kEndToEnd:
      return ViewsOf(*case_, results_);
    case Scope::kEndToEndPinned:
      return Place(*backend_, SourcesOf(*case_), resident_.specs(), {},
                   InPageLockedMemory());
  }
  __builtin_unreachable();
}

absl::Status Contender::RunResident() {
  RETURN_IF_ERROR(resident_.Launch(*runner_));
  return backend_->Synchronize();
}

absl::Status Contender::RunEndToEnd(const Arrays& host) {
  return RunFromHost(*runner_, *backend_, resident_.specs(), host.inputs,
                     host.outputs);
}

absl::Status Contender::FetchResults(const Outputs& outputs) {
  return CopyResults(*backend_, resident_.specs(), outputs,
                     ViewsOf(*case_, results_).outputs);
}

absl::Status Contender::CheckResults() {
  absl::Status checked = check_(results_);
  if (checked.ok()) return checked;
  return absl::DataLossError(checked.message());
}

absl::Status Contender::Verify() {
  absl::Status status = Poison(*backend_, resident_.outputs());
  if (status.ok()) status = RunResident();
  if (status.ok()) status = FetchResults(resident_.outputs());
  if (status.ok()) status = CheckResults();
  verified_ = status.ok();
  return status;
}

absl::StatusOr<CacheFlusher*> Contender::FlusherFor(Cache cache,
                                                    Flushers& flushers) {
  if (cache == Cache::kHot) return nullptr;
  std::unique_ptr<CacheFlusher>& flusher = flushers[backend_.get()];
  if (flusher == nullptr) {
    ASSIGN_OR_RETURN(flusher, CacheFlusher::Create(backend_));
  }
  return flusher.get();
}

absl::StatusOr<Contender::Sampling> Contender::StartSampling(
    Scope scope, const SamplingPlan& plan, Flushers& flushers) {
  RETURN_IF_ERROR(verified_ ? absl::OkStatus() : Verify());
  Sampling sampling;
  ASSIGN_OR_RETURN(CacheFlusher* const flusher,
                   FlusherFor(plan.cache, flushers));

  ASSIGN_OR_RETURN(Arrays arrays, ArraysFor(scope));
  RETURN_IF_ERROR(Poison(*backend_, arrays.outputs));
  sampling.arrays = std::make_unique<Arrays>(std::move(arrays));
  const Arrays& where = *sampling.arrays;
  Sampler::Sample sample;
  if (scope == Scope::kKernel) {
    ASSIGN_OR_RETURN(sampling.timer, backend_->NewTimer());
    sample = [this, &where, timer = sampling.timer.get()](std::int64_t runs) {
      return TimeOnBackend(*backend_, *timer, runs, [&] {
        return runner_->Run(where.inputs, where.outputs);
      });
    };
  } else {
    sample = [this, &where, scope](std::int64_t runs) {
      return TimeByTheClock(*backend_, runs, [&] {
        return scope == Scope::kCall ? RunResident() : RunEndToEnd(where);
      });
    };
  }
  sampling.sampler =
      std::make_unique<Sampler>(plan, flusher, std::move(sample));
  return sampling;
}

absl::Status Contender::FinishSampling(Scope scope, const Sampling& sampling) {
  // End to end, the outputs are the results themselves.
  if (scope != Scope::kEndToEnd) {
    RETURN_IF_ERROR(FetchResults(sampling.arrays->outputs));
  }
  return CheckResults();
}

std::vector<absl::StatusOr<Timing>> Contender::TimeInTurns(
    const std::vector<Contender*>& contenders, Scope scope,
    const SamplingPlan& plan, const GoesOn& goes_on) {
  Flushers flushers;
  std::vector<absl::StatusOr<Sampling>> samplings;
  std::vector<absl::Status> statuses;
  for (Contender* contender : contenders) {
    samplings.push_back(OnAllReplicas(
        [&] { return contender->StartSampling(scope, plan, flushers); }));
    statuses.push_back(samplings.back().status());
  }
  // Forwards and backwards: who comes after another one's threads, which are
  // still awake, comes before them the next time.
  std::vector<double> least(contenders.size(), kNever);
  int turns = 0;
  for (bool more = true; more;) {
    more = false;
    const bool forwards = turns++ % 2 == 0;
    for (std::size_t k = 0; k < contenders.size(); ++k) {
      const std::size_t i = forwards ? k : contenders.size() - 1 - k;
      if (!statuses[i].ok() || samplings[i]->sampler->done()) continue;
      if (turns > 1 && goes_on && !goes_on(i, turns - 1, least)) continue;
      statuses[i] = samplings[i]->sampler->Take();
      more = true;
    }
    for (std::size_t i = 0; i < contenders.size(); ++i) {
      least[i] = statuses[i].ok() ? samplings[i]->sampler->least() : kNever;
    }
  }
  std::vector<absl::StatusOr<Timing>> timings;
  for (std::size_t i = 0; i < contenders.size(); ++i) {
    if (statuses[i].ok()) {
      statuses[i] = AgreeAmongReplicas(Guarded(
          [&] { return contenders[i]->FinishSampling(scope, *samplings[i]); }));
    }
    if (statuses[i].ok()) {
      timings.emplace_back(samplings[i]->sampler->timing());
    } else {
      timings.emplace_back(statuses[i]);
    }
  }
  return timings;
}

absl::StatusOr<Timing> Contender::Time(Scope scope, const SamplingPlan& plan) {
  return TimeInTurns({this}, scope, plan).front();
}

}  // namespace concord
