// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_CORE_SMALL_KERNEL_SPEC_H_
#define CONCORD_CORE_SMALL_KERNEL_SPEC_H_

#include <cstddef>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "concord/core/small_kernel.h"
#include "concord/core/spec.h"

namespace concord {

// What is right of a SmallKernel: what its description expects. Cases are those
// of the usual distributions, with every value of choices and switches, and the
// least, the next and the largest of numbers.
template <typename Description>
class SmallKernelSpec : public SpecOf<SmallKernel<Description>> {
 public:
  std::vector<OptionMap> OptionCombinations(ElementType type) const override {
    std::vector<OptionMap> combinations =
        AlgorithmSpec::OptionCombinations(type);
    for (const OptionSpec& option : this->algorithm().signature().options) {
      if (option.kind != OptionSpec::Kind::kNumber) continue;
      const std::size_t count = combinations.size();
      for (const std::int64_t value :
           {option.least, option.least + option.step, option.most}) {
        for (std::size_t i = 0; i < count; ++i) {
          combinations.push_back(combinations[i]);
          combinations.back()[option.name] = absl::StrCat(value);
        }
      }
    }
    return combinations;
  }

  absl::StatusOr<Expectations> Expected(const Case& test_case) const override {
    const absl::StatusOr<typename Description::Options> options =
        this->Parse(test_case.options);
    if (!options.ok()) return options.status();
    const auto& [name, in] = *test_case.inputs.begin();
    Expectations expected;
    expected.emplace(this->algorithm().signature().outputs[0].name,
                     Dispatch(in.type(), [&, &array = in](auto tag) {
                       using T = typename decltype(tag)::type;
                       return Expect(Description::Expected(
                           array.template span<T>(), *options));
                     }));
    return expected;
  }

 protected:
  absl::StatusOr<Case> MakeFrom(const CaseRequest& request) const override {
    const SignatureData& signature = this->algorithm().signature();
    if (signature.inputs.size() == 1 && signature.outputs.size() == 1) {
      return AlgorithmSpec::MakeFrom(request);
    }
    return absl::InvalidArgumentError(absl::StrCat(
        "a small kernel has one input and one output, and '", this->name(),
        "' describes ", signature.inputs.size(), " and ",
        signature.outputs.size(), "; kernel_family is for other shapes"));
  }

 private:
  static Expectation Expect(Expectation expected) { return expected; }
  template <typename T>
  static Expectation Expect(const std::vector<T>& results) {
    Expectation expected;
    expected.value = HostArray::Of<T>(absl::Span<const T>(results));
    return expected;
  }
};

}  // namespace concord

#endif  // CONCORD_CORE_SMALL_KERNEL_SPEC_H_
