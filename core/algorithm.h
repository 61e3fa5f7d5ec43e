// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_CORE_ALGORITHM_H_
#define CONCORD_CORE_ALGORITHM_H_

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "concord/core/backend.h"
#include "concord/core/guarded.h"
#include "concord/core/registry.h"
#include "concord/core/signature.h"

namespace concord {

// An implementation on a backend, as generic tools run it: options as text,
// arrays by name.
class Runner {
 public:
  virtual ~Runner() = default;
  // Sets the options of the runs that follow, tuning options included.
  virtual absl::Status Configure(const OptionMap& options) = 0;
  // Checks the arguments and gives the work to the backend, without waiting for
  // it. InvalidArgument names an array that the algorithm does not have.
  virtual absl::Status Run(const Inputs& inputs, const Outputs& outputs) = 0;
  // The same with arrays in host memory, and complete when it returns, by a way
  // of the implementation's own, such as one that works on what has been copied
  // while the rest is on its way. Unimplemented where there is none.
  virtual absl::Status RunFromHost(const Inputs&, const Outputs&) {
    return NoWayFromHost();
  }
};

// An algorithm for programs that treat all algorithms alike: its signature and
// its implementations. What is right is no part of it (core/spec.h).
class Algorithm {
 public:
  virtual ~Algorithm() = default;

  virtual std::string name() const = 0;
  virtual const SignatureData& signature() const = 0;
  // The options of the signature, and behind them those that some variants have
  // for tuning.
  virtual std::vector<OptionSpec> options() const = 0;
  // By backend, each backend's default first. A contract that says no types has
  // all that the signature takes.
  virtual std::vector<ImplementationInfo> implementations() const = 0;
  // An empty variant is the backend's default; NotFound lists those there are.
  virtual absl::StatusOr<std::unique_ptr<Runner>> NewRunner(
      std::shared_ptr<Backend> backend, absl::string_view variant) const = 0;
  // The outputs of a call on inputs in host memory. InvalidArgument for a call
  // that breaks the algorithm's rules.
  virtual absl::StatusOr<std::vector<OutputSpec>> Plan(
      const OptionMap& options, const Inputs& inputs) const = 0;
  // What a plan says of options that a caller in C++ sets to these numbers,
  // without arrays.
  virtual absl::Status PlanWithNumbers(const OptionMap& numbers) const = 0;
  // Whether an element is as much work as with the default options.
  virtual bool IsUsualWork(const OptionMap&) const { return true; }
};

// `given` completed by the defaults; InvalidArgument as CompleteOptions says.
absl::StatusOr<OptionMap> CompleteOptions(const Algorithm& algorithm,
                                          const OptionMap& given);

// Stands at the bottom of X.cc:
//   const bool kRegistered = RegisterAlgorithm<X>();
bool RegisterAlgorithm(const Algorithm* algorithm);

// Every algorithm of this program, by name.
std::vector<const Algorithm*> AllAlgorithms();

// NotFound lists the algorithms there are.
absl::StatusOr<const Algorithm*> FindAlgorithm(absl::string_view name);

// `options` without the tuning options of `implementations`.
OptionMap WithoutTuning(OptionMap options,
                        const std::vector<ImplementationInfo>& implementations);

// What the algorithm computes, of options as text. Those of tuning, which are
// of variants, are left out.
template <typename Interface>
absl::StatusOr<typename Interface::Options> ParseOptions(
    const OptionMap& options) {
  return Interface::GetSignature().Parse(
      WithoutTuning(options, Registry<Interface>::Get().All()));
}

// `implementations`, with the types of the signature where contracts say none.
std::vector<ImplementationInfo> WithTypesOf(
    const SignatureData& signature,
    std::vector<ImplementationInfo> implementations);

// The runner that follows from an interface and its signature.
template <typename Interface>
class TypedRunner : public Runner {
 public:
  using Options = typename Interface::Options;

  TypedRunner(std::unique_ptr<Interface> implementation, Options options)
      : implementation_(std::move(implementation)),
        options_(std::move(options)) {}

  absl::Status Configure(const OptionMap& options) override {
    return Guarded([&] {
      absl::Status tuned = implementation_->Tune(options);
      if (!tuned.ok()) return tuned;
      absl::StatusOr<Options> parsed = ParseOptions<Interface>(options);
      if (!parsed.ok()) return parsed.status();
      options_ = *std::move(parsed);
      return absl::OkStatus();
    });
  }

  absl::Status Run(const Inputs& inputs, const Outputs& outputs) override {
    return RunBy(&Signature<Interface>::Run, inputs, outputs);
  }
  absl::Status RunFromHost(const Inputs& inputs,
                           const Outputs& outputs) override {
    return RunBy(&Signature<Interface>::RunFromHost, inputs, outputs);
  }

 private:
  using Way = absl::Status (Signature<Interface>::*)(Interface&, Views,
                                                     MutableViews,
                                                     const Options&) const;

  absl::Status RunBy(Way way, const Inputs& inputs, const Outputs& outputs) {
    return Guarded([&] {
      const Signature<Interface>& signature = Interface::GetSignature();
      absl::Status status = PutInOrder(signature.data(), inputs, inputs_);
      if (!status.ok()) return status;
      status = PutInOrder(signature.data(), outputs, outputs_);
      if (!status.ok()) return status;
      return (signature.*way)(*implementation_, inputs_, outputs_, options_);
    });
  }

  std::unique_ptr<Interface> implementation_;
  Options options_;
  // Of one call, here only so that the next need not allocate.
  std::vector<ConstArrayView> inputs_;
  std::vector<ArrayView> outputs_;
};

// The algorithm that follows from an interface, its signature and its registry.
template <typename Interface>
class AlgorithmOf : public Algorithm {
 public:
  std::string name() const override { return Interface::kName; }
  const SignatureData& signature() const override {
    return Interface::GetSignature().data();
  }

  std::vector<OptionSpec> options() const override {
    std::vector<OptionSpec> options = signature().options;
    for (const ImplementationInfo& info : implementations()) {
      for (const OptionSpec& tuning : info.tuning) {
        const bool known = std::any_of(options.begin(), options.end(),
                                       [&](const OptionSpec& option) {
                                         return option.name == tuning.name;
                                       });
        if (!known) options.push_back(tuning);
      }
    }
    return options;
  }

  std::vector<ImplementationInfo> implementations() const override {
    return WithTypesOf(signature(), Registry<Interface>::Get().All());
  }

  absl::StatusOr<std::unique_ptr<Runner>> NewRunner(
      std::shared_ptr<Backend> backend,
      absl::string_view variant) const override {
    return Guarded([&]() -> absl::StatusOr<std::unique_ptr<Runner>> {
      absl::StatusOr<std::unique_ptr<Interface>> implementation =
          Registry<Interface>::Get().Create(std::move(backend), variant);
      if (!implementation.ok()) return implementation.status();
      return std::make_unique<TypedRunner<Interface>>(
          *std::move(implementation), typename Interface::Options());
    });
  }

  absl::StatusOr<std::vector<OutputSpec>> Plan(
      const OptionMap& options, const Inputs& inputs) const override {
    return Guarded([&]() -> absl::StatusOr<std::vector<OutputSpec>> {
      absl::StatusOr<typename Interface::Options> parsed =
          ParseOptions<Interface>(options);
      if (!parsed.ok()) return parsed.status();
      std::vector<ConstArrayView> views;
      absl::Status status = PutInOrder(signature(), inputs, views);
      if (!status.ok()) return status;
      return Interface::GetSignature().Plan(*parsed, views);
    });
  }

  absl::Status PlanWithNumbers(const OptionMap& numbers) const override {
    return Guarded([&] {
      typename Interface::Options options;
      absl::Status status = Interface::GetSignature().Set(numbers, options);
      if (!status.ok()) return status;
      const std::vector<ConstArrayView> none(signature().inputs.size());
      return Interface::GetSignature().Plan(options, none).status();
    });
  }

  bool IsUsualWork(const OptionMap& options) const override {
    const absl::StatusOr<typename Interface::Options> parsed =
        ParseOptions<Interface>(options);
    return parsed.ok() && Interface::GetSignature().IsUsualWork(*parsed);
  }
};

template <typename Interface>
bool RegisterAlgorithm() {
  return RegisterAlgorithm(new AlgorithmOf<Interface>);
}

}  // namespace concord

#endif  // CONCORD_CORE_ALGORITHM_H_
