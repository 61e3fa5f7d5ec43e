// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/benchmarks/session.h"

#include <algorithm>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "concord/benchmarks/peers/peer.h"
#include "concord/core/errors.h"
#include "concord/core/guarded.h"
#include "concord/core/replicas.h"

namespace concord {
namespace {

// A ceiling needs no more: the spread of a copy is small.
constexpr int kCeilingRepetitions = 9;
constexpr double kCeilingSeconds = 0.25;

// Floors of up to this size count as small: the arrays of many implementations
// fit into memory together, and a sample is many runs, of which one at most
// finds in the caches what the others left there.
constexpr std::int64_t kSmallBytes = 64 << 10;

// Enough to see what an algorithm takes.
constexpr std::int64_t kFewElements = 1000;

SamplingPlan CeilingPlan(SamplingPlan plan) {
  plan.repetitions = std::min(plan.repetitions, kCeilingRepetitions);
  plan.max_seconds = std::min(plan.max_seconds, kCeilingSeconds);
  return plan;
}

// The case of a row, if the algorithm takes it.
absl::StatusOr<Case> GenerateFor(const AlgorithmSpec& spec,
                                 const CaseRequest& request) {
  ASSIGN_OR_RETURN(Case generated, spec.Generate(request));
  RETURN_IF_ERROR(spec.OutputsOf(generated).status());
  return generated;
}

// Whether one of the rows asks for the same with another type, for which the
// algorithm takes it.
bool IsForOtherTypes(const Row& row, const std::vector<Row>& rows) {
  for (const Row& other : rows) {
    if (other.spec != row.spec || other.request.type == row.request.type ||
        other.request.options != row.request.options) {
      continue;
    }
    CaseRequest request = other.request;
    request.size = std::min(request.size, kFewElements);
    if (GenerateFor(*row.spec, request).ok()) return true;
  }
  return false;
}

std::string ContenderName(const Row& row) {
  return absl::StrCat(row.backend, "/", row.implementation.variant);
}

}  // namespace

absl::Status Session::PrepareCase(const Row& row) {
  const std::string name = absl::StrCat(row.spec->name(), "/", row.CaseName());
  if (name == case_name_) return absl::OkStatus();
  // Before the next case is made: the two together may not fit.
  timings_.clear();
  contenders_.clear();
  case_name_.clear();
  case_ = {};
  absl::StatusOr<Case> generated = GenerateFor(*row.spec, row.request);
  if (absl::IsInvalidArgument(generated.status()) &&
      IsForOtherTypes(row, rows_)) {
    return UnimplementedError(generated.status().message());
  }
  RETURN_IF_ERROR(generated.status());
  ASSIGN_OR_RETURN(case_,
                   MakeCheckedCase(*row.spec, *std::move(generated), checker_));
  case_name_ = name;
  return absl::OkStatus();
}

absl::StatusOr<Contender*> Session::PrepareContender(const Row& row) {
  std::unique_ptr<Contender>& contender = contenders_[ContenderName(row)];
  if (contender == nullptr) {
    ASSIGN_OR_RETURN(
        contender, Contender::Create(*row.spec, row.implementation.variant,
                                     backends_.at(row.backend), case_.test_case,
                                     case_.check));
  }
  return contender.get();
}

bool Session::TakeTurns(const Row& a, const Row& b) const {
  return a.spec == b.spec && a.CaseName() == b.CaseName() &&
         a.scope == b.scope && a.cache == b.cache &&
         backends_.at(a.backend)->memory() == backends_.at(b.backend)->memory();
}

void Session::TimeInTurns(const Row& row, bool is_small) {
  std::vector<const Row*> rows;
  if (is_small) {
    for (const Row& other : rows_) {
      if (TakeTurns(row, other)) rows.push_back(&other);
    }
  } else {
    rows.push_back(&row);
    const std::string name = ContenderName(row);
    if (contenders_.count(name) == 0) contenders_.clear();
  }
  std::vector<const Row*> ready;
  std::vector<Contender*> contenders;
  for (const Row* other : rows) {
    absl::StatusOr<Contender*> contender = PrepareContender(*other);
    if (contender.ok()) {
      ready.push_back(other);
      contenders.push_back(*contender);
    } else {
      timings_.insert_or_assign(other->name(), Timed{contender.status(), {}});
    }
  }
  SamplingPlan plan = plan_;
  plan.cache = row.cache;
  std::vector<absl::StatusOr<Timing>> timings;
  Watched watched;
  int attempts = 0;
  bool disturbed = false;
  do {
    ++attempts;
    if (watching_.watch != nullptr) watching_.watch->Begin();
    timings = Contender::TimeInTurns(contenders, row.scope, plan);
    if (watching_.watch != nullptr) watched = watching_.watch->End();
    // What one of several replicas sees decides for all of them.
    disturbed = FromFirst(watched.disturbed_by.empty() ? 0 : 1) != 0;
  } while (disturbed && attempts < watching_.attempts &&
           absl::c_all_of(timings, [](const absl::StatusOr<Timing>& timing) {
             return timing.ok();
           }));
  for (std::size_t i = 0; i < ready.size(); ++i) {
    // What it left behind, scratch memory included, serves no other row.
    if (!timings[i].ok()) contenders_.erase(ContenderName(*ready[i]));
    timings_.insert_or_assign(ready[i]->name(),
                              Timed{std::move(timings[i]), watched, attempts});
  }
}

absl::StatusOr<Ceilings> Session::CeilingsFor(const Row& row,
                                              std::int64_t bytes) {
  const std::string memory = backends_.at(row.backend)->memory().name();
  const bool scales = row.scaling != Scaling::kNone;
  const auto key =
      std::make_tuple(scales ? row.backend : memory, bytes, row.cache);
  const auto known = ceilings_.find(key);
  if (known != ceilings_.end()) return known->second;
  std::vector<std::shared_ptr<Backend>> sharing;
  for (const auto& [spec, backend] : backends_) {
    if (scales ? spec == row.backend : backend->memory().name() == memory) {
      sharing.push_back(backend);
    }
  }
  SamplingPlan plan = CeilingPlan(plan_);
  plan.cache = row.cache;
  ASSIGN_OR_RETURN(auto measured, MeasureCeilings(sharing, bytes, plan));
  return ceilings_[key] = measured.at(memory);
}

absl::StatusOr<double> Session::InputCopyFor(const Row& row,
                                             std::int64_t bytes) {
  Backend& backend = *backends_.at(row.backend);
  const bool pinned = row.scope == Scope::kEndToEndPinned;
  const bool copies = pinned || row.scope == Scope::kEndToEnd;
  if (!copies || backend.memory().is_host()) return 0;
  const auto key = std::make_tuple(row.backend, bytes, row.scope);
  const auto known = input_copies_.find(key);
  if (known != input_copies_.end()) return known->second;
  absl::StatusOr<double> seconds =
      MeasureInputCopy(backend, bytes, pinned, CeilingPlan(plan_));
  if (seconds.ok()) input_copies_[key] = *seconds;
  return seconds;
}

absl::StatusOr<Measured> Session::Time(const Row& row) {
  // A replica without memory for it tells the others, which would wait for it.
  RETURN_IF_ERROR(
      AgreeAmongReplicas(Guarded([&] { return PrepareCase(row); })));
  const ImplementationInfo& info = row.implementation;
  if (!info.contract.Allows(case_.test_case->type)) {
    return UnimplementedError("its contract does not have ",
                              Name(case_.test_case->type));
  }
  Measured measured;
  measured.elements = row.spec->SizeOfCase(*case_.test_case);
  measured.floor = row.spec->FloorOf(*case_.test_case);
  for (const auto& [name, value] : case_.test_case->options) {
    const auto asked = row.request.options.find(name);
    if (asked != row.request.options.end() && asked->second != value) {
      measured.case_options[name] = value;
    }
  }
  auto timing = timings_.find(row.name());
  if (timing == timings_.end()) {
    TimeInTurns(row, measured.floor.bytes() <= kSmallBytes);
    timing = timings_.find(row.name());
  }
  const Timed& timed = timing->second;
  if (absl::IsUnimplemented(timed.timing.status()) && !IsPeer(info)) {
    return InternalError(info.name(), " refuses what its contract promises: ",
                         timed.timing.status().message());
  }
  RETURN_IF_ERROR(timed.timing.status());
  measured.timing = *timed.timing;
  measured.watched = timed.watched;
  measured.attempts = timed.attempts;
  ASSIGN_OR_RETURN(measured.ceilings, CeilingsFor(row, measured.floor.bytes()));
  ASSIGN_OR_RETURN(measured.input_copy_seconds,
                   InputCopyFor(row, measured.floor.bytes_read));
  return measured;
}

}  // namespace concord
