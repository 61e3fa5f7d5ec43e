// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/testing/engine/examiner.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "concord/core/errors.h"
#include "concord/core/replicas.h"
#include "concord/testing/engine/expectations.h"
#include "concord/testing/engine/planted_faults.h"
#include "concord/testing/engine/shared_findings.h"

namespace concord {

std::string Describe(const Trial& trial) {
  const Case& test_case = trial.test_case;
  std::string text = test_case.label;
  const std::string options = ToString(test_case.options);
  // Labels may or may not name the options.
  if (text.find(options) == std::string::npos) {
    absl::StrAppend(&text, " ", options);
  }
  absl::StrAppend(&text, ", ", trial.placement, ", on ", trial.backend);
  if (!trial.law.empty()) absl::StrAppend(&text, ", law ", trial.law);
  if (trial.repetitions > 1) {
    absl::StrAppend(&text, ", ", trial.repetitions, " times");
  }
  if (!trial.also_on.empty()) {
    absl::StrAppend(&text, ", also on ", absl::StrJoin(trial.also_on, ", "));
  }
  return text;
}

absl::string_view Name(FailureKind kind) {
  switch (kind) {
    case FailureKind::kSpec:
      return "contradictory_spec";
    case FailureKind::kStatus:
      return "error";
    case FailureKind::kGuard:
      return "write_out_of_bounds";
    case FailureKind::kInput:
      return "changed_input";
    case FailureKind::kValue:
      return "wrong_result";
    case FailureKind::kReference:
      return "not_as_reference";
    case FailureKind::kUnrepeatable:
      return "not_repeatable";
    case FailureKind::kLaw:
      return "broken_law";
  }
  return "unknown";
}

absl::StatusOr<std::shared_ptr<Backend>> Examiner::BackendOf(
    const std::string& spec) {
  const auto found = backends_.find(spec);
  if (found != backends_.end()) return found->second;
  absl::StatusOr<std::shared_ptr<Backend>> open = OpenBackend(spec);
  if (open.ok()) backends_.emplace(spec, *open);
  return open;
}

absl::StatusOr<Examiner::Opened*> Examiner::Open(
    const ImplementationInfo& implementation, const std::string& backend) {
  const std::string key = absl::StrCat(implementation.name(), " on ", backend);
  const auto found = opened_.find(key);
  if (found != opened_.end()) return &found->second;
  ASSIGN_OR_RETURN(std::shared_ptr<Backend> open, BackendOf(backend));
  ASSIGN_OR_RETURN(std::unique_ptr<Runner> runner,
                   subject_.spec->NewRunner(open, implementation.variant));
  return &opened_.emplace(key, Opened{std::move(open), std::move(runner)})
              .first->second;
}

bool Examiner::IsUsable(const std::string& backend) {
  const absl::StatusOr<std::shared_ptr<Backend>> open = BackendOf(backend);
  if (!open.ok()) return false;
  const HostArray one = HostArray::Of<std::int32_t>({1});
  const absl::StatusOr<Array> there = (*open)->Allocate(one.type(), one.size());
  absl::Status status = there.status();
  if (status.ok()) status = (*open)->Copy(one.view(), there->view());
  if (status.ok()) status = (*open)->Synchronize();
  return AgreeAsOne(status).ok();
}

absl::Status Examiner::RunSubject(Opened& opened, const Case& test_case,
                                  const Staging& staging) {
  if (subject_.fault == nullptr) return staging.Run(*opened.runner);
  RETURN_IF_ERROR(opened.runner->Configure(test_case.options));
  RETURN_IF_ERROR(subject_.fault->run(
      {*subject_.spec, *opened.backend, *opened.runner, test_case,
       staging.inputs(), staging.outputs(), runs_++}));
  return opened.backend->Synchronize();
}

std::optional<Failure> Examiner::RunGuarded(Opened& opened,
                                            const Case& test_case,
                                            const Staging& staging) {
  std::optional<Failure> failure;
  if (absl::Status status = RunSubject(opened, test_case, staging);
      !status.ok()) {
    failure = FromStatus(FailureKind::kStatus, "running", status);
  }
  if (failure = OfAllReplicas(std::move(failure)); failure.has_value()) {
    return failure;
  }
  const absl::StatusOr<Staging::Damage> damage = staging.FindDamage();
  if (!damage.ok()) {
    failure = FromStatus(FailureKind::kStatus, "reading back", damage.status());
  } else if (!damage->to_guards.empty()) {
    failure = Failure{FailureKind::kGuard, damage->to_guards};
  } else if (!damage->to_inputs.empty()) {
    failure = Failure{FailureKind::kInput, damage->to_inputs};
  }
  return OfAllReplicas(std::move(failure));
}

std::optional<Failure> Examiner::Compare(const Staging& staging,
                                         const Expectations& expected,
                                         FailureKind kind,
                                         absl::string_view versus) {
  return OfAllReplicas(CompareOutputs(*subject_.spec, staging, expected,
                                      PromisesBits(), kind, versus));
}

std::optional<Failure> Examiner::Examine(const Trial& trial) {
  return trial.law.empty() ? ExamineValues(trial)
                           : OfAllReplicas(ExamineLaw(trial));
}

std::optional<Failure> Examiner::ExamineValues(const Trial& trial) {
  // First of all this tells whether the case is one; a shrunk one need not be.
  if (absl::Status status = subject_.spec->OutputsOf(trial.test_case).status();
      !status.ok()) {
    return FromStatus(FailureKind::kSpec, "OutputsOf", status);
  }
  const absl::StatusOr<Expectations> expected =
      ExpectedByAll(*subject_.spec, trial.test_case);
  if (!expected.ok()) {
    // Of a replica that has too little memory, or has not come, the spec knows
    // nothing.
    const bool is_of_replicas = absl::IsResourceExhausted(expected.status()) ||
                                absl::IsDeadlineExceeded(expected.status());
    return FromStatus(
        is_of_replicas ? FailureKind::kStatus : FailureKind::kSpec, "Expected",
        expected.status());
  }
  return ExamineAgainst(trial, *expected);
}

std::optional<Failure> Examiner::ExamineAgainst(const Trial& trial,
                                                const Expectations& expected) {
  const absl::StatusOr<std::vector<OutputSpec>> outputs =
      subject_.spec->OutputsOf(trial.test_case);
  if (!outputs.ok()) {
    return FromStatus(FailureKind::kSpec, "OutputsOf", outputs.status());
  }
  if (std::string text = Contradiction(*outputs, expected); !text.empty()) {
    return Failure{FailureKind::kSpec, std::move(text)};
  }

  const absl::StatusOr<Placement> placement = FindPlacement(trial.placement);
  if (!placement.ok()) {
    return FromStatus(FailureKind::kSpec, "placing", placement.status());
  }
  const absl::StatusOr<Opened*> opened =
      Open(subject_.implementation, trial.backend);
  if (auto failure = FailureOfAny("opening", opened.status())) {
    return failure;
  }
  absl::StatusOr<Staging> staging = Staging::Create(
      *(*opened)->backend, trial.test_case, *outputs, *placement);
  if (auto failure = FailureOfAny("staging", staging.status())) {
    return failure;
  }
  if (auto failure = RunGuarded(**opened, trial.test_case, *staging)) {
    return failure;
  }
  if (auto failure = Compare(*staging, expected, FailureKind::kValue, "")) {
    return failure;
  }

  const Determinism claimed = subject_.implementation.contract.determinism;
  // Where the algorithm defines the bits, they have been compared already; and
  // its reference need not follow the order that it defines.
  if (!KnowsBits(expected) && PromisesBits() &&
      subject_.implementation.backend != kReferenceBackend) {
    if (auto failure = OfAllReplicas(CompareWithReference(
            trial.test_case, *outputs, expected, *staging))) {
      return failure;
    }
  }

  if (trial.repetitions == 1 && trial.also_on.empty()) return std::nullopt;
  const absl::StatusOr<Expectations> first = Snapshot(*staging, expected);
  if (auto failure = FailureOfAny("reading back", first.status())) {
    return failure;
  }
  for (int run = 1; run < trial.repetitions; ++run) {
    if (auto failure = FailureOfAny("staging", staging->Fill())) {
      return failure;
    }
    if (auto failure = RunGuarded(**opened, trial.test_case, *staging)) {
      return failure;
    }
    if (auto failure = Compare(*staging, expected, FailureKind::kValue,
                               absl::StrCat(" in run ", run + 1))) {
      return failure;
    }
    if (claimed == Determinism::kNone) continue;
    if (auto failure =
            Compare(*staging, *first, FailureKind::kUnrepeatable,
                    absl::StrCat(" in run ", run + 1, " versus run 1"))) {
      return failure;
    }
  }
  return CompareWithOtherSpecs(trial, *outputs, expected, *first);
}

std::optional<Failure> Examiner::CompareWithOtherSpecs(
    const Trial& trial, const std::vector<OutputSpec>& outputs,
    const Expectations& expected, const Expectations& first) {
  for (const std::string& other : trial.also_on) {
    const absl::StatusOr<Opened*> opened = Open(subject_.implementation, other);
    if (auto failure = FailureOfAny("opening", opened.status())) {
      return failure;
    }
    const absl::StatusOr<Staging> staging =
        Staging::Create(*(*opened)->backend, trial.test_case, outputs,
                        *FindPlacement(trial.placement));
    if (auto failure = FailureOfAny("staging", staging.status())) {
      return failure;
    }
    if (auto failure = RunGuarded(**opened, trial.test_case, *staging)) {
      return failure;
    }
    if (auto failure = Compare(*staging, expected, FailureKind::kValue,
                               absl::StrCat(" on ", other))) {
      return failure;
    }
    if (subject_.implementation.contract.determinism == Determinism::kNone) {
      continue;
    }
    if (auto failure =
            Compare(*staging, first, FailureKind::kUnrepeatable,
                    absl::StrCat(" on ", other, " versus ", trial.backend))) {
      return failure;
    }
  }
  return std::nullopt;
}

std::optional<Failure> Examiner::CompareWithReference(
    const Case& test_case, const std::vector<OutputSpec>& outputs,
    const Expectations& expected, const Staging& staging) {
  const std::vector<ImplementationInfo> all = subject_.spec->implementations();
  const auto reference = std::find_if(
      all.begin(), all.end(), [](const ImplementationInfo& implementation) {
        return implementation.backend == kReferenceBackend;
      });
  if (reference == all.end()) {
    return Failure{FailureKind::kSpec,
                   "the contract promises the reference's bits, but there is "
                   "no reference"};
  }
  const absl::StatusOr<Opened*> opened = Open(*reference, kReferenceBackend);
  if (!opened.ok()) {
    return FromStatus(FailureKind::kSpec, "the reference", opened.status());
  }
  const absl::StatusOr<Staging> its_staging = Staging::Create(
      *(*opened)->backend, test_case, outputs, Placements().front());
  if (!its_staging.ok()) {
    return FromStatus(FailureKind::kSpec, "the reference",
                      its_staging.status());
  }
  if (absl::Status status = its_staging->Run(*(*opened)->runner);
      !status.ok()) {
    return FromStatus(FailureKind::kSpec, "the reference", status);
  }
  const absl::StatusOr<Expectations> bits = Snapshot(*its_staging, expected);
  if (!bits.ok()) {
    return FromStatus(FailureKind::kSpec, "the reference", bits.status());
  }
  return CompareOutputs(*subject_.spec, staging, *bits, PromisesBits(),
                        FailureKind::kReference, " versus the reference");
}

std::optional<Failure> Examiner::ExamineLaw(const Trial& trial) {
  const std::vector<Law> laws = subject_.spec->laws();
  const auto law = std::find_if(laws.begin(), laws.end(), [&](const Law& law) {
    return law.name == trial.law;
  });
  if (law == laws.end()) {
    return Failure{FailureKind::kSpec,
                   absl::StrCat("no law is called '", trial.law, "'")};
  }
  const absl::Status status = law->check(
      [&](const Case& test_case) { return RunForLaw(trial, test_case); },
      trial.test_case);
  if (status.ok()) return std::nullopt;
  return Failure{FailureKind::kLaw,
                 absl::StrCat(law->statement, ": ", status.message())};
}

absl::StatusOr<Results> Examiner::RunForLaw(const Trial& trial,
                                            const Case& test_case) {
  ASSIGN_OR_RETURN(const std::vector<OutputSpec> outputs,
                   subject_.spec->OutputsOf(test_case));
  ASSIGN_OR_RETURN(const Placement placement, FindPlacement(trial.placement));
  ASSIGN_OR_RETURN(Opened* const opened,
                   Open(subject_.implementation, trial.backend));
  const absl::StatusOr<Staging> staging =
      Staging::Create(*opened->backend, test_case, outputs, placement);
  RETURN_IF_ERROR(AgreeAmongReplicas(staging.status()));
  if (auto failure = RunGuarded(*opened, test_case, *staging)) {
    return InternalError(Name(failure->kind), ": ", failure->message);
  }
  return staging->ReadOutputs();
}

}  // namespace concord
