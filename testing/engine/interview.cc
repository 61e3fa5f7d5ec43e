// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/testing/engine/interview.h"

#include <chrono>
#include <utility>

#include "absl/status/statusor.h"
#include "concord/core/guarded.h"
#include "concord/core/replicas.h"

namespace concord {
namespace {

// Behind the catalogue, when nobody says how many.
constexpr std::int64_t kRandomCases = 100;

// The engine does not know where the function runs.
constexpr char kSomewhere[] = "the caller";

double Now() {
  return std::chrono::duration<double>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

}  // namespace

Interview::Interview(std::unique_ptr<DescribedSpec> spec,
                     InterviewOptions options)
    : spec_(std::move(spec)),
      options_(std::move(options)),
      ingredients_{spec_.get(), spec_->AsImplementation(), {kSomewhere}},
      start_(Now()),
      engine_([this] { End(Guarded([this] { return Work(); })); }) {}

Interview::~Interview() {
  Stop();
  engine_.join();
}

std::optional<Case> Interview::Next() {
  std::unique_lock<std::mutex> lock(mutex_);
  changed_.wait(lock, [&] { return turn_ != Turn::kEngine; });
  if (turn_ == Turn::kOver) return std::nullopt;
  return *asked_;
}

void Interview::Answer(std::optional<Failure> failure) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (turn_ != Turn::kCaller) return;
  answer_ = std::move(failure);
  turn_ = Turn::kEngine;
  changed_.notify_all();
}

void Interview::Stop() {
  const std::lock_guard<std::mutex> lock(mutex_);
  stopped_ = true;
  if (turn_ == Turn::kCaller) turn_ = Turn::kEngine;
  changed_.notify_all();
}

VerifyProgress Interview::progress() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  VerifyProgress progress = progress_;
  if (turn_ != Turn::kOver) progress.seconds = Now() - start_;
  return progress;
}

std::optional<Failure> Interview::Ask(const Trial& trial) {
  std::unique_lock<std::mutex> lock(mutex_);
  if (stopped_) return std::nullopt;
  asked_ = &trial.test_case;
  answer_.reset();
  turn_ = Turn::kCaller;
  changed_.notify_all();
  changed_.wait(lock, [&] { return turn_ == Turn::kEngine; });
  asked_ = nullptr;
  return std::exchange(answer_, std::nullopt);
}

std::optional<Failure> Interview::AskAboutCandidate(const Trial& trial) {
  // Smaller is not always possible: offsets have to ascend, values to stay
  // between their bounds, options to be among their values.
  if (!spec_->OutputsOf(trial.test_case).ok()) return std::nullopt;
  return Ask(trial);
}

bool Interview::MayGoOn() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return !stopped_ && !found_.has_value() &&
         (options_.seconds <= 0 || Now() - start_ <= options_.seconds);
}

std::optional<Recipe> Interview::RecipeOf(std::int64_t index) const {
  const auto standard = static_cast<std::int64_t>(catalogue_.size());
  std::int64_t most = options_.cases;
  if (most <= 0 && options_.seconds <= 0) most = standard + kRandomCases;
  if (most > 0 && index >= most) return std::nullopt;
  Recipe recipe = index < standard
                      ? catalogue_[index]
                      : RandomRecipe(ingredients_, spec_->largest_size(),
                                     options_.seed, index);
  // The caller places arrays.
  recipe.placement = Placements().front().name;
  return recipe;
}

void Interview::Try(const Trial& trial) {
  const std::optional<Failure> failure = Ask(trial);
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (stopped_) return;
    ++progress_.executed;
    if (!failure.has_value()) return;
    ++progress_.failures;
  }
  InvestigationOptions options = options_.investigation;
  // What nobody answers any more has not passed.
  options.limits.stopped = [this] { return FromFirst(MayGoOn() ? 0 : 1) > 0; };
  found_ = Investigate(
      {spec_.get(), spec_->name(),
       [this](const Trial& candidate) { return AskAboutCandidate(candidate); }},
      trial, *failure, options);
}

absl::Status Interview::GoThroughRecipes() {
  absl::Status status;
  for (std::int64_t index = 0; MayGoOn(); ++index) {
    const std::optional<Recipe> recipe = RecipeOf(index);
    if (!recipe.has_value()) break;
    const absl::StatusOr<Trial> trial = CarryOut(*recipe, *spec_);
    if (trial.ok()) {
      Try(*trial);
    } else {
      // Every request of the recipes' is one of the description's. What is
      // missing is memory, and the next case may do with less.
      status.Update(trial.status());
    }
  }
  // A failure is one whatever else there was to try.
  return found_.has_value() ? absl::OkStatus() : status;
}

absl::Status Interview::Work() {
  if (options_.replay.has_value()) {
    Try(*options_.replay);
    return absl::OkStatus();
  }
  catalogue_ = EdgeCatalogue(ingredients_, options_.seed);
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    progress_.planned = options_.cases;
    if (options_.cases <= 0 && options_.seconds <= 0) {
      progress_.planned =
          static_cast<std::int64_t>(catalogue_.size()) + kRandomCases;
    }
  }
  return GoThroughRecipes();
}

void Interview::End(absl::Status status) {
  const std::lock_guard<std::mutex> lock(mutex_);
  status_ = std::move(status);
  progress_.seconds = Now() - start_;
  turn_ = Turn::kOver;
  changed_.notify_all();
}

}  // namespace concord
