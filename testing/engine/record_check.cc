// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/testing/engine/record_check.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "concord/core/available_memory.h"
#include "concord/core/errors.h"
#include "concord/testing/engine/large_case.h"

namespace concord {
namespace {

// More runs than this tell nothing, and 1000 are many already.
constexpr int kMostRepetitions = 1000;

absl::Status CheckOptions(const AlgorithmSpec& spec, const OptionMap& options) {
  ASSIGN_OR_RETURN(OptionMap complete,
                   CompleteOptions(spec.options(), options));
  if (complete == options) return absl::OkStatus();
  return InvalidArgumentError("the options of ", spec.name(),
                              " are incomplete");
}

absl::Status CheckType(const Subject& subject, ElementType type) {
  if (subject.implementation.contract.Allows(type)) return absl::OkStatus();
  return InvalidArgumentError(subject.implementation.name(), " does not take ",
                              Name(type));
}

absl::Status CheckSizeOfCase(const Subject& subject, std::int64_t size,
                             std::int64_t most) {
  most = std::min(most, subject.implementation.contract.max_size);
  if (0 <= size && size <= most) return absl::OkStatus();
  return InvalidArgumentError(
      "a case of ", size, " ", subject.spec->size_unit(), "; ",
      subject.implementation.name(), " is examined with 0 to ", most);
}

absl::Status CheckMemory(double bytes, absl::string_view what) {
  const auto available = static_cast<double>(AvailableMemory());
  if (bytes <= available) return absl::OkStatus();
  return InvalidArgumentError(absl::StrFormat(
      "%s would take %.0f GiB, and %.0f GiB of memory are there", what,
      bytes / 0x1p30, available / 0x1p30));
}

// What the signature says of the inputs, before anything looks at them.
absl::Status CheckInputs(const AlgorithmSpec& spec, const Case& test_case) {
  Inputs inputs;
  for (const auto& [name, value] : test_case.inputs) {
    // No view has another number of them.
    if (value.shape().empty() ||
        value.shape().size() > Shape::kMostDimensions) {
      return InvalidArgumentError("input '", name, "' has ",
                                  value.shape().size(), " dimensions");
    }
    inputs.emplace(name, value.view());
  }
  const SignatureData& signature = spec.algorithm().signature();
  std::vector<ConstArrayView> ordered;
  RETURN_IF_ERROR(PutInOrder(signature, inputs, ordered));
  for (std::size_t i = 0; i < ordered.size(); ++i) {
    const InputSpec& input = signature.inputs[i];
    const ConstArrayView& view = ordered[i];
    if (!view.given()) {
      if (input.optional) continue;
      return InvalidArgumentError("there is no input '", input.name, "'");
    }
    RETURN_IF_ERROR(CheckTypes(input.name, view, input.types));
    const int dimensions = static_cast<int>(input.shape.size());
    if (view.shape().dimensions() != dimensions) {
      return InvalidArgumentError("input '", input.name, "' has ",
                                  view.shape().dimensions(),
                                  " dimensions instead of ", dimensions);
    }
  }
  return absl::OkStatus();
}

// The case breaks no rule of the algorithm's own, and its results fit.
absl::Status CheckOutputs(const AlgorithmSpec& spec, const Case& test_case,
                          bool sound) {
  const absl::StatusOr<std::vector<OutputSpec>> outputs =
      spec.OutputsOf(test_case);
  if (!outputs.ok()) return sound ? outputs.status() : absl::OkStatus();
  double bytes = 0;
  for (const OutputSpec& output : *outputs) {
    double size = static_cast<double>(SizeOf(output.type));
    for (const std::int64_t extent : output.shape) {
      if (extent < 0) {
        return InvalidArgumentError("output '", output.name, "' would have ",
                                    extent, " elements");
      }
      size *= static_cast<double>(extent);
    }
    bytes += size;
  }
  // What is expected, and what comes out.
  return CheckMemory(2 * bytes, "the results");
}

absl::Status CheckBackend(const Subject& subject, const std::string& backend) {
  ASSIGN_OR_RETURN(const std::shared_ptr<Backend> opened, OpenBackend(backend));
  const ImplementationInfo& implementation = subject.implementation;
  if (backend.empty() || opened->info().name != implementation.backend) {
    return InvalidArgumentError(implementation.name(), " does not run on '",
                                backend, "'");
  }
  const std::string refusal = implementation.RefusalOn(*opened);
  if (refusal.empty()) return absl::OkStatus();
  return UnavailableError(implementation.name(), " cannot run on ", backend,
                          ": ", refusal);
}

absl::Status CheckCircumstances(const Subject& subject, const Trial& trial) {
  ASSIGN_OR_RETURN(const Placement placement, FindPlacement(trial.placement));
  if (placement.in_place && !subject.implementation.contract.in_place) {
    return InvalidArgumentError(subject.implementation.name(),
                                " does not work in place");
  }
  const std::vector<Law> laws = subject.spec->laws();
  if (!trial.law.empty() &&
      std::none_of(laws.begin(), laws.end(),
                   [&](const Law& law) { return law.name == trial.law; })) {
    return InvalidArgumentError(subject.spec->name(), " has no law '",
                                trial.law, "'");
  }
  if (trial.repetitions < 1 || trial.repetitions > kMostRepetitions) {
    return InvalidArgumentError(trial.repetitions,
                                " repetitions; there can be 1 to ",
                                kMostRepetitions);
  }
  absl::Status status = CheckBackend(subject, trial.backend);
  for (const std::string& other : trial.also_on) {
    if (status.ok()) status = CheckBackend(subject, other);
  }
  return status;
}

}  // namespace

absl::StatusOr<Subject> FindSubject(absl::string_view implementation) {
  const std::vector<std::string> names = absl::StrSplit(implementation, '/');
  ASSIGN_OR_RETURN(const AlgorithmSpec* spec, FindSpec(names.front()));
  for (ImplementationInfo& info : spec->implementations()) {
    if (info.name() == implementation) return Subject{spec, std::move(info)};
  }
  return NotFoundError("this program has no ", implementation);
}

absl::Status CheckRequest(const Subject& subject, const CaseRequest& request) {
  const AlgorithmSpec& spec = *subject.spec;
  RETURN_IF_ERROR(CheckType(subject, request.type));
  RETURN_IF_ERROR(CheckOptions(spec, request.options));
  RETURN_IF_ERROR(CheckSizeOfCase(subject, request.size, kPast32Bits));
  // The case, and its inputs where the implementation finds them.
  return CheckMemory(2.0 * static_cast<double>(SizeOf(request.type)) *
                         static_cast<double>(request.size),
                     "the case");
}

absl::Status CheckTrial(const Subject& subject, const Trial& trial,
                        bool sound) {
  const AlgorithmSpec& spec = *subject.spec;
  const Case& test_case = trial.test_case;
  absl::Status status = CheckType(subject, test_case.type);
  if (status.ok()) status = CheckOptions(spec, test_case.options);
  if (status.ok()) status = CheckCircumstances(subject, trial);
  if (status.ok()) status = CheckInputs(spec, test_case);
  if (status.ok()) {
    status = CheckSizeOfCase(subject, spec.SizeOfCase(test_case),
                             subject.implementation.contract.max_size);
  }
  if (status.ok()) status = CheckOutputs(spec, test_case, sound);
  return status;
}

}  // namespace concord
