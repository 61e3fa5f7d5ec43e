// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/tools/concord/comparison_rows.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "concord/benchmarks/checked_case.h"
#include "concord/benchmarks/measure.h"
#include "concord/core/errors.h"
#include "concord/testing/engine/examiner.h"
#include "concord/tools/concord/text.h"

namespace concord {
namespace {

absl::StatusOr<MedianTimes> TimeScopes(Contender& contender,
                                       const Backend& backend,
                                       const SamplingPlan& plan) {
  ASSIGN_OR_RETURN(Timing call, contender.Time(Scope::kCall, plan));
  // In host memory the scopes differ by the cost of a call, nanoseconds. They
  // are one and the same for something that takes so long that it runs once,
  // and a slow reference need not run three times.
  if (backend.memory().is_host() && call.median > plan.max_seconds) {
    return MedianTimes{call.median, call.median, call.median};
  }
  ASSIGN_OR_RETURN(Timing kernel, contender.Time(Scope::kKernel, plan));
  ASSIGN_OR_RETURN(Timing end_to_end, contender.Time(Scope::kEndToEnd, plan));
  return MedianTimes{kernel.median, call.median, end_to_end.median};
}

ComparisonRow RunCandidate(const AlgorithmSpec& spec,
                           const CheckedCase& checked,
                           const Candidate& candidate,
                           const SamplingPlan& plan) {
  ComparisonRow row;
  row.candidate = candidate;
  row.reason =
      candidate.backend == nullptr
          ? candidate.reason
          : RefusalOf(candidate.info, checked.test_case->type,
                      spec.SizeOfCase(*checked.test_case), spec.size_unit());
  if (!row.reason.empty()) {
    row.status = RowStatus::kSkipped;
    return row;
  }
  absl::StatusOr<MedianTimes> seconds;
  absl::StatusOr<std::unique_ptr<Contender>> contender =
      Contender::Create(spec, candidate.info.variant, candidate.backend,
                        checked.test_case, checked.check);
  if (contender.ok()) {
    seconds = TimeScopes(**contender, *candidate.backend, plan);
  } else {
    seconds = contender.status();
  }
  if (seconds.ok()) {
    row.seconds = *seconds;
    return row;
  }
  row.status = seconds.status().code() == absl::StatusCode::kDataLoss
                   ? RowStatus::kMismatch
                   : RowStatus::kError;
  row.error = seconds.status();
  row.reason = std::string(seconds.status().message());
  return row;
}

// One backend for each that has candidates, in their order.
std::vector<std::shared_ptr<Backend>> BackendsOf(
    const std::vector<Candidate>& candidates) {
  std::vector<std::shared_ptr<Backend>> backends;
  for (const Candidate& candidate : candidates) {
    if (candidate.backend != nullptr &&
        std::find(backends.begin(), backends.end(), candidate.backend) ==
            backends.end()) {
      backends.push_back(candidate.backend);
    }
  }
  return backends;
}

// Seconds of a call of the reference. When it is none of the rows that have
// times, it is run for their sake; the error when that fails, too.
absl::StatusOr<double> SecondsOfReference(
    const AlgorithmSpec& spec, const CheckedCase& checked,
    const std::vector<ComparisonRow>& rows, const SamplingPlan& plan) {
  absl::Status failed;
  for (const ComparisonRow& row : rows) {
    if (row.candidate.info.backend != kReferenceBackend) continue;
    if (row.seconds.has_value()) return row.seconds->call;
    failed.Update(row.error);
  }
  RETURN_IF_ERROR(failed);
  ASSIGN_OR_RETURN(const std::shared_ptr<Backend> backend,
                   OpenBackend(kReferenceBackend));
  ASSIGN_OR_RETURN(
      const std::unique_ptr<Contender> contender,
      Contender::Create(spec, "", backend, checked.test_case, checked.check));
  ASSIGN_OR_RETURN(const Timing call, contender->Time(Scope::kCall, plan));
  return call.median;
}

bool IsOfTheInput(const absl::Status& status) {
  return absl::IsInvalidArgument(status) || absl::IsOutOfRange(status);
}

absl::Status RefusalOfInput(const std::vector<ComparisonRow>& rows,
                            const absl::Status& reference) {
  if (IsOfTheInput(reference)) return reference;
  absl::Status first;
  for (const ComparisonRow& row : rows) {
    if (row.status == RowStatus::kSkipped) continue;
    if (!IsOfTheInput(row.error)) return absl::OkStatus();
    if (first.ok()) first = row.error;
  }
  return first;
}

// A memory whose ceilings cannot be measured has none; what keeps them from
// being measured will be seen in its rows.
std::map<std::string, Ceilings> MeasureWherePossible(
    const std::vector<std::shared_ptr<Backend>>& backends, std::int64_t bytes,
    const SamplingPlan& plan) {
  std::map<std::string, Ceilings> best;
  for (const std::shared_ptr<Backend>& backend : backends) {
    absl::StatusOr<std::map<std::string, Ceilings>> measured =
        MeasureCeilings({backend}, bytes, plan);
    if (!measured.ok()) continue;
    for (const auto& [memory, ceilings] : *measured) {
      best[memory].RaiseTo(ceilings);
    }
  }
  return best;
}

void RelateToCeilings(ComparisonTable& table) {
  if (table.floor.bytes() == 0) return;
  for (ComparisonRow& row : table.rows) {
    if (!row.seconds.has_value()) continue;
    const std::string memory = row.candidate.backend->memory().name();
    const auto ceilings = table.ceilings.find(memory);
    if (ceilings == table.ceilings.end()) continue;
    const double rate =
        static_cast<double>(table.floor.bytes()) / row.seconds->kernel;
    row.ceiling_share = rate / ceilings->second.For(table.floor);
  }
}

}  // namespace

absl::string_view Name(RowStatus status) {
  switch (status) {
    case RowStatus::kOk:
      return "ok";
    case RowStatus::kMismatch:
      return "mismatch";
    case RowStatus::kSkipped:
      return "skipped";
    case RowStatus::kError:
      return "error";
  }
  return "unknown";
}

int ComparisonTable::Count(RowStatus status) const {
  return static_cast<int>(std::count_if(
      rows.begin(), rows.end(),
      [&](const ComparisonRow& row) { return row.status == status; }));
}

const ComparisonRow* ComparisonTable::Fastest() const {
  const ComparisonRow* fastest = nullptr;
  for (const ComparisonRow& row : rows) {
    if (!row.seconds.has_value()) continue;
    if (fastest == nullptr || row.seconds->call < fastest->seconds->call) {
      fastest = &row;
    }
  }
  return fastest;
}

ComparisonTable CompareCandidates(const AlgorithmSpec& spec,
                                  const CheckedCase& checked,
                                  const std::vector<Candidate>& candidates,
                                  int repetitions, ProgressLine& progress) {
  SamplingPlan plan;
  plan.repetitions = repetitions;
  ComparisonTable table;
  table.floor = spec.FloorOf(*checked.test_case);

  progress.Show("measuring what the memory can do");
  table.ceilings =
      MeasureWherePossible(BackendsOf(candidates), table.floor.bytes(), plan);

  for (const Candidate& candidate : candidates) {
    progress.Show(absl::StrCat("[", table.rows.size() + 1, "/",
                               candidates.size(), "] ", candidate.name()));
    table.rows.push_back(RunCandidate(spec, checked, candidate, plan));
  }
  progress.Show("timing the reference");
  const absl::StatusOr<double> reference =
      SecondsOfReference(spec, checked, table.rows, plan);
  for (ComparisonRow& row : table.rows) {
    if (reference.ok() && row.seconds.has_value()) {
      row.speedup = *reference / row.seconds->call;
    }
  }
  table.refusal = RefusalOfInput(table.rows, reference.status());
  RelateToCeilings(table);
  return table;
}

}  // namespace concord
