// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/core/functions.h"

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "concord/core/errors.h"
#include "concord/core/guarded.h"

namespace concord {
namespace {

const OptionSpec* FindOption(const std::vector<OptionSpec>& options,
                             absl::string_view name) {
  for (const OptionSpec& option : options) {
    if (option.name == name) return &option;
  }
  return nullptr;
}

// What the option has names for is no function. Nor are other words, numbers
// and lists of them, such as "between:-1,5": they are values, right or wrong.
bool IsFunction(const OptionSpec& option, const std::string& text) {
  const std::vector<std::string> choices = ChoicesOf(option);
  if (std::find(choices.begin(), choices.end(), text) != choices.end()) {
    return false;
  }
  return text.find_first_of(" ()<>=*/%&|^?!~[]{}") != std::string::npos ||
         (!choices.empty() && text.find_first_of("+-") != std::string::npos);
}

// Whether a stage of a program begins within the text.
bool HasStage(absl::string_view text) {
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (absl::string_view("([{").find(text[i]) != absl::string_view::npos) {
      ++depth;
    } else if (absl::string_view(")]}").find(text[i]) !=
               absl::string_view::npos) {
      --depth;
    } else if (depth <= 0 && text.substr(i, 2) == "|>") {
      return true;
    }
  }
  return false;
}

// In a program, a function with names for its parts stands in braces.
std::string InBraces(absl::string_view function) {
  if (!absl::StrContains(function, ';') || absl::StrContains(function, '{')) {
    return std::string(function);
  }
  const std::size_t arrow = function.find("->");
  const std::size_t body = arrow == absl::string_view::npos ? 0 : arrow + 2;
  return absl::StrCat(function.substr(0, body), " { ", function.substr(body),
                      " }");
}

// What a call with a function takes: the function, and what it is for.
std::vector<OptionSpec> OptionsOfFunction(const SignatureData& signature) {
  const FunctionOption& function = signature.function;
  std::vector<OptionSpec> options = {OptionSpec::Text(function.option, "")};
  const OptionSpec* const other =
      FindOption(signature.options, function.other_option);
  if (other != nullptr) options.push_back(*other);
  return options;
}

// "sequence --program=reduce FUNCTION" in its parts.
struct Template {
  std::string algorithm;
  std::string option;
  std::string value;
};
Template PartsOf(const std::string& program) {
  const std::pair<std::string, std::string> call =
      absl::StrSplit(program, absl::MaxSplits(" --", 1));
  const std::pair<std::string, std::string> option =
      absl::StrSplit(call.second, absl::MaxSplits('=', 1));
  return {call.first, option.first, option.second};
}

// The algorithm that computes the call; null where no option is a function.
absl::StatusOr<const Algorithm*> FindRunner(const SignatureData& signature,
                                            const OptionMap& options) {
  const FunctionOption& function = signature.function;
  const OptionSpec* const option =
      FindOption(signature.options, function.option);
  const auto given = options.find(function.option);
  if (option == nullptr || given == options.end() ||
      !IsFunction(*option, given->second)) {
    return nullptr;
  }
  // Whatever the other option says, it is one algorithm. A program that is
  // linked without it has no functions.
  absl::StatusOr<const Algorithm*> runner =
      FindAlgorithm(PartsOf(function.programs.begin()->second).algorithm);
  if (absl::IsNotFound(runner.status())) return nullptr;
  return runner;
}

// The options of the algorithm that computes the call.
absl::StatusOr<OptionMap> AsOptionsOfRunner(const SignatureData& signature,
                                            const OptionMap& options) {
  const FunctionOption& function = signature.function;
  const std::vector<OptionSpec> taken = OptionsOfFunction(signature);
  for (const auto& [name, value] : options) {
    if (FindOption(taken, name) == nullptr &&
        FindOption(signature.options, name) != nullptr) {
      return InvalidArgumentError(
          "--", name, " cannot go with a function in --", function.option);
    }
  }
  ASSIGN_OR_RETURN(const OptionMap complete, CompleteOptions(taken, options));
  const auto other = complete.find(function.other_option);
  const Template parts = PartsOf(function.programs.at(
      other == complete.end() ? std::string() : other->second));
  const std::string& given = complete.at(function.option);
  if (HasStage(given)) {
    return InvalidArgumentError("--", function.option,
                                " takes one function; '|>' begins another "
                                "stage of a program");
  }
  const std::string text = InBraces(given);
  return OptionMap{
      {parts.option, absl::StrReplaceAll(parts.value, {{"FUNCTION", text}})}};
}

// The inputs in the signature's order. Refuses, by its names, arrays that no
// call takes.
absl::StatusOr<std::vector<ConstArrayView>> OrderedInputs(
    const SignatureData& signature, const Inputs& inputs, Memory memory,
    absl::string_view where, bool planned) {
  std::vector<ConstArrayView> ordered;
  RETURN_IF_ERROR(PutInOrder(signature, inputs, ordered));
  std::vector<ArrayRule> rules;
  for (const InputSpec& spec : signature.inputs) {
    rules.push_back(Resolve(signature, spec.shape, spec.types));
  }
  RETURN_IF_ERROR(
      CheckInputArrays(signature, rules, ordered, memory, where, planned));
  return ordered;
}

// What is left of a signature for a call with a function: such a call writes
// over no input.
SignatureData Apart(const SignatureData& signature) {
  SignatureData apart;
  apart.inputs = signature.inputs;
  apart.outputs = signature.outputs;
  for (OutputText& output : apart.outputs) output.in_place_of.clear();
  return apart;
}

class FunctionRunner : public Runner {
 public:
  FunctionRunner(const Algorithm& algorithm, const Algorithm& by, Memory memory,
                 std::unique_ptr<Runner> runner)
      : algorithm_(algorithm),
        by_(by),
        apart_(Apart(algorithm.signature())),
        memory_(memory),
        runner_(std::move(runner)) {}

  absl::Status Configure(const OptionMap& options) override {
    return Guarded([&]() -> absl::Status {
      ASSIGN_OR_RETURN(const OptionMap program,
                       AsOptionsOfRunner(algorithm_.signature(), options));
      return runner_->Configure(program);
    });
  }
  absl::Status Run(const Inputs& inputs, const Outputs& outputs) override {
    return Guarded([&]() -> absl::Status {
      ASSIGN_OR_RETURN(const Inputs named, Named(inputs, outputs, memory_));
      return runner_->Run(named, outputs);
    });
  }
  absl::Status RunFromHost(const Inputs& inputs,
                           const Outputs& outputs) override {
    return Guarded([&]() -> absl::Status {
      ASSIGN_OR_RETURN(const Inputs named,
                       Named(inputs, outputs, Memory::Host()));
      return runner_->RunFromHost(named, outputs);
    });
  }

 private:
  absl::StatusOr<Inputs> Named(const Inputs& inputs, const Outputs& outputs,
                               Memory memory) const {
    ASSIGN_OR_RETURN(const std::vector<ConstArrayView> read,
                     OrderedInputs(algorithm_.signature(), inputs, memory,
                                   algorithm_.name(), /*planned=*/false));
    std::vector<ArrayView> written;
    RETURN_IF_ERROR(PutInOrder(apart_, outputs, written));
    RETURN_IF_ERROR(CheckOverlap(apart_, read, written));
    return ByName(by_.signature(), read);
  }

  const Algorithm& algorithm_;
  const Algorithm& by_;
  const SignatureData apart_;
  const Memory memory_;
  const std::unique_ptr<Runner> runner_;
};

// The arrays of one algorithm, and the implementations of the one that runs
// programs.
class AlgorithmOfFunctions : public Algorithm {
 public:
  AlgorithmOfFunctions(const Algorithm& algorithm, const Algorithm& by)
      : algorithm_(algorithm), by_(by) {}

  std::string name() const override { return algorithm_.name(); }
  const SignatureData& signature() const override {
    return algorithm_.signature();
  }
  std::vector<OptionSpec> options() const override {
    return OptionsOfFunction(signature());
  }
  std::vector<ImplementationInfo> implementations() const override {
    return by_.implementations();
  }
  // What is usual for the algorithm says nothing of functions.
  bool IsUsualWork(const OptionMap&) const override { return false; }

  absl::StatusOr<std::unique_ptr<Runner>> NewRunner(
      std::shared_ptr<Backend> backend,
      absl::string_view variant) const override {
    return Guarded([&]() -> absl::StatusOr<std::unique_ptr<Runner>> {
      if (backend == nullptr) return NoBackendError();
      const Memory memory = backend->memory();
      ASSIGN_OR_RETURN(std::unique_ptr<Runner> runner,
                       by_.NewRunner(std::move(backend), variant));
      return std::make_unique<FunctionRunner>(algorithm_, by_, memory,
                                              std::move(runner));
    });
  }

  absl::StatusOr<std::vector<OutputSpec>> Plan(
      const OptionMap& options, const Inputs& inputs) const override {
    return Guarded([&]() -> absl::StatusOr<std::vector<OutputSpec>> {
      ASSIGN_OR_RETURN(const OptionMap program,
                       AsOptionsOfRunner(signature(), options));
      ASSIGN_OR_RETURN(
          const std::vector<ConstArrayView> ordered,
          OrderedInputs(signature(), inputs, Memory::Host(), name(),
                        /*planned=*/true));
      const Inputs named = ByName(by_.signature(), ordered);
      ASSIGN_OR_RETURN(std::vector<OutputSpec> outputs,
                       by_.Plan(program, named));
      for (const OutputSpec& output : outputs) {
        const bool is_known = std::any_of(
            signature().outputs.begin(), signature().outputs.end(),
            [&](const OutputText& text) { return text.name == output.name; });
        if (is_known) continue;
        return InvalidArgumentError("--", signature().function.option,
                                    " takes a function that gives one value");
      }
      return outputs;
    });
  }

  absl::Status PlanWithNumbers(const OptionMap&) const override {
    return absl::OkStatus();  // there are no options that are numbers
  }

 private:
  const Algorithm& algorithm_;
  const Algorithm& by_;
};

}  // namespace

bool TakesFunction(const Algorithm& algorithm, absl::string_view option) {
  if (option.empty()) return false;
  if (algorithm.signature().function.option == option) return true;
  for (const Algorithm* const other : AllAlgorithms()) {
    for (const auto& named : other->signature().function.programs) {
      const Template parts = PartsOf(named.second);
      if (parts.algorithm == algorithm.name() && parts.option == option) {
        return true;
      }
    }
  }
  return false;
}

absl::StatusOr<ProgramCall> AsProgram(const Algorithm& algorithm,
                                      const OptionMap& options) {
  return Guarded([&]() -> absl::StatusOr<ProgramCall> {
    ASSIGN_OR_RETURN(const Algorithm* const by,
                     FindRunner(algorithm.signature(), options));
    if (by == nullptr) return ProgramCall{&algorithm, options};
    ASSIGN_OR_RETURN(OptionMap program,
                     AsOptionsOfRunner(algorithm.signature(), options));
    return ProgramCall{by, std::move(program)};
  });
}

absl::StatusOr<std::shared_ptr<const Algorithm>> TakingFunctions(
    const Algorithm& algorithm, const OptionMap& options) {
  return Guarded([&]() -> absl::StatusOr<std::shared_ptr<const Algorithm>> {
    ASSIGN_OR_RETURN(const Algorithm* const by,
                     FindRunner(algorithm.signature(), options));
    if (by != nullptr) {
      return std::make_shared<AlgorithmOfFunctions>(algorithm, *by);
    }
    // Algorithms live as long as the program.
    return std::shared_ptr<const Algorithm>(std::shared_ptr<void>(),
                                            &algorithm);
  });
}

}  // namespace concord
