// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/benchmarks/tuning_search.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iterator>
#include <limits>

#include "absl/algorithm/container.h"
#include "concord/core/errors.h"

namespace concord {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

// Sizes grow by this factor. Between two with different winners the size where
// they change is then found to kFine.
constexpr int kCoarse = 4;
constexpr double kFine = 1.2;

// The part of the time for larger and larger sizes; the rest is for the sizes
// where winners change.
constexpr double kGrowing = 0.7;

// What takes so many times as long as the best, on a case that is not dominated
// by the cost of a call, and does not get better, is not tried on larger ones.
constexpr double kHopeless = 4;
constexpr double kMoreThanACall = 50e-6;
constexpr double kMoreThanALaunch = 10e-6;
// Nor is what takes so many times the cost of a call.
constexpr double kSlow = 20;

// At a size that is known, those that may be the fastest there after all.
constexpr double kClose = 1.3;

// What may be lost in an octave that nobody knows anything of, and in one where
// a busy moment of the machine's may have made a fast contestant look slow.
constexpr double kUnknown = 0.3;
constexpr double kDoubt = 0.06;

// Less is not worth a measurement.
constexpr double kWorthwhile = 0.05;

bool IsFar(double seconds, double best) { return seconds > kHopeless * best; }

// Whether to leave it out of cases larger than that of `last`, the next larger
// one after `before`.
bool IsHopeless(double before, double best_before, double last, double best,
                double cost) {
  if (!IsFar(last, best)) return false;
  if (best <= cost && last <= kSlow * cost) return false;
  return last / best >= 0.9 * (before / best_before);
}

double BestOf(const Seconds& seconds, const std::vector<int>& eligible) {
  const int fastest = FastestOf(seconds, eligible);
  return fastest < 0 ? kNever : seconds[static_cast<std::size_t>(fastest)];
}

double Octaves(std::int64_t low, std::int64_t high) {
  return std::log2(static_cast<double>(high) / static_cast<double>(low));
}

}  // namespace

double SecondsOfNext(double before, double last, double factor) {
  return last + factor * std::max(0.0, last - before);
}

JobSearch::JobSearch(const TuningJob& job)
    : JobSearch(job, [&job](std::int64_t size, const Entrants& entrants) {
        constexpr std::uint64_t kSeed = 1;
        return MeasurePoint(job, size, kSeed, entrants);
      }) {}

bool JobSearch::IsCutOff() const {
  return !requests_.empty() && too_large_ == 0 &&
         requests_.rbegin()->first < LargestSize(job_);
}

double JobSearch::SecondsOfLarger() const {
  if (requests_.empty()) return 0;
  const auto last = requests_.rbegin();
  const auto before = std::next(last);
  // Of the first nothing is known that grows.
  if (before == requests_.rend()) return last->second.seconds;
  return SecondsOfNext(before->second.seconds, last->second.seconds, kCoarse);
}

std::int64_t JobSearch::Larger(double seconds) const {
  if (requests_.empty()) return 1;
  if (!IsCutOff() || SecondsOfLarger() > seconds) return 0;
  return std::min(kCoarse * requests_.rbegin()->first, LargestSize(job_));
}

Entrants JobSearch::EntrantsAt(std::int64_t size) const {
  Entrants all = AllOf(job_);
  for (const auto& [contestant, message] : wrong_) {
    all.calls[static_cast<std::size_t>(contestant)] = false;
    all.kernels[static_cast<std::size_t>(contestant)] = false;
  }
  if (requests_.empty()) return all;
  const auto high = requests_.lower_bound(size);
  const bool is_known = high != requests_.end() && high->first == size;
  const bool is_largest = high == requests_.end();
  const auto low = is_known ? high : std::prev(high);
  Entrants entrants = {std::vector<bool>(all.calls.size()),
                       std::vector<bool>(all.kernels.size())};
  for (const DataPlace place : PlacesOf(job_)) {
    const bool is_device = place == DataPlace::kDevice;
    const double cost = is_device ? kMoreThanALaunch : kMoreThanACall;
    const std::vector<int> eligible = EligibleAt(job_, place);
    const Seconds& at_low = At(low->first).At(place);
    const double best_low = BestOf(at_low, eligible);
    for (const int contestant : eligible) {
      const auto i = static_cast<std::size_t>(contestant);
      bool may_win = false;
      if (is_known) {
        may_win = at_low[i] <= kClose * best_low;
      } else if (!is_largest) {
        const Seconds& at_high = At(high->first).At(place);
        may_win = !IsFar(at_low[i], best_low) ||
                  !IsFar(at_high[i], BestOf(at_high, eligible));
      } else if (low == requests_.begin()) {
        may_win = true;
      } else {
        const Seconds& before = At(std::prev(low)->first).At(place);
        may_win = !IsHopeless(before[i], BestOf(before, eligible), at_low[i],
                              best_low, cost);
      }
      if (may_win && (is_device ? all.kernels : all.calls)[i]) {
        (is_device ? entrants.kernels : entrants.calls)[i] = true;
      }
    }
  }
  return entrants;
}

void JobSearch::TakeOut(const std::map<int, std::string>& wrong) {
  wrong_.insert(wrong.begin(), wrong.end());
  for (const auto& [contestant, message] : wrong_) {
    for (auto& [size, point] : points_) {
      point.calls[static_cast<std::size_t>(contestant)] = kNever;
      point.kernels[static_cast<std::size_t>(contestant)] = kNever;
    }
  }
}

absl::Status JobSearch::MeasureAt(std::int64_t size) {
  const auto start = std::chrono::steady_clock::now();
  const absl::StatusOr<TuningPoint> point = measure_(size, EntrantsAt(size));
  if (absl::IsOutOfRange(point.status())) {
    too_large_ = size;
    return absl::OkStatus();
  }
  RETURN_IF_ERROR(point.status());
  Measured& measured = requests_[size];
  measured.size = point->facts.size;
  measured.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count();
  ++measured.times;
  const auto [known, is_new] = points_.emplace(point->facts.size, *point);
  if (!is_new) TakeLeast(*point, known->second);
  TakeOut(point->wrong);
  return absl::OkStatus();
}

JobSearch::Suggestion JobSearch::Between(Requests::const_iterator low,
                                         Requests::const_iterator high) const {
  Suggestion best;
  const double width = Octaves(low->first, high->first);
  if (width < std::log2(kFine)) return best;
  for (const DataPlace place : PlacesOf(job_)) {
    const std::vector<int> eligible = EligibleAt(job_, place);
    const Seconds& at_low = At(low->first).At(place);
    const Seconds& at_high = At(high->first).At(place);
    const int first = FastestOf(at_low, eligible);
    const int second = FastestOf(at_high, eligible);
    if (first < 0 || second < 0 || first == second) continue;
    const auto a = static_cast<std::size_t>(first);
    const auto b = static_cast<std::size_t>(second);
    const double ahead_low = std::min(1.0, std::log2(at_low[b] / at_low[a]));
    const double ahead_high = std::min(1.0, std::log2(at_high[a] / at_high[b]));
    const double sum = ahead_low + ahead_high;
    const double gain = width * std::min(1.0, sum);
    // Where they are expected to cross, but not too near to what is known.
    const double part = sum > 0 ? std::clamp(ahead_low / sum, 0.25, 0.75) : 0.5;
    const auto size = static_cast<std::int64_t>(
        std::lround(static_cast<double>(low->first) * std::exp2(part * width)));
    if (gain <= best.gain || requests_.count(size) != 0) continue;
    best = {size, gain, high->second.seconds};
  }
  return best;
}

// The fastest and those that are close to it, once more at another moment.
JobSearch::Suggestion JobSearch::Again(Requests::const_iterator request) const {
  if (request->second.times > 1) return {};
  const bool is_close = absl::c_any_of(PlacesOf(job_), [&](DataPlace place) {
    const Seconds& seconds = At(request->first).At(place);
    const std::vector<int> eligible = EligibleAt(job_, place);
    const double best = BestOf(seconds, eligible);
    return absl::c_count_if(eligible, [&](int i) {
             return seconds[static_cast<std::size_t>(i)] <= kClose * best;
           }) > 1;
  });
  if (!is_close) return {};
  const auto low = request == requests_.begin() ? request : std::prev(request);
  const auto high =
      std::next(request) == requests_.end() ? request : std::next(request);
  return {request->first, kDoubt * Octaves(low->first, high->first) / 2,
          request->second.seconds};
}

JobSearch::Suggestion JobSearch::Best() const {
  Suggestion best;
  const auto consider = [&](const Suggestion& other) {
    if (other.size == 0 || other.gain < kWorthwhile) return;
    if (best.size == 0 || other.IsBetterThan(best)) {
      best = other;
    }
  };
  if (IsCutOff()) {
    const std::int64_t last = requests_.rbegin()->first;
    consider({Larger(kNever), kUnknown * Octaves(last, LargestSize(job_)),
              SecondsOfLarger()});
  }
  for (auto here = requests_.begin(); here != requests_.end(); ++here) {
    consider(Again(here));
    if (const auto next = std::next(here); next != requests_.end()) {
      consider(Between(here, next));
    }
  }
  return best;
}

void JobSearch::AddTo(Choices& choices) const {
  if (points_.empty()) return;
  const ElementType type = points_.begin()->second.facts.type;
  for (const DataPlace place : PlacesOf(job_)) {
    std::vector<ChoiceStep> steps = StepsOf(job_, place, points_, IsCutOff());
    if (steps.empty()) continue;
    choices.steps[{job_.spec->name(), type, place}] = std::move(steps);
  }
}

namespace {

// Tunes jobs within some time.
class Tuning {
 public:
  Tuning(const std::vector<TuningJob>& jobs, double seconds,
         const BeforeTuning& before, Choices& choices)
      : seconds_(seconds), before_(before), choices_(choices) {
    for (const TuningJob& job : jobs) searches_.emplace_back(job);
  }

  // Each job in a share of the time.
  absl::Status Grow() {
    for (std::size_t i = 0; i < searches_.size(); ++i) {
      JobSearch& search = searches_[i];
      const double share = (kGrowing * seconds_ - Spent()) /
                           static_cast<double>(searches_.size() - i);
      const double end = Spent() + share;
      while (const std::int64_t size = search.Larger(end - Spent())) {
        RETURN_IF_ERROR(before_(search.job(), i, seconds_ - Spent()));
        RETURN_IF_ERROR(search.MeasureAt(size));
        // There are no cases of this job.
        if (search.Larger(kNever) == size) break;
      }
      search.AddTo(choices_);
    }
    return absl::OkStatus();
  }

  // Wherever it gains most.
  absl::Status Refine() {
    std::vector<JobSearch::Suggestion> suggestions;
    for (const JobSearch& search : searches_) {
      suggestions.push_back(search.Best());
    }
    while (true) {
      const double left = seconds_ - Spent();
      std::size_t best = searches_.size();
      for (std::size_t i = 0; i < searches_.size(); ++i) {
        const JobSearch::Suggestion& here = suggestions[i];
        if (here.size == 0 || here.seconds > left) continue;
        if (best == searches_.size() || here.IsBetterThan(suggestions[best])) {
          best = i;
        }
      }
      if (best == searches_.size()) return absl::OkStatus();
      JobSearch& search = searches_[best];
      RETURN_IF_ERROR(before_(search.job(), searches_.size(), left));
      RETURN_IF_ERROR(search.MeasureAt(suggestions[best].size));
      search.AddTo(choices_);
      suggestions[best] = search.Best();
    }
  }

  void AddWrong(std::vector<std::string>& wrong) const {
    for (const JobSearch& search : searches_) {
      for (const auto& [contestant, message] : search.wrong()) {
        const TuningJob& job = search.job();
        wrong.push_back(
            job.contestants[static_cast<std::size_t>(contestant)].info.name() +
            " on " + std::string(Name(job.type)) + ": " + message);
      }
    }
  }

 private:
  double Spent() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() -
                                         start_)
        .count();
  }

  const double seconds_;
  const BeforeTuning& before_;
  Choices& choices_;
  const std::chrono::steady_clock::time_point start_ =
      std::chrono::steady_clock::now();
  std::vector<JobSearch> searches_;
};

}  // namespace

absl::Status TuneAll(const std::vector<TuningJob>& jobs, double seconds,
                     const BeforeTuning& before, Choices& choices,
                     std::vector<std::string>& wrong) {
  Tuning tuning(jobs, seconds, before, choices);
  absl::Status status = tuning.Grow();
  if (status.ok()) status = tuning.Refine();
  tuning.AddWrong(wrong);
  return status;
}

}  // namespace concord
