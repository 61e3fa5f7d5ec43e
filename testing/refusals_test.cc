// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// What signatures say is refused, every implementation that can run here
// refuses: arrays of another size, of another type, in another memory or
// missing, and values that options do not take.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "concord/core/call.h"
#include "concord/core/spec.h"
#include "concord/testing/support/named_backends.h"
#include "concord/testing/support/program.h"

namespace concord {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr std::int64_t kSize = 37;

class Refusals : public testing::TestWithParam<ImplementationInfo> {
 protected:
  void SetUp() override {
    const ImplementationInfo& info = GetParam();
    absl::StatusOr<std::shared_ptr<Backend>> backend =
        OpenBackend(info.backend);
    const std::string refusal = backend.ok()
                                    ? info.RefusalOn(**backend)
                                    : std::string(backend.status().message());
    if (!refusal.empty()) return SkipOrFail(info.backend, refusal);
    backend_ = *std::move(backend);
    spec_ = *FindSpec(info.algorithm);
    runner_ = *spec_->NewRunner(backend_, info.variant);
    const Case test_case = CaseWithMostArrays();
    ASSERT_EQ(runner_->Configure(test_case.options), absl::OkStatus());
    for (const auto& [name, array] : test_case.inputs) {
      const ArrayView copy = NewArray(array.type(), array.size());
      ASSERT_EQ(backend_->Copy(array.view(), copy), absl::OkStatus());
      inputs_[name] = copy;
    }
    const std::vector<OutputSpec> outputs = *spec_->OutputsOf(test_case);
    for (const OutputSpec& output : outputs) {
      outputs_[output.name] = NewArray(output.type, Capacity(output));
    }
    ASSERT_EQ(runner_->Run(inputs_, outputs_), absl::OkStatus());
    ASSERT_EQ(backend_->Synchronize(), absl::OkStatus());
  }

  const SignatureData& signature() const {
    return spec_->algorithm().signature();
  }

  // Of the settings of the options one with which there are most arrays.
  Case CaseWithMostArrays() const {
    const ElementType type = GetParam().contract.element_types.front();
    const std::string distribution = spec_->Distributions(type).front();
    Case most;
    std::size_t arrays = 0;
    for (const OptionMap& options : spec_->OptionCombinations(type)) {
      Case made = *spec_->Generate({kSize, type, distribution, options, 1});
      const std::size_t there_are =
          made.inputs.size() + spec_->OutputsOf(made)->size();
      if (there_are <= arrays) continue;
      arrays = there_are;
      most = std::move(made);
    }
    return most;
  }

  // With room for so many elements of any type.
  ArrayView NewArray(ElementType type, std::int64_t size) {
    arrays_.push_back(*backend_->Allocate(ElementType::kInt64, size));
    return {arrays_.back().view().data(), type, size, backend_->memory()};
  }

  // The message of a run with another array for one of them.
  template <typename Views>
  std::string ErrorWith(Views& arrays, const std::string& name,
                        ArrayView other) {
    const auto kept = std::exchange(arrays.at(name), other);
    const absl::Status status = runner_->Run(inputs_, outputs_);
    arrays.at(name) = kept;
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << name;
    return std::string(status.message());
  }

  // Whether an extent of the output depends on elements, which no run looks at
  // to refuse something.
  bool DependsOnElements(const std::string& output) const {
    for (const OutputText& text : signature().outputs) {
      if (text.name != output) continue;
      for (const ExtentText& extent : signature().extents) {
        if (!extent.data_of.empty() &&
            std::count(text.shape.begin(), text.shape.end(), extent.name) > 0) {
          return true;
        }
      }
    }
    return false;
  }

  const AlgorithmSpec* spec_ = nullptr;
  std::shared_ptr<Backend> backend_;
  std::unique_ptr<Runner> runner_;
  std::vector<Array> arrays_;
  Inputs inputs_;
  Outputs outputs_;
};

TEST_P(Refusals, NoBackend) {
  const Algorithm& algorithm = spec_->algorithm();
  EXPECT_EQ(algorithm.NewRunner(nullptr, GetParam().variant).status(),
            NoBackendError());
  EXPECT_EQ(RunCall(algorithm, nullptr, "", {}, {}).status(), NoBackendError());
}

TEST_P(Refusals, OtherSizes) {
  for (const auto& [name, view] : Outputs(outputs_)) {
    if (DependsOnElements(name)) continue;
    const ArrayView larger = NewArray(view.type(), view.size() + 1);
    EXPECT_THAT(ErrorWith(outputs_, name, larger),
                HasSubstr(absl::StrCat("'", name, "' must have ", view.size(),
                                       " elements, not ", larger.size())));
  }
  // The first input may be of any size.
  for (std::size_t i = 1; i < signature().inputs.size(); ++i) {
    const std::string& name = signature().inputs[i].name;
    const auto given = inputs_.find(name);
    if (given == inputs_.end()) continue;
    const ArrayView smaller =
        NewArray(given->second.type(), given->second.size() - 1);
    EXPECT_NE(ErrorWith(inputs_, name, smaller), "");
  }
}

TEST_P(Refusals, OtherTypes) {
  const auto with_type = [](const auto& view, ElementType type) {
    return ArrayView(const_cast<void*>(view.data()), type, view.size(),
                     view.memory());
  };
  for (const auto& [name, view] : Outputs(outputs_)) {
    const ElementType other =
        IsFloat(view.type()) ? ElementType::kInt8 : ElementType::kFloat32;
    EXPECT_THAT(ErrorWith(outputs_, name, with_type(view, other)),
                AllOf(HasSubstr(absl::StrCat("'", name,
                                             "' must have elements of type ")),
                      HasSubstr(absl::StrCat(", not ", Name(other)))));
  }
  for (const InputSpec& input : signature().inputs) {
    const auto given = inputs_.find(input.name);
    for (const ElementType other : AllElementTypes()) {
      if (given == inputs_.end() ||
          std::count(input.types.begin(), input.types.end(), other) > 0) {
        continue;
      }
      EXPECT_THAT(
          ErrorWith(inputs_, input.name, with_type(given->second, other)),
          HasSubstr(absl::StrCat("'", input.name,
                                 "' must have elements of type ",
                                 AnyOf(input.types), ", not ", Name(other))));
    }
  }
}

TEST_P(Refusals, AnotherMemory) {
  const auto elsewhere = [](const auto& view) {
    return ArrayView(const_cast<void*>(view.data()), view.type(), view.size(),
                     Memory("elsewhere", 1));
  };
  for (const auto& [name, view] : Outputs(outputs_)) {
    EXPECT_THAT(ErrorWith(outputs_, name, elsewhere(view)),
                HasSubstr("'" + name + "' lives in elsewhere:1 memory"));
  }
  for (const auto& [name, view] : Inputs(inputs_)) {
    EXPECT_THAT(ErrorWith(inputs_, name, elsewhere(view)),
                HasSubstr("'" + name + "' lives in elsewhere:1 memory"));
  }
}

TEST_P(Refusals, ArraysThatTheAlgorithmDoesNotHave) {
  const auto refusal = [&](const Inputs& inputs, const Outputs& outputs) {
    return runner_->Run(inputs, outputs).ToString();
  };
  Inputs inputs = inputs_;
  inputs["inn"] = inputs.begin()->second;
  EXPECT_THAT(
      refusal(inputs, outputs_),
      HasSubstr("INVALID_ARGUMENT: there is no input 'inn'; there are " +
                signature().inputs.front().name));
  Outputs outputs = outputs_;
  outputs["outt"] = NewArray(ElementType::kInt32, 1);
  EXPECT_THAT(
      refusal(inputs_, outputs),
      HasSubstr("INVALID_ARGUMENT: there is no output 'outt'; there are " +
                signature().outputs.front().name));
}

TEST_P(Refusals, ArraysThatAreNotGiven) {
  for (const auto& [name, view] : Outputs(outputs_)) {
    EXPECT_THAT(ErrorWith(outputs_, name, ArrayView()),
                HasSubstr("'" + name + "' is not given"));
  }
  for (const InputSpec& input : signature().inputs) {
    if (input.optional) continue;
    EXPECT_THAT(ErrorWith(inputs_, input.name, ArrayView()),
                HasSubstr("'" + input.name + "' is not given"));
  }
}

std::vector<std::string> NumbersOutOfRange(const OptionSpec& option) {
  using Limits = std::numeric_limits<std::int64_t>;
  std::vector<std::string> values;
  if (option.least > Limits::min()) {
    values.push_back(absl::StrCat(option.least - 1));
  }
  if (option.most < Limits::max()) {
    values.push_back(absl::StrCat(option.most + 1));
  }
  return values;
}

TEST_P(Refusals, ValuesThatOptionsDoNotTake) {
  // Those that other variants have for tuning are ignored.
  std::vector<OptionSpec> options = signature().options;
  const std::vector<OptionSpec>& tuning = GetParam().tuning;
  options.insert(options.end(), tuning.begin(), tuning.end());
  for (const OptionSpec& option : options) {
    std::vector<std::string> values;
    if (option.kind == OptionSpec::Kind::kChoice) {
      values = {"neither"};
    } else if (option.kind == OptionSpec::Kind::kNumber) {
      values = NumbersOutOfRange(option);
      values.push_back("five");
      if (option.step > 1) values.push_back(absl::StrCat(option.least + 1));
    }
    for (const std::string& value : values) {
      const absl::Status status = runner_->Configure({{option.name, value}});
      EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << value;
      EXPECT_THAT(status.message(),
                  AllOf(HasSubstr(absl::StrCat("--", option.name, " takes")),
                        HasSubstr(value)));
      if (option.kind == OptionSpec::Kind::kChoice) {
        EXPECT_THAT(status.message(),
                    HasSubstr(absl::StrJoin(option.choices, ", ")));
      }
    }
  }
}

// A caller in C++ sets members, whose texts no parser has seen.
TEST(Numbers, OutOfRangeAreRefusedWithoutText) {
  // No member of Options, and one that is checked together with the window.
  const std::set<std::string> others = {"seed", "stride"};
  for (const AlgorithmSpec* spec : AllSpecs()) {
    const Algorithm& algorithm = spec->algorithm();
    for (const OptionSpec& option : algorithm.signature().options) {
      if (option.kind != OptionSpec::Kind::kNumber ||
          others.count(option.name) > 0) {
        continue;
      }
      for (const std::string& value : NumbersOutOfRange(option)) {
        const absl::Status status =
            algorithm.PlanWithNumbers({{option.name, value}});
        EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
        EXPECT_THAT(status.message(),
                    AllOf(HasSubstr(absl::StrCat("--", option.name, " takes")),
                          HasSubstr(absl::StrCat("'", value, "'"))));
      }
    }
  }
}

std::vector<ImplementationInfo> AllImplementations() {
  std::vector<ImplementationInfo> all;
  for (const AlgorithmSpec* spec : AllSpecs()) {
    for (const ImplementationInfo& info : spec->implementations()) {
      all.push_back(info);
    }
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(All, Refusals, testing::ValuesIn(AllImplementations()),
                         [](const auto& info) {
                           return absl::StrCat(info.param.algorithm, "_",
                                               info.param.backend, "_",
                                               info.param.variant);
                         });

}  // namespace
}  // namespace concord
