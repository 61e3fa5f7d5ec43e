// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/benchmarks/tuning.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
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

// Sizes grow by this factor. Between two with different winners the size where
// they change is then found to kFine, which is far closer than 10 % of a time:
// where two times cross, they are nearly equal.
constexpr int kCoarse = 4;
constexpr double kFine = 1.25;

// The part of a job's time for larger and larger sizes; the rest is for the
// sizes where winners change.
constexpr double kGrowing = 0.5;

// What takes so many times as long as the best, on a case that is not dominated
// by the cost of a call, and does not get better, is not tried on larger ones.
constexpr double kHopeless = 4;
constexpr double kMoreThanACall = 50e-6;

// The least of a few samples: whatever else the machine does adds to a time.
SamplingPlan PlanOfPoints() {
  SamplingPlan plan;
  plan.repetitions = 15;
  plan.max_seconds = 0.1;
  plan.least_sample_seconds = 2e-4;
  return plan;
}

double SecondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
      .count();
}

CallFacts FactsOf(const AlgorithmSpec& spec, const Case& test_case,
                  const std::vector<OutputSpec>& outputs) {
  CallFacts facts;
  bool is_first = true;
  for (const InputSpec& input : spec.algorithm().signature().inputs) {
    const auto found = test_case.inputs.find(input.name);
    if (found == test_case.inputs.end()) continue;
    facts.AddInput(found->second.view(), is_first);
    is_first = false;
  }
  for (const OutputSpec& output : outputs) facts.AddOutput(output.type);
  return facts;
}

// Which contestants are hopeless on cases larger than `point`, the next larger
// one after `before`.
void MarkHopeless(const TuningPoint& before, const TuningPoint& point,
                  std::vector<bool>& skip) {
  const double best = *absl::c_min_element(point.seconds);
  const double best_before = *absl::c_min_element(before.seconds);
  if (!(best > kMoreThanACall)) return;
  for (std::size_t i = 0; i < skip.size(); ++i) {
    const double ratio = point.seconds[i] / best;
    const bool gets_better = ratio < 0.9 * (before.seconds[i] / best_before);
    if (ratio > kHopeless && !gets_better) skip[i] = true;
  }
}

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
      for (const bool on_device : {false, true}) {
        TuningJob job = {spec, type, on_device, {}};
        for (const std::shared_ptr<Backend>& backend : backends_) {
          if (on_device && backend->memory().is_host()) continue;
          for (const ImplementationInfo& info : all) {
            if (info.backend == backend->info().name &&
                info.contract.Allows(type) &&
                info.RefusalOn(*backend).empty()) {
              job.contestants.push_back({info, backend});
            }
          }
        }
        bool can_choose = false;
        for (const DataPlace place : PlacesOf(job)) {
          can_choose |= EligibleAt(job, place).size() > 1;
        }
        if (can_choose) jobs.push_back(std::move(job));
      }
    }
  }
  return jobs;
}

std::vector<DataPlace> Tuner::PlacesOf(const TuningJob& job) const {
  if (job.on_device) return {DataPlace::kDevice};
  std::vector<DataPlace> places = {DataPlace::kCpu};
  const bool has_device =
      absl::c_any_of(backends_, [](const std::shared_ptr<Backend>& backend) {
        return !backend->memory().is_host();
      });
  if (has_device) places.push_back(DataPlace::kHost);
  return places;
}

std::int64_t LargestSize(const TuningJob& job) {
  return std::min(kLargestSize, job.spec->largest_size());
}

absl::StatusOr<TuningPoint> Tuner::Measure(
    const TuningJob& job, std::int64_t size, std::uint64_t seed,
    const std::vector<bool>& skip) const {
  const AlgorithmSpec& spec = *job.spec;
  CaseRequest request = {
      size, job.type, spec.Distributions(job.type).front(), {}, seed};
  ASSIGN_OR_RETURN(request.options, CompleteOptions(spec.options(), {}));
  ASSIGN_OR_RETURN(Case generated, spec.Generate(request));
  if (spec.FloorOf(generated).bytes() > kMostBytes) {
    return OutOfRangeError("a case of ", size, " is too large to tune with");
  }
  ASSIGN_OR_RETURN(const CheckedCase checked,
                   MakeCheckedCase(spec, std::move(generated)));
  const Case& test_case = *checked.test_case;
  ASSIGN_OR_RETURN(const std::vector<OutputSpec> outputs,
                   spec.OutputsOf(test_case));
  TuningPoint point = {FactsOf(spec, test_case, outputs),
                       std::vector<double>(job.contestants.size(), kNever)};
  const std::int64_t case_size = spec.SizeOfCase(test_case);
  std::vector<std::unique_ptr<Contender>> contenders;
  std::vector<Contender*> ready;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < job.contestants.size(); ++i) {
    const Contestant& contestant = job.contestants[i];
    const bool skipped = i < skip.size() && skip[i];
    if (skipped || case_size > contestant.info.contract.max_size) continue;
    absl::StatusOr<std::unique_ptr<Contender>> contender =
        Contender::Create(spec, contestant.info.variant, contestant.backend,
                          checked.test_case, checked.check);
    // One that has no memory for this case is none to choose for it.
    if (!contender.ok()) continue;
    contenders.push_back(*std::move(contender));
    ready.push_back(contenders.back().get());
    places.push_back(i);
  }
  const std::vector<absl::StatusOr<Timing>> timings = Contender::TimeInTurns(
      ready, job.on_device ? Scope::kKernel : Scope::kEndToEnd, PlanOfPoints());
  for (std::size_t i = 0; i < timings.size(); ++i) {
    // A wrong result ends the tuning; one that fails is merely not chosen.
    if (absl::IsDataLoss(timings[i].status())) {
      return DataLossError(job.contestants[places[i]].info.name(), ": ",
                           timings[i].status().message());
    }
    if (timings[i].ok()) point.seconds[places[i]] = timings[i]->least;
  }
  return point;
}

namespace {

// Tunes one job.
class JobTuning {
 public:
  JobTuning(const Tuner& tuner, const TuningJob& job, double seconds)
      : tuner_(tuner),
        job_(job),
        seconds_(seconds),
        skip_(job.contestants.size(), false) {}

  // Larger and larger sizes, as far as there is time.
  absl::Status Grow() {
    std::int64_t last = 0;
    // Of the first nothing is known that grows.
    double seconds_of_last = kNever;
    for (std::int64_t size = 1; size <= LargestSize(job_); size *= kCoarse) {
      const double began = Spent();
      const absl::Status measured = Measure(size);
      if (absl::IsOutOfRange(measured) && last > 0) break;
      RETURN_IF_ERROR(measured);
      if (last > 0) MarkHopeless(At(last), At(size), skip_);
      last = size;
      const double taken = Spent() - began;
      const double next = SecondsOfNext(seconds_of_last, taken, kCoarse);
      const bool has_time = Spent() + next < kGrowing * seconds_;
      seconds_of_last = taken;
      is_cut_off_ = !has_time && size * kCoarse <= LargestSize(job_);
      if (is_cut_off_) break;
    }
    return absl::OkStatus();
  }

  // Once more where the default is not the fastest: a busy moment of the
  // machine's shall not be what takes its place.
  absl::Status Confirm() {
    skip_.assign(skip_.size(), false);
    std::vector<std::int64_t> doubtful;
    for (const auto& [request, size] : requests_) {
      const TuningPoint& point = points_.at(size);
      const bool is_other =
          absl::c_any_of(tuner_.PlacesOf(job_), [&](DataPlace place) {
            return FastestOf(point, EligibleAt(job_, place)) !=
                   StandardOf(job_, place);
          });
      if (is_other) doubtful.push_back(request);
    }
    for (const std::int64_t request : doubtful) {
      if (Spent() > seconds_) break;
      RETURN_IF_ERROR(Measure(request));
    }
    return absl::OkStatus();
  }

  // Sizes between those where winners change.
  absl::Status Refine() {
    while (Spent() < seconds_) {
      const std::int64_t size = SizeBetween();
      if (size == 0) break;
      RETURN_IF_ERROR(Measure(size));
    }
    return absl::OkStatus();
  }

  void AddTo(Choices& choices) const {
    if (points_.empty()) return;
    const ElementType type = points_.begin()->second.facts.type;
    for (const DataPlace place : tuner_.PlacesOf(job_)) {
      choices.steps[{job_.spec->name(), type, place}] =
          StepsOf(job_, place, points_, is_cut_off_);
    }
  }

 private:
  double Spent() const { return SecondsSince(start_); }
  const TuningPoint& At(std::int64_t request) const {
    return points_.at(requests_.at(request));
  }

  absl::Status Measure(std::int64_t size) {
    constexpr std::uint64_t kSeed = 1;
    ASSIGN_OR_RETURN(TuningPoint point,
                     tuner_.Measure(job_, size, kSeed, skip_));
    requests_[size] = point.facts.size;
    const auto [known, is_new] =
        points_.emplace(point.facts.size, TuningPoint(point));
    if (!is_new) TakeLeast(point, known->second);
    return absl::OkStatus();
  }

  bool WinnersDiffer(const TuningPoint& a, const TuningPoint& b) const {
    return absl::c_any_of(tuner_.PlacesOf(job_), [&](DataPlace place) {
      const std::vector<int> eligible = EligibleAt(job_, place);
      return FastestOf(a, eligible) != FastestOf(b, eligible);
    });
  }

  // The middle of two sizes that are far apart and have different winners; 0
  // without such.
  std::int64_t SizeBetween() const {
    for (auto small = requests_.begin(); small != requests_.end(); ++small) {
      const auto large = std::next(small);
      if (large == requests_.end()) break;
      const auto from = static_cast<double>(small->first);
      const auto to = static_cast<double>(large->first);
      const auto middle = static_cast<std::int64_t>(std::sqrt(from * to));
      if (to >= kFine * from && requests_.count(middle) == 0 &&
          WinnersDiffer(At(small->first), At(large->first))) {
        return middle;
      }
    }
    return 0;
  }

  const Tuner& tuner_;
  const TuningJob& job_;
  const double seconds_;
  const std::chrono::steady_clock::time_point start_ =
      std::chrono::steady_clock::now();
  std::vector<bool> skip_;
  bool is_cut_off_ = false;
  // From the size that was asked for to that of the first input.
  std::map<std::int64_t, std::int64_t> requests_;
  // By the latter.
  std::map<std::int64_t, TuningPoint> points_;
};

}  // namespace

absl::Status Tuner::Tune(const TuningJob& job, double seconds,
                         Choices& choices) const {
  JobTuning tuning(*this, job, seconds);
  RETURN_IF_ERROR(tuning.Grow());
  RETURN_IF_ERROR(tuning.Confirm());
  RETURN_IF_ERROR(tuning.Refine());
  tuning.AddTo(choices);
  return absl::OkStatus();
}

}  // namespace concord
