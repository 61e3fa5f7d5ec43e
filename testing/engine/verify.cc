// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/testing/engine/verify.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "concord/core/backend.h"
#include "concord/core/environment.h"
#include "concord/core/errors.h"
#include "concord/core/replicas.h"
#include "concord/core/spec.h"
#include "concord/testing/engine/recipe.h"

namespace concord {
namespace {

// An implementation and how far it has come.
struct Candidate {
  Ingredients ingredients;
  std::unique_ptr<Examiner> examiner;
  std::vector<Recipe> standard;
  // How many of the suite, and how many random ones, it has had.
  std::size_t taken = 0;
  std::uint64_t random = 0;
  std::size_t row = 0;
  bool failed = false;
};

// The specs under which each backend runs, by backend name; for a backend that
// cannot run here, why.
struct BackendSpecs {
  std::vector<std::string> specs;
  std::string absence;
};

using BackendsByName = std::map<std::string, BackendSpecs>;

absl::StatusOr<BackendsByName> NamedBackends(const std::string& names) {
  BackendsByName chosen;
  for (absl::string_view spec : absl::StrSplit(names, ',')) {
    if (spec.empty()) {
      return InvalidArgumentError("'", names, "' has an empty name in it");
    }
    ASSIGN_OR_RETURN(std::shared_ptr<Backend> backend, OpenBackend(spec));
    chosen[backend->info().name].specs.emplace_back(spec);
  }
  return chosen;
}

BackendsByName AllBackends() {
  BackendsByName chosen;
  for (const BackendStatus& status : ListBackends()) {
    BackendSpecs& backend = chosen[status.name];
    if (!status.available()) {
      backend.absence = status.WhyNot();
    }
    backend.specs = {status.name};
    backend.specs.insert(backend.specs.end(), status.variations.begin(),
                         status.variations.end());
  }
  return chosen;
}

absl::StatusOr<BackendsByName> ChooseBackends(const std::string& names) {
  if (names.empty()) return AllBackends();
  return NamedBackends(names);
}

class Verification {
 public:
  explicit Verification(const VerifyOptions& options) : options_(options) {}

  absl::StatusOr<VerifyReport> Run() {
    RETURN_IF_ERROR(AgreeAsOne(CheckEnvironment()));
    if (absl::Status status = ChooseCandidates(); !status.ok()) return status;
    TakeTurns([this](const Candidate& candidate) {
      if (options_.cases > 0 &&
          report_.rows[candidate.row].executed >= options_.cases) {
        return false;
      }
      if (options_.seconds > 0) return HasTime();
      return options_.cases > 0 || candidate.taken < candidate.standard.size();
    });
    if (options_.random_seconds > 0) {
      // What comes now is random, whatever is left of the suite.
      for (Candidate& candidate : candidates_) candidate.standard.clear();
      double end = Seconds() + options_.random_seconds;
      if (options_.seconds > 0) end = std::min(end, options_.seconds);
      TakeTurns([this, end](const Candidate&) { return HasTimeUntil(end); });
    }
    report_.seconds = Seconds();
    return std::move(report_);
  }

 private:
  double Seconds() const {
    return std::chrono::duration<double>(Clock::now() - start_).count();
  }

  // By the clock of the first replica, for all of them.
  bool HasTimeUntil(double end) const {
    return FromFirst(end - Seconds()) >= 0;
  }
  bool HasTime() const {
    return options_.seconds <= 0 || HasTimeUntil(options_.seconds);
  }

  absl::Status ChooseCandidates() {
    const auto chosen = ChooseBackends(options_.backends);
    RETURN_IF_ERROR(AgreeAsOne(chosen.status()));
    const auto& backends = *chosen;
    std::string here;
    for (const AlgorithmSpec* spec : AllSpecs()) {
      for (const ImplementationInfo& info : spec->implementations()) {
        const auto backend = backends.find(info.backend);
        if (backend == backends.end()) continue;
        if (options_.selects && !options_.selects(info.name())) continue;
        const auto& [specs, absence] = backend->second;
        report_.rows.push_back(
            {info.name(), 0,
             absence.empty() ? info.RefusalOn(specs.front()) : absence});
        if (!report_.rows.back().skipped.empty()) continue;
        absl::StrAppend(&here, info.name(), " on ", absl::StrJoin(specs, ","),
                        "\n");
        AddCandidate({spec, info, specs});
      }
    }
    if (!report_.rows.empty()) return AgreeOnCandidates(here);
    return absl::NotFoundError("no implementation is selected");
  }

  // Replicas run the same trials.
  static absl::Status AgreeOnCandidates(const std::string& here) {
    ASSIGN_OR_RETURN(const std::optional<OtherReplica> other,
                     UnlikeFirst(here));
    if (!other.has_value()) return absl::OkStatus();
    return UnavailableError("rank ", other->index, " of ", ReplicaCount(),
                            " has other backends than rank 0; name some that "
                            "all have");
  }

  void AddCandidate(Ingredients ingredients) {
    Candidate candidate;
    candidate.examiner = std::make_unique<Examiner>(
        Subject{ingredients.spec, ingredients.implementation});
    candidate.row = report_.rows.size() - 1;
    for (const SuitePart& part : StandardSuite()) {
      std::vector<Recipe> recipes = part.recipes(ingredients, options_.seed);
      std::move(recipes.begin(), recipes.end(),
                std::back_inserter(candidate.standard));
    }
    const auto standard = static_cast<std::int64_t>(candidate.standard.size());
    if (options_.random_seconds <= 0) {
      if (options_.cases > 0) {
        planned_ += options_.cases;
      } else if (options_.seconds <= 0) {
        planned_ += standard;
      }
    }
    candidate.ingredients = std::move(ingredients);
    candidates_.push_back(std::move(candidate));
  }

  // One trial of each candidate that `wants` one, and again until none does.
  template <typename Wants>
  void TakeTurns(Wants wants) {
    bool any = true;
    while (any) {
      any = false;
      for (Candidate& candidate : candidates_) {
        if (candidate.failed || !wants(candidate) || !MayGoOn(candidate)) {
          continue;
        }
        any = true;
        Try(candidate, NextRecipe(candidate));
      }
    }
  }

  bool MayGoOn(const Candidate& candidate) {
    if (report_.stopped) return false;
    if (!options_.progress) return true;
    const bool stops = !options_.progress(
        {report_.rows[candidate.row].implementation, report_.executed(),
         static_cast<std::int64_t>(report_.failures.size()), planned_,
         Seconds()});
    // The other replicas would wait for one that stops alone.
    report_.stopped = FromFirst(stops ? 1 : 0) > 0;
    return !report_.stopped;
  }

  ShrinkLimits LimitsFor(const Candidate& candidate) {
    ShrinkLimits limits;
    if (options_.seconds > 0) {
      limits.seconds =
          std::min(limits.seconds, FromFirst(options_.seconds - Seconds()));
    }
    limits.stopped = [this, &candidate] {
      return !HasTime() || !MayGoOn(candidate);
    };
    return limits;
  }

  void Try(Candidate& candidate, const Recipe& recipe) {
    const Round round = Go(*candidate.examiner, {recipe});
    report_.rows[candidate.row].executed += round.executed;
    if (!round.failure.has_value()) return;
    // What fails once fails often: one counterexample is what a person reads.
    candidate.failed = true;
    InvestigationOptions options;
    options.folder = options_.folder;
    options.limits = LimitsFor(candidate);
    report_.failures.push_back(Investigate(*candidate.examiner, *round.failing,
                                           *round.failure, options));
  }

  // What comes next: the standard suite, then other cases than it has.
  Recipe NextRecipe(Candidate& candidate) const {
    if (candidate.taken < candidate.standard.size()) {
      return candidate.standard[candidate.taken++];
    }
    return RandomRecipe(candidate.ingredients, options_.largest_size,
                        ~options_.seed, candidate.random++);
  }

  using Clock = std::chrono::steady_clock;

  const VerifyOptions& options_;
  const Clock::time_point start_ = Clock::now();
  std::vector<Candidate> candidates_;
  std::int64_t planned_ = 0;
  VerifyReport report_;
};

}  // namespace

std::int64_t VerifyReport::executed() const {
  std::int64_t executed = 0;
  for (const VerifyRow& row : rows) executed += row.executed;
  return executed;
}

std::vector<std::string> VerifyReport::without_a_case() const {
  std::set<std::string> failed;
  for (const Counterexample& failure : failures) {
    failed.insert(failure.record.implementation);
  }
  std::vector<std::string> names;
  for (const VerifyRow& row : rows) {
    if (row.executed > 0 || !row.skipped.empty()) continue;
    // One whose first case could not even be made has had its turn.
    if (failed.count(row.implementation) > 0) continue;
    names.push_back(row.implementation);
  }
  return names;
}

absl::StatusOr<VerifyReport> Verify(const VerifyOptions& options) {
  return Verification(options).Run();
}

}  // namespace concord
