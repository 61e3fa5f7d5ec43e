// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_CORE_CHOOSER_H_
#define CONCORD_CORE_CHOOSER_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "concord/core/backend.h"
#include "concord/core/choices.h"
#include "concord/core/implementation.h"
#include "concord/core/signature_data.h"

namespace concord {

// What a choice depends on.
struct CallFacts {
  // Of the first input that is given.
  ElementType type = ElementType::kInt32;
  std::int64_t size = 0;
  bool on_host = true;
  // Whether an array of the call has floats.
  bool has_floats = false;

  // One after the other, in the order of the signature.
  void AddInput(const ConstArrayView& view);
  void AddOutput(ElementType output) { has_floats |= IsFloat(output); }

 private:
  bool has_input_ = false;
};
CallFacts FactsOf(Views inputs, MutableViews outputs);

// The part of a table that is about one algorithm, without what this program
// does not have.
class AlgorithmChoices {
 public:
  struct Candidate {
    std::int64_t from;
    std::string backend;
    std::string variant;
    // The largest size that its contract takes.
    std::int64_t most;
    // Whether floats have the bits that the default gives them. Integers have
    // the same everywhere.
    bool agrees_on_floats;
  };

  // Null: the default is to run.
  const Candidate* Find(DataPlace place, const CallFacts& facts) const;

  void Add(DataPlace place, ElementType type, Candidate candidate) {
    candidates_[static_cast<int>(type)][static_cast<int>(place)].push_back(
        std::move(candidate));
  }

 private:
  // The last of them is this one.
  static constexpr int kTypes = 1 + static_cast<int>(ElementType::kFloat64);
  // By rising size.
  std::vector<Candidate> candidates_[kTypes][kPlaces];
};

// What `auto` knows beside the backend that it opened: which implementation is
// the fastest for a call, on which backend. It belongs to that backend and is
// used like it, by one thread at a time.
class Chooser {
 public:
  struct Choice {
    std::shared_ptr<Backend> backend;
    std::string variant;  // "" is the backend's default
  };
  using Implementations = std::function<std::vector<ImplementationInfo>()>;

  explicit Chooser(Choices choices) : choices_(std::move(choices)) {}

  // `backend` as OpenBackend gave it. Null unless that was as `auto` and with a
  // table for this machine.
  static Chooser* Of(const std::shared_ptr<Backend>& backend);
  // The backend with a chooser, which lives as long.
  static std::shared_ptr<Backend> Attach(std::shared_ptr<Backend> backend,
                                         Choices choices);

  const Choices& choices() const { return choices_; }

  // `implementations` is asked once for each algorithm.
  const AlgorithmChoices& For(absl::string_view algorithm, Backend& main,
                              const Implementations& implementations);

  // The table's candidate for a call on `main`, the backend that it was opened
  // for; null: `main`'s default.
  static const AlgorithmChoices::Candidate* Find(
      const AlgorithmChoices& choices, const Backend& main,
      const CallFacts& facts);

  // Where to run the candidate; `main` itself without one.
  Choice ChoiceOf(const AlgorithmChoices::Candidate* candidate,
                  const std::shared_ptr<Backend>& main);

 private:
  std::shared_ptr<Backend> Opened(const std::string& name);

  Choices choices_;
  std::map<std::string, AlgorithmChoices, std::less<>> algorithms_;
  // Those beside the main one; null where one cannot be opened.
  std::map<std::string, std::shared_ptr<Backend>> others_;
};

// What runs a call on `main`: the variant that is named, otherwise the choice
// of `main`'s chooser, if it has one and the call is a usual one. The functions
// are called only if need be.
template <typename Implementations, typename IsUsual, typename Facts>
Chooser::Choice Choose(const std::shared_ptr<Backend>& main,
                       absl::string_view variant, absl::string_view algorithm,
                       const Implementations& implementations,
                       const IsUsual& is_usual, const Facts& facts) {
  Chooser* const chooser = variant.empty() ? Chooser::Of(main) : nullptr;
  if (chooser == nullptr || !is_usual()) return {main, std::string(variant)};
  const AlgorithmChoices& choices =
      chooser->For(algorithm, *main, implementations);
  return chooser->ChoiceOf(Chooser::Find(choices, *main, facts()), main);
}

// Whether a call whose default is `standard` may be run by `other`, where
// floats are among its arrays: only if both promise the reference's bits.
bool AgreeOnFloats(const ImplementationInfo& standard,
                   const ImplementationInfo& other);

}  // namespace concord

#endif  // CONCORD_CORE_CHOOSER_H_
