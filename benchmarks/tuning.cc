// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/benchmarks/tuning.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/algorithm/container.h"
#include "concord/benchmarks/checked_case.h"
#include "concord/benchmarks/measure.h"
#include "concord/core/errors.h"

namespace concord {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

// Which implementation is best no longer changes beyond, and what is right for
// a case of this size is known within a second.
constexpr std::int64_t kLargestSize = std::int64_t{1} << 22;

// Where results are far more than the input.
constexpr std::int64_t kMostBytes = std::int64_t{256} << 20;

// Most contestants are far behind, which a few samples tell. Those that are not
// so many times as slow as the best go on.
constexpr int kFirstSamples = 4;
constexpr double kInTheRace = 1.4;

// The least of a few samples: whatever else the machine does adds to a time.
SamplingPlan PlanOfPoints() {
  SamplingPlan plan;
  plan.repetitions = 16;
  plan.max_seconds = 0.1;
  plan.least_sample_seconds = 2e-4;
  return plan;
}

CallFacts FactsOf(const AlgorithmSpec& spec, const Case& test_case,
                  const std::vector<OutputSpec>& outputs) {
  CallFacts facts;
  for (const InputSpec& input : spec.algorithm().signature().inputs) {
    const auto found = test_case.inputs.find(input.name);
    if (found == test_case.inputs.end()) continue;
    facts.AddInput(found->second.view());
  }
  for (const OutputSpec& output : outputs) facts.AddOutput(output.type);
  return facts;
}

// The contestants of one case, made ready when they are first needed.
class Field {
 public:
  Field(const TuningJob& job, const CheckedCase& checked)
      : job_(job), checked_(checked), contenders_(job.contestants.size()) {}

  // The times of those that are marked, at places which have that scope.
  void Time(Scope scope, const std::vector<DataPlace>& places,
            const std::vector<bool>& entrants, Seconds& seconds,
            std::map<int, std::string>& wrong) {
    std::vector<Contender*> ready;
    std::vector<std::size_t> numbers;
    for (std::size_t i = 0; i < entrants.size(); ++i) {
      Contender* const contender = entrants[i] ? Ready(i) : nullptr;
      if (contender == nullptr) continue;
      ready.push_back(contender);
      numbers.push_back(i);
    }
    const std::vector<absl::StatusOr<Timing>> timings = Contender::TimeInTurns(
        ready, scope, PlanOfPoints(), StillInTheRace(places, numbers));
    for (std::size_t k = 0; k < timings.size(); ++k) {
      if (timings[k].ok()) {
        seconds[numbers[k]] = timings[k]->least;
      } else if (absl::IsDataLoss(timings[k].status())) {
        wrong.emplace(static_cast<int>(numbers[k]),
                      timings[k].status().message());
      }
    }
  }

 private:
  // Null for one that has no memory for this case: it is none to choose for it.
  Contender* Ready(std::size_t i) {
    const Contestant& contestant = job_.contestants[i];
    const std::int64_t size = job_.spec->SizeOfCase(*checked_.test_case);
    if (size > contestant.info.contract.max_size) return nullptr;
    if (contenders_[i] == nullptr) {
      absl::StatusOr<std::unique_ptr<Contender>> contender = Contender::Create(
          *job_.spec, contestant.info.variant, contestant.backend,
          checked_.test_case, checked_.check);
      if (contender.ok()) contenders_[i] = *std::move(contender);
    }
    return contenders_[i].get();
  }

  // Whoever may still be the fastest at a place.
  Contender::GoesOn StillInTheRace(
      const std::vector<DataPlace>& places,
      const std::vector<std::size_t>& numbers) const {
    std::vector<std::vector<std::size_t>> races;
    for (const DataPlace place : places) {
      races.emplace_back();
      for (const int eligible : EligibleAt(job_, place)) {
        const auto found = absl::c_find(numbers, eligible);
        if (found == numbers.end()) continue;
        races.back().push_back(
            static_cast<std::size_t>(found - numbers.begin()));
      }
    }
    return [races](std::size_t contender, int samples,
                   const std::vector<double>& least) {
      if (samples < kFirstSamples) return true;
      return absl::c_any_of(races, [&](const std::vector<std::size_t>& race) {
        if (!absl::c_linear_search(race, contender)) return false;
        double best = kNever;
        for (const std::size_t i : race) best = std::min(best, least[i]);
        return least[contender] <= kInTheRace * best;
      });
    };
  }

  const TuningJob& job_;
  const CheckedCase& checked_;
  std::vector<std::unique_ptr<Contender>> contenders_;
};

}  // namespace

std::vector<TuningJob> Tuner::Jobs(
    const std::vector<std::string>& algorithms,
    const std::vector<std::string>& types) const {
  const auto wanted = [](const std::vector<std::string>& names,
                         absl::string_view name) {
    return names.empty() || absl::c_linear_search(names, name);
  };
  std::vector<TuningJob> jobs;
  for (const AlgorithmSpec* spec : AllSpecs()) {
    if (!wanted(algorithms, spec->name())) continue;
    const std::vector<ImplementationInfo> all = spec->implementations();
    for (const ElementType type : spec->element_types()) {
      if (!wanted(types, Name(type))) continue;
      TuningJob job = {spec, type, {}};
      for (const std::shared_ptr<Backend>& backend : backends_) {
        for (const ImplementationInfo& info : all) {
          if (info.backend == backend->info().name &&
              info.contract.Allows(type) && info.RefusalOn(*backend).empty()) {
            job.contestants.push_back({info, backend});
          }
        }
      }
      if (!PlacesOf(job).empty()) jobs.push_back(std::move(job));
    }
  }
  return jobs;
}

std::int64_t LargestSize(const TuningJob& job) {
  return std::min(kLargestSize, job.spec->largest_size());
}

Entrants AllOf(const TuningJob& job) {
  const std::size_t count = job.contestants.size();
  Entrants all = {std::vector<bool>(count), std::vector<bool>(count)};
  for (const DataPlace place : PlacesOf(job)) {
    auto& entrants = place == DataPlace::kDevice ? all.kernels : all.calls;
    for (const int i : EligibleAt(job, place)) {
      entrants[static_cast<std::size_t>(i)] = true;
    }
  }
  return all;
}

absl::StatusOr<Case> TuningCase(const TuningJob& job, std::int64_t size,
                                std::uint64_t seed) {
  const AlgorithmSpec& spec = *job.spec;
  CaseRequest request = {
      size, job.type, spec.Distributions(job.type).front(), {}, seed};
  ASSIGN_OR_RETURN(request.options, CompleteOptions(spec.options(), {}));
  ASSIGN_OR_RETURN(Case generated, spec.Generate(request));
  if (spec.FloorOf(generated).bytes() > kMostBytes) {
    return OutOfRangeError("a case of ", size, " is too large to tune with");
  }
  return generated;
}

absl::StatusOr<TuningPoint> MeasurePoint(const TuningJob& job,
                                         std::int64_t size, std::uint64_t seed,
                                         const Entrants& entrants) {
  ASSIGN_OR_RETURN(Case generated, TuningCase(job, size, seed));
  ASSIGN_OR_RETURN(const CheckedCase checked,
                   MakeCheckedCase(*job.spec, std::move(generated)));
  ASSIGN_OR_RETURN(const std::vector<OutputSpec> outputs,
                   job.spec->OutputsOf(*checked.test_case));
  const Seconds none(job.contestants.size(), kNever);
  TuningPoint point = {FactsOf(*job.spec, *checked.test_case, outputs), none,
                       none};
  Field field(job, checked);
  field.Time(Scope::kEndToEnd, {DataPlace::kCpu, DataPlace::kHost},
             entrants.calls, point.calls, point.wrong);
  field.Time(Scope::kKernel, {DataPlace::kDevice}, entrants.kernels,
             point.kernels, point.wrong);
  return point;
}

}  // namespace concord
