// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_TESTING_ENGINE_INTERVIEW_H_
#define CONCORD_TESTING_ENGINE_INTERVIEW_H_

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "concord/testing/engine/counterexample.h"
#include "concord/testing/engine/described_spec.h"
#include "concord/testing/engine/recipe.h"
#include "concord/testing/engine/verify.h"

namespace concord {

struct InterviewOptions {
  // Cases in all: the edge catalogue, and random ones behind it. 0: the
  // catalogue and some more, or as many as `seconds` allows.
  std::int64_t cases = 0;
  double seconds = 0;  // at most, shrinking included; 0 for any
  std::uint64_t seed = 1;
  // How a failure that was found and shrunk is kept and repeated.
  InvestigationOptions investigation;
  // A failure to see again: its case is the only one.
  std::optional<Trial> replay = {};
};

// The engine for functions that it cannot call, such as those of another
// language: it asks about one case after the other, and is told what became of
// each. When one fails, the cases that follow are smaller and smaller.
//
// Example:
//   Interview interview(std::move(spec), options);
//   while (const std::optional<Case> asked = interview.Next()) {
//     interview.Answer(TryOut(*asked));
//   }
//   if (interview.found()) std::cout << interview.found()->Report();
//   if (!interview.status().ok()) std::cerr << interview.status();
//
// The engine works in a thread of its own, while its caller waits for the next
// case. Next and Answer are called in turn by one thread at a time, Stop and
// progress by any thread.
class Interview {
 public:
  Interview(std::unique_ptr<DescribedSpec> spec, InterviewOptions options);
  // Ends the work.
  ~Interview();
  Interview(const Interview&) = delete;
  Interview& operator=(const Interview&) = delete;

  const DescribedSpec& spec() const { return *spec_; }

  // Nothing when the work is over. A copy: Stop ends the engine's case.
  std::optional<Case> Next();
  // Nothing when all was right.
  void Answer(std::optional<Failure> failure);
  // No further cases, smaller ones included.
  void Stop();

  VerifyProgress progress() const;

  // When Next has returned nothing: the first failure, as small as it gets.
  const std::optional<Counterexample>& found() const { return found_; }
  // And why the work ended early, or a case could not be made and no other
  // failed: ResourceExhausted where there was no memory for it.
  const absl::Status& status() const { return status_; }

 private:
  enum class Turn { kEngine, kCaller, kOver };

  absl::Status Work();
  // The cases of all recipes, until one fails.
  absl::Status GoThroughRecipes();
  void End(absl::Status status);
  std::optional<Recipe> RecipeOf(std::int64_t index) const;
  bool MayGoOn() const;
  // Asks about a trial of the first search, or of the shrinking.
  std::optional<Failure> Ask(const Trial& trial);
  std::optional<Failure> AskAboutCandidate(const Trial& trial);
  void Try(const Trial& trial);

  const std::unique_ptr<DescribedSpec> spec_;
  const InterviewOptions options_;
  const Ingredients ingredients_;
  std::vector<Recipe> catalogue_;
  std::optional<Counterexample> found_;
  absl::Status status_;

  mutable std::mutex mutex_;  // of what follows
  std::condition_variable changed_;
  Turn turn_ = Turn::kEngine;
  bool stopped_ = false;
  const Case* asked_ = nullptr;
  std::optional<Failure> answer_;
  VerifyProgress progress_;

  const double start_;
  std::thread engine_;  // the last: it uses everything else
};

}  // namespace concord

#endif  // CONCORD_TESTING_ENGINE_INTERVIEW_H_
