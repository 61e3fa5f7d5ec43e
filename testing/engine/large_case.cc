// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/testing/engine/large_case.h"

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "concord/core/errors.h"
#include "concord/core/replicas.h"
#include "concord/core/signature_data.h"

namespace concord {
namespace {

// From a case of this size the memory and time of a large one are estimated.
constexpr std::int64_t kProbeSize = std::int64_t{1} << 20;

// Longer than this nobody should wait for an expected result, least of all on
// a machine that is paid for its GPU.
constexpr double kMostSeconds = 30;

// The rest is for everything else in the process and on the machine: to run out
// of memory ends more than this test.
constexpr double kUsableShareOfMemory = 0.6;

double BytesOf(const std::map<std::string, HostArray>& arrays) {
  double bytes = 0;
  for (const auto& [name, array] : arrays) bytes += array.view().bytes();
  return bytes;
}

struct Made {
  LargeCase large;
  double input_bytes = 0;
  double expected_bytes = 0;
  // Of the arrays that an implementation gets, which may write less.
  double output_bytes = 0;
  double seconds = 0;
};

absl::StatusOr<Made> Make(const AlgorithmSpec& spec, ElementType type,
                          std::int64_t size) {
  const auto start = std::chrono::steady_clock::now();
  Made made;
  ASSIGN_OR_RETURN(OptionMap options, CompleteOptions(spec.options(), {}));
  const CaseRequest request = {size, type, spec.Distributions(type).front(),
                               std::move(options), /*seed=*/1};
  ASSIGN_OR_RETURN(made.large.trial.test_case, spec.Generate(request));
  made.large.trial.request = request;
  ASSIGN_OR_RETURN(made.large.expected,
                   spec.Expected(made.large.trial.test_case));
  made.input_bytes = BytesOf(made.large.trial.test_case.inputs);
  ASSIGN_OR_RETURN(const std::vector<OutputSpec> outputs,
                   spec.OutputsOf(made.large.trial.test_case));
  for (const OutputSpec& output : outputs) {
    made.output_bytes += static_cast<double>(CapacityBytes(output));
  }
  for (const auto& [name, expectation] : made.large.expected) {
    made.expected_bytes += expectation.value.view().bytes() +
                           sizeof(double) * expectation.tolerance.size();
  }
  made.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count();
  return made;
}

// By all replicas, or by none of them.
absl::StatusOr<Made> MadeByAll(const AlgorithmSpec& spec, ElementType type,
                               std::int64_t size) {
  return OnAllReplicas([&] { return Make(spec, type, size); });
}

// Why a case of this size cannot be made here; "" when it can. Each replica has
// the case, and all of them share the memory that is `available`. On a backend
// that takes the host's memory they have its arrays once more together.
std::string Obstacle(const Made& probe, std::int64_t size, bool on_host,
                     double available) {
  const double times =
      static_cast<double>(size) / static_cast<double>(kProbeSize);
  // The planted fault of 32-bit indexes keeps a second copy of the inputs.
  const double copies = size >= kPast32Bits ? 2 : 1;
  const double inputs = copies * probe.input_bytes;
  const double bytes =
      times * ((inputs + probe.expected_bytes) * ReplicaCount() +
               (on_host ? inputs + probe.output_bytes : 0));
  const double usable = kUsableShareOfMemory * available;
  if (bytes > usable) {
    return absl::StrFormat(
        "it needs %.0f GiB of host memory and %.0f GiB are to be had",
        bytes / 0x1p30, usable / 0x1p30);
  }
  if (times * probe.seconds > kMostSeconds) {
    return absl::StrFormat("its expected result would take about %.0f minutes",
                           times * probe.seconds / 60);
  }
  return "";
}

ElementType NarrowestType(const Contract& contract) {
  const std::vector<ElementType>& types = contract.element_types;
  return *std::min_element(
      types.begin(), types.end(),
      [](ElementType a, ElementType b) { return SizeOf(a) < SizeOf(b); });
}

}  // namespace

absl::StatusOr<std::shared_ptr<LargeCase>> MakeLargeCase(
    const AlgorithmSpec& spec, const ImplementationInfo& implementation,
    bool on_host, std::int64_t available) {
  const Contract& contract = implementation.contract;
  const ElementType type = NarrowestType(contract);
  ASSIGN_OR_RETURN(Made probe, MadeByAll(spec, type, kProbeSize));
  // Replicas run the same cases, so one of them looks at its clock and memory.
  probe.seconds = FromFirst(probe.seconds);
  const double free_bytes = FromFirst(static_cast<double>(available));

  static std::string kept_as;
  static std::shared_ptr<LargeCase> kept;
  static double kept_bytes = 0;
  // Unless someone else holds on to it.
  const double regained =
      kept.use_count() == 1 ? kept_bytes * ReplicaCount() : 0;
  std::string obstacle;
  for (std::int64_t size : {kPast32Bits, kPast31Bits}) {
    size = std::min(size, contract.max_size);
    const std::string key =
        absl::StrCat(spec.name(), " ", Name(type), " ", size);
    if (key == kept_as) return kept;
    obstacle = Obstacle(probe, size, on_host, free_bytes + regained);
    if (!obstacle.empty()) continue;
    // What was kept goes before the next is made.
    kept.reset();
    kept_as.clear();
    ASSIGN_OR_RETURN(Made made, MadeByAll(spec, type, size));
    kept_bytes = made.input_bytes + made.expected_bytes;
    kept = std::make_shared<LargeCase>(std::move(made.large));
    kept_as = key;
    return kept;
  }
  return absl::FailedPreconditionError(obstacle);
}

}  // namespace concord
