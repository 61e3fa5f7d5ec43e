// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/benchmarks/tuning_check.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "concord/core/chooser.h"
#include "concord/core/errors.h"
#include "concord/core/random.h"

namespace concord {
namespace {

std::string NameOf(const Contestant& contestant) {
  return absl::StrCat(contestant.info.backend, "/", contestant.info.variant);
}

// The contestant that `auto` takes, by index.
int ChosenAt(const TuningJob& job, DataPlace place, const Choices& choices,
             const CallFacts& facts) {
  const int standard = StandardOf(job, place);
  Chooser chooser(choices);
  const AlgorithmChoices::Candidate* const candidate =
      chooser
          .For(job.spec->name(),
               *job.contestants[static_cast<std::size_t>(standard)].backend,
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

// The choices for one case, at each place where there is something to choose.
std::vector<CheckedChoice> ChoicesAt(const Tuner& tuner, const TuningJob& job,
                                     const Choices& choices,
                                     const TuningPoint& point) {
  const auto seconds = [&](int contestant) {
    return point.seconds[static_cast<std::size_t>(contestant)];
  };
  const auto name = [&](int contestant) {
    return NameOf(job.contestants[static_cast<std::size_t>(contestant)]);
  };
  std::vector<CheckedChoice> checked;
  for (const DataPlace place : tuner.PlacesOf(job)) {
    const std::vector<int> eligible = EligibleAt(job, place);
    const int best = FastestOf(point, eligible);
    if (eligible.size() < 2 || best < 0) continue;
    const int chosen = ChosenAt(job, place, choices, point.facts);
    checked.push_back(
        {absl::StrCat(job.spec->name(), " ", Name(job.type), " ", Name(place)),
         point.facts.size, name(chosen), name(best), seconds(chosen),
         seconds(best), seconds(StandardOf(job, place))});
  }
  return checked;
}

bool AllNear(const std::vector<CheckedChoice>& checked) {
  return absl::c_all_of(checked, [](const CheckedChoice& choice) {
    return choice.WithTable() <= kNearTheBest;
  });
}

}  // namespace

absl::Status CheckChoices(const Tuner& tuner, const TuningJob& job,
                          const Choices& choices, int count, std::uint64_t seed,
                          std::vector<CheckedChoice>& checked) {
  // Other sizes for each job.
  for (const char c : job.name()) {
    seed = RandomBits(seed, static_cast<unsigned char>(c));
  }
  Random random(seed);
  for (int i = 0; i < count; ++i) {
    const std::int64_t size = DrawSize(job, random);
    absl::StatusOr<TuningPoint> point = tuner.Measure(job, size, seed);
    if (absl::IsOutOfRange(point.status())) continue;
    RETURN_IF_ERROR(point.status());
    std::vector<CheckedChoice> here = ChoicesAt(tuner, job, choices, *point);
    if (!AllNear(here)) {
      // Once more, as the tuner does: a busy moment of the machine's shall not
      // be what a choice is judged by.
      ASSIGN_OR_RETURN(const TuningPoint again, tuner.Measure(job, size, seed));
      TakeLeast(again, *point);
      here = ChoicesAt(tuner, job, choices, *point);
    }
    checked.insert(checked.end(), here.begin(), here.end());
  }
  return absl::OkStatus();
}

}  // namespace concord
