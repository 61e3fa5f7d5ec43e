// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/core/chooser.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace concord {
namespace {

// The deleter of a backend that was opened as `auto`. It keeps the backend, and
// it is how Chooser::Of finds the chooser: a backend that implementations cast
// to its own class cannot be wrapped in another.
struct AutoBackend {
  std::shared_ptr<Backend> backend;
  std::shared_ptr<Chooser> chooser;

  void operator()(Backend*) {
    chooser.reset();
    backend.reset();
  }
};

const ImplementationInfo* DefaultOf(
    const std::vector<ImplementationInfo>& implementations, Backend& main) {
  for (const ImplementationInfo& info : implementations) {
    if (info.backend == main.info().name && info.RefusalOn(main).empty()) {
      return &info;
    }
  }
  return nullptr;
}

const ImplementationInfo* Named(
    const std::vector<ImplementationInfo>& implementations,
    const ChoiceStep& step) {
  const auto found = std::find_if(
      implementations.begin(), implementations.end(),
      [&](const ImplementationInfo& info) {
        return info.backend == step.backend && info.variant == step.variant;
      });
  return found == implementations.end() ? nullptr : &*found;
}

}  // namespace

void CallFacts::AddInput(const ConstArrayView& view) {
  if (!std::exchange(has_input_, true)) {
    type = view.type();
    size = view.size();
  }
  on_host &= view.memory().is_host();
  has_floats |= IsFloat(view.type());
}

CallFacts FactsOf(Views inputs, MutableViews outputs) {
  CallFacts facts;
  for (const ConstArrayView& view : inputs) {
    if (view.given()) facts.AddInput(view);
  }
  for (const ArrayView& view : outputs) {
    if (view.given()) facts.AddOutput(view.type());
  }
  return facts;
}

bool AgreeOnFloats(const ImplementationInfo& standard,
                   const ImplementationInfo& other) {
  if (standard.name() == other.name()) return true;
  return standard.contract.determinism == Determinism::kBitwiseAcrossBackends &&
         other.contract.determinism == Determinism::kBitwiseAcrossBackends;
}

const AlgorithmChoices::Candidate* AlgorithmChoices::Find(
    DataPlace place, const CallFacts& facts) const {
  const std::vector<Candidate>& candidates =
      candidates_[static_cast<int>(facts.type)][static_cast<int>(place)];
  for (auto it = candidates.rbegin(); it != candidates.rend(); ++it) {
    if (it->from > facts.size) continue;
    const bool fits =
        facts.size <= it->most && (it->agrees_on_floats || !facts.has_floats);
    return fits ? &*it : nullptr;
  }
  return nullptr;
}

std::shared_ptr<Backend> Chooser::Attach(std::shared_ptr<Backend> backend,
                                         Choices choices) {
  Backend* const address = backend.get();
  return std::shared_ptr<Backend>(
      address, AutoBackend{std::move(backend),
                           std::make_shared<Chooser>(std::move(choices))});
}

Chooser* Chooser::Of(const std::shared_ptr<Backend>& backend) {
  const AutoBackend* const opened = std::get_deleter<AutoBackend>(backend);
  return opened == nullptr ? nullptr : opened->chooser.get();
}

const AlgorithmChoices& Chooser::For(absl::string_view algorithm, Backend& main,
                                     const Implementations& implementations) {
  const auto known = algorithms_.find(algorithm);
  if (known != algorithms_.end()) return known->second;
  AlgorithmChoices& made = algorithms_[std::string(algorithm)];
  const std::vector<ImplementationInfo> all = implementations();
  const ImplementationInfo* const standard = DefaultOf(all, main);
  if (standard == nullptr) return made;
  for (const auto& [key, steps] : choices_.steps) {
    if (std::get<0>(key) != algorithm) continue;
    for (const ChoiceStep& step : steps) {
      const ImplementationInfo* info = Named(all, step);
      if (info != nullptr && info->requirement.is_met) {
        const bool is_main = info->backend == main.info().name;
        const std::shared_ptr<Backend> other =
            is_main ? nullptr : Opened(info->backend);
        Backend* const on = is_main ? &main : other.get();
        if (on == nullptr || !info->RefusalOn(*on).empty()) info = nullptr;
      }
      // The default stands in for what is not there.
      if (info == nullptr || !info->contract.Allows(std::get<1>(key)) ||
          (std::get<2>(key) == DataPlace::kDevice &&
           info->backend != standard->backend)) {
        info = standard;
      }
      made.Add(std::get<2>(key), std::get<1>(key),
               {step.from, info->backend, info->variant,
                info->contract.max_size, AgreeOnFloats(*standard, *info)});
    }
  }
  return made;
}

const AlgorithmChoices::Candidate* Chooser::Find(
    const AlgorithmChoices& choices, const Backend& main,
    const CallFacts& facts) {
  if (main.memory().is_host()) {
    return facts.on_host ? choices.Find(DataPlace::kCpu, facts) : nullptr;
  }
  return choices.Find(facts.on_host ? DataPlace::kHost : DataPlace::kDevice,
                      facts);
}

Chooser::Choice Chooser::ChoiceOf(const AlgorithmChoices::Candidate* candidate,
                                  const std::shared_ptr<Backend>& main) {
  if (candidate == nullptr) return {main, ""};
  if (candidate->backend == main->info().name) {
    return {main, candidate->variant};
  }
  std::shared_ptr<Backend> other = Opened(candidate->backend);
  if (other == nullptr) return {main, ""};
  return {std::move(other), candidate->variant};
}

std::shared_ptr<Backend> Chooser::Opened(const std::string& name) {
  const auto known = others_.find(name);
  if (known != others_.end()) return known->second;
  absl::StatusOr<std::shared_ptr<Backend>> opened = OpenBackend(name);
  return others_[name] = opened.ok() ? *std::move(opened) : nullptr;
}

}  // namespace concord
