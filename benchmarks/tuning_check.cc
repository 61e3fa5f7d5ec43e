// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/benchmarks/tuning_check.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "concord/benchmarks/sampling.h"
#include "concord/core/call.h"
#include "concord/core/chooser.h"
#include "concord/core/errors.h"
#include "concord/core/random.h"

namespace concord {
namespace {

const Contestant& ContestantOf(const TuningJob& job, int contestant) {
  return job.contestants[static_cast<std::size_t>(contestant)];
}

// The contestant that `auto` takes, by index.
int ChosenAt(const TuningJob& job, DataPlace place, const Choices& choices,
             const CallFacts& facts) {
  const int standard = StandardOf(job, place);
  Chooser chooser(choices);
  const AlgorithmChoices::Candidate* const candidate =
      chooser
          .For(job.spec->name(), *ContestantOf(job, standard).backend,
               [&] { return job.spec->implementations(); })
          .Find(place, facts);
  for (std::size_t i = 0; candidate != nullptr && i < job.contestants.size();
       ++i) {
    if (job.contestants[i].info.backend == candidate->backend &&
        job.contestants[i].info.variant == candidate->variant) {
      return static_cast<int>(i);
    }
  }
  return standard;
}

// Any size up to the largest one, each power of two as likely as another.
std::int64_t DrawSize(const TuningJob& job, Random& random) {
  const double most = std::log(static_cast<double>(LargestSize(job)));
  return std::lround(std::exp(random.Unit() * most));
}

// A case whose inputs lie where calls find them.
class CallCase {
 public:
  static absl::StatusOr<CallCase> Create(const TuningJob& job,
                                         std::int64_t size, std::uint64_t seed,
                                         Backend& backend, DataPlace place) {
    CallCase made;
    ASSIGN_OR_RETURN(made.case_, TuningCase(job, size, seed));
    made.algorithm_ = &job.spec->algorithm();
    made.is_on_device_ = place == DataPlace::kDevice;
    made.sources_ = SourcesOf(made.case_);
    if (made.is_on_device_) {
      ASSIGN_OR_RETURN(made.placed_, Place(backend, made.sources_, {}, {},
                                           InBackendMemory()));
      made.sources_ = SourcesOf(made.placed_.inputs);
    }
    ASSIGN_OR_RETURN(const std::vector<OutputSpec> outputs,
                     job.spec->OutputsOf(made.case_));
    for (const OutputSpec& output : outputs)
      made.outputs_.push_back(output.name);
    return made;
  }

  // One whole call. Results on a device stay there.
  absl::Status Run(const std::shared_ptr<Backend>& backend,
                   absl::string_view variant) const {
    std::map<std::string, HostArraySink> results;
    Sinks sinks;
    if (!is_on_device_) {
      for (const std::string& output : outputs_) {
        sinks.emplace(output, &results[output]);
      }
    }
    ASSIGN_OR_RETURN(Call call, Call::Create(*algorithm_, backend, variant,
                                             case_.options, sources_, sinks));
    RETURN_IF_ERROR(call.Launch());
    return call.Finish();
  }

 private:
  Case case_;
  const Algorithm* algorithm_ = nullptr;
  bool is_on_device_ = false;
  Arrays placed_;
  Sources sources_;
  std::vector<std::string> outputs_;
};

// Times calls on `backend`, which chooses, and those of `best`, in turns.
absl::Status TimeCalls(const CallCase& call_case,
                       const std::shared_ptr<Backend>& backend,
                       const Contestant& best, CheckedChoice& choice) {
  SamplingPlan plan;
  plan.max_seconds = 0.1;
  plan.least_sample_seconds = 2e-4;
  const auto sampler = [&](const std::shared_ptr<Backend>& on,
                           std::string variant) {
    return Sampler(plan, nullptr, [&call_case, on, variant](std::int64_t runs) {
      return TimeByTheClock(*on, runs,
                            [&] { return call_case.Run(on, variant); });
    });
  };
  std::vector<Sampler> samplers = {sampler(backend, ""),
                                   sampler(best.backend, best.info.variant)};
  // What a first call makes ready is not timed. Some calls cannot be planned
  // while their elements are on a device.
  const absl::Status first = call_case.Run(backend, "");
  const bool is_on_device = choice.place == DataPlace::kDevice;
  if (is_on_device && absl::IsInvalidArgument(first)) return absl::OkStatus();
  RETURN_IF_ERROR(first);
  RETURN_IF_ERROR(call_case.Run(best.backend, best.info.variant));
  for (bool forwards = true; !samplers[0].done() || !samplers[1].done();
       forwards = !forwards) {
    for (const std::size_t i : {forwards ? 0u : 1u, forwards ? 1u : 0u}) {
      if (!samplers[i].done()) RETURN_IF_ERROR(samplers[i].Take());
    }
  }
  choice.auto_call_seconds = samplers[0].least();
  choice.named_call_seconds = samplers[1].least();
  return absl::OkStatus();
}

// Checks one job.
class JobCheck {
 public:
  JobCheck(const TuningJob& job, const Choices& choices,
           const AutoBackends& backends, std::uint64_t seed)
      : job_(job), choices_(choices), backends_(backends), seed_(seed) {}

  absl::Status CheckAt(std::int64_t size,
                       std::vector<CheckedChoice>& checked) const {
    ASSIGN_OR_RETURN(TuningPoint point, Measure(size));
    std::vector<CheckedChoice> here = ChoicesAt(point);
    if (!AllNear(here)) {
      // Once more: a busy moment of the machine's shall not be what a choice is
      // judged by.
      ASSIGN_OR_RETURN(const TuningPoint again, Measure(size));
      TakeLeast(again, point);
      here = ChoicesAt(point);
    }
    for (CheckedChoice& choice : here) {
      RETURN_IF_ERROR(AddCalls(point, size, choice));
    }
    checked.insert(checked.end(), here.begin(), here.end());
    return absl::OkStatus();
  }

 private:
  absl::StatusOr<TuningPoint> Measure(std::int64_t size) const {
    ASSIGN_OR_RETURN(TuningPoint point,
                     MeasurePoint(job_, size, seed_, AllOf(job_)));
    if (point.wrong.empty()) return point;
    const auto& [contestant, message] = *point.wrong.begin();
    return DataLossError(ContestantOf(job_, contestant).info.name(), ": ",
                         message);
  }

  // At each place where there is something to choose.
  std::vector<CheckedChoice> ChoicesAt(const TuningPoint& point) const {
    std::vector<CheckedChoice> checked;
    for (const DataPlace place : PlacesOf(job_)) {
      const Seconds& seconds = point.At(place);
      const int best = FastestOf(seconds, EligibleAt(job_, place));
      if (best < 0) continue;
      const int chosen = ChosenAt(job_, place, choices_, point.facts);
      const int standard = StandardOf(job_, place);
      checked.push_back({job_.spec->name(), job_.type, place, point.facts.size,
                         ContestantOf(job_, chosen).name(),
                         ContestantOf(job_, best).name(),
                         seconds[static_cast<std::size_t>(chosen)],
                         seconds[static_cast<std::size_t>(best)],
                         seconds[static_cast<std::size_t>(standard)]});
    }
    return checked;
  }

  absl::Status AddCalls(const TuningPoint& point, std::int64_t size,
                        CheckedChoice& choice) const {
    const std::shared_ptr<Backend> backend = backends_.At(choice.place);
    if (backend == nullptr) return absl::OkStatus();
    const Contestant& best = ContestantOf(
        job_,
        FastestOf(point.At(choice.place), EligibleAt(job_, choice.place)));
    ASSIGN_OR_RETURN(
        const CallCase call_case,
        CallCase::Create(job_, size, seed_, *backend, choice.place));
    RETURN_IF_ERROR(TimeCalls(call_case, backend, best, choice));
    if (!choice.HasCalls() || choice.OfCalls() <= kNearTheBest) {
      return absl::OkStatus();
    }
    CheckedChoice again = choice;
    RETURN_IF_ERROR(TimeCalls(call_case, backend, best, again));
    choice.auto_call_seconds =
        std::min(choice.auto_call_seconds, again.auto_call_seconds);
    choice.named_call_seconds =
        std::min(choice.named_call_seconds, again.named_call_seconds);
    return absl::OkStatus();
  }

  static bool AllNear(const std::vector<CheckedChoice>& checked) {
    return absl::c_all_of(checked, [](const CheckedChoice& choice) {
      return choice.WithTable() <= kNearTheBest;
    });
  }

  const TuningJob& job_;
  const Choices& choices_;
  const AutoBackends& backends_;
  const std::uint64_t seed_;
};

}  // namespace

absl::Status CheckChoices(const TuningJob& job, const Choices& choices,
                          const AutoBackends& backends, int count,
                          std::uint64_t seed,
                          std::vector<CheckedChoice>& checked) {
  // Other sizes for each job.
  for (const char c : job.name()) {
    seed = RandomBits(seed, static_cast<unsigned char>(c));
  }
  Random random(seed);
  const JobCheck check(job, choices, backends, seed);
  for (int i = 0; i < count; ++i) {
    const std::int64_t size = DrawSize(job, random);
    const absl::Status status = check.CheckAt(size, checked);
    // A case that is too large is left out.
    if (status.ok() || absl::IsOutOfRange(status)) continue;
    return absl::Status(status.code(), absl::StrCat(job.name(), ", size ", size,
                                                    ": ", status.message()));
  }
  return absl::OkStatus();
}

}  // namespace concord
