// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/core/choosing_runner.h"

#include <utility>
#include <vector>

#include "concord/core/call.h"
#include "concord/core/errors.h"
#include "concord/core/guarded.h"

namespace concord {
namespace {

class ChoosingRunner : public Runner {
 public:
  using Candidate = AlgorithmChoices::Candidate;

  ChoosingRunner(const Algorithm& algorithm, std::shared_ptr<Backend> main,
                 Chooser& chooser, std::unique_ptr<Runner> standard)
      : algorithm_(algorithm),
        main_(std::move(main)),
        chooser_(chooser),
        standard_(std::move(standard)) {}

  absl::Status Configure(const OptionMap& options) override {
    return Guarded([&]() -> absl::Status {
      RETURN_IF_ERROR(standard_->Configure(options));
      options_ = options;
      is_usual_ = algorithm_.IsUsualWork(options);
      if (is_usual_ && choices_ == nullptr) {
        choices_ = &chooser_.For(algorithm_.name(), *main_, [this] {
          return algorithm_.implementations();
        });
      }
      others_.clear();
      return absl::OkStatus();
    });
  }

  absl::Status Run(const Inputs& inputs, const Outputs& outputs) override {
    return Guarded([&] {
      // Where the arrays lie elsewhere, the default refuses in its own words.
      const Other* const other =
          Choose(inputs, outputs, main_->memory().is_host());
      Runner& runner = other == nullptr ? *standard_ : *other->runner;
      return runner.Run(inputs, outputs);
    });
  }
  absl::Status RunFromHost(const Inputs& inputs,
                           const Outputs& outputs) override {
    return Guarded([&]() -> absl::Status {
      const Other* const other = Choose(inputs, outputs, /*on_host=*/true);
      if (other == nullptr) return standard_->RunFromHost(inputs, outputs);
      // By the choice for arrays on the host to the end: a run after a copy
      // would be by that for arrays on a device.
      std::vector<ArrayView> ordered;
      RETURN_IF_ERROR(PutInOrder(algorithm_.signature(), outputs, ordered));
      return concord::RunFromHost(*other->runner, *other->backend,
                                  SpecsOf(algorithm_.signature(), ordered),
                                  inputs, outputs);
    });
  }

 private:
  CallFacts FactsOf(const Inputs& inputs, const Outputs& outputs) const {
    CallFacts facts;
    for (const InputSpec& input : algorithm_.signature().inputs) {
      const auto found = inputs.find(input.name);
      if (found != inputs.end()) facts.AddInput(found->second);
    }
    for (const auto& [name, view] : outputs) facts.AddOutput(view.type());
    return facts;
  }

  // What a candidate of the table is here.
  struct Other {
    const Candidate* candidate;
    std::shared_ptr<Runner> runner;
    std::shared_ptr<Backend> backend;
  };

  // Null: the default is to run, also where the arrays are not `on_host`, or
  // are and shall not be.
  const Other* Choose(const Inputs& inputs, const Outputs& outputs,
                      bool on_host) {
    if (!is_usual_) return nullptr;
    const CallFacts facts = FactsOf(inputs, outputs);
    if (facts.on_host != on_host) return nullptr;
    const Candidate* const candidate = Chooser::Find(*choices_, *main_, facts);
    if (candidate == nullptr) return nullptr;
    for (const Other& other : others_) {
      if (other.candidate == candidate) return &other;
    }
    return NewOther(candidate);
  }

  // The default, where the candidate cannot be had.
  const Other* NewOther(const Candidate* candidate) {
    const Chooser::Choice choice = chooser_.ChoiceOf(candidate, main_);
    absl::StatusOr<std::unique_ptr<Runner>> made =
        algorithm_.NewRunner(choice.backend, choice.variant);
    const bool is_ready = made.ok() && (*made)->Configure(options_).ok();
    Other other = {candidate, standard_, main_};
    if (is_ready) {
      other.runner = *std::move(made);
      other.backend = choice.backend;
    }
    others_.push_back(std::move(other));
    return &others_.back();
  }

  const Algorithm& algorithm_;
  const std::shared_ptr<Backend> main_;
  Chooser& chooser_;
  // Null until work is usual.
  const AlgorithmChoices* choices_ = nullptr;
  OptionMap options_;
  bool is_usual_ = false;
  const std::shared_ptr<Runner> standard_;
  // Those that were chosen so far, a handful.
  std::vector<Other> others_;
};

}  // namespace

bool ChoosesForEachRun(const std::shared_ptr<Backend>& backend,
                       absl::string_view variant) {
  return variant.empty() && Chooser::Of(backend) != nullptr;
}

absl::StatusOr<std::unique_ptr<Runner>> NewChoosingRunner(
    const Algorithm& algorithm, const std::shared_ptr<Backend>& backend,
    absl::string_view variant) {
  return Guarded([&]() -> absl::StatusOr<std::unique_ptr<Runner>> {
    ASSIGN_OR_RETURN(std::unique_ptr<Runner> standard,
                     algorithm.NewRunner(backend, variant));
    if (!ChoosesForEachRun(backend, variant)) return standard;
    return std::make_unique<ChoosingRunner>(
        algorithm, backend, *Chooser::Of(backend), std::move(standard));
  });
}

}  // namespace concord
