// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include <utility>

#include "absl/strings/str_cat.h"
#include "concord/algorithms/look_and_say/look_and_say.h"
#include "concord/algorithms/look_and_say/spec/cases.h"
#include "concord/core/errors.h"
#include "concord/core/spec.h"

namespace concord::look_and_say {
namespace {

constexpr const char* kWhole = LookAndSay::kWholeResult;

class LookAndSaySpec : public SpecOf<LookAndSay> {
 public:
  std::vector<std::string> Distributions(ElementType) const override {
    return LookAndSayDistributions();
  }

  // No step, one, a few; more and fewer than atoms are worth while for; the
  // settings of the others in turn.
  std::vector<OptionMap> OptionCombinations(ElementType) const override {
    const auto make = [](int steps, const char* counts, const char* length_only,
                         const char* from, const char* count) {
      return OptionMap{{"steps", absl::StrCat(steps)},
                       {"counts", counts},
                       {"length-only", length_only},
                       {"from", from},
                       {"count", count}};
    };
    return {make(1, "decimal", "no", "0", kWhole),
            make(0, "decimal", "no", "0", kWhole),
            make(1, "symbol", "no", "0", kWhole),
            make(2, "decimal", "no", "0", kWhole),
            make(3, "symbol", "no", "1", "100000"),
            make(5, "decimal", "yes", "0", kWhole),
            make(19, "decimal", "no", "0", kWhole),
            make(20, "decimal", "no", "2", kWhole),
            make(21, "symbol", "no", "0", kWhole),
            make(30, "decimal", "no", "0", kWhole),
            make(40, "symbol", "no", "2", "70000"),
            make(32, "symbol", "yes", "0", kWhole)};
  }

  absl::StatusOr<Case> Generate(const CaseRequest& request) const override {
    return GenerateLookAndSayCase(request, options());
  }
  std::vector<Case> SpecialCases() const override {
    return LookAndSaySpecialCases(options());
  }

  std::vector<Axis> Axes(const Case& test_case) const override {
    std::vector<Axis> axes = AlgorithmSpec::Axes(test_case);
    const std::int64_t steps = NumberOption(test_case.options, "steps");
    axes.push_back({"steps", steps,
                    [test_case, steps](std::int64_t first, std::int64_t last) {
                      Case smaller = test_case;
                      smaller.options["steps"] =
                          absl::StrCat(steps - (last - first));
                      return smaller;
                    }});
    return axes;
  }

  absl::StatusOr<Expectations> Expected(const Case& test_case) const override {
    ASSIGN_OR_RETURN(Options options, Parse(test_case.options));
    ASSIGN_OR_RETURN(
        HostArray value,
        ExpectedLookAndSay(test_case.inputs.at("in").span<std::uint8_t>(),
                           options));
    Expectations expected;
    expected["out"].value = std::move(value);
    return expected;
  }

  std::vector<PresetRows> preset_rows() const override {
    // Term 77 of "1".
    return {{"applications",
             3,
             {},
             {},
             {"one"},
             {"atoms", "lookback"},
             {1'149'440'192}}};
  }

  std::string size_unit() const override { return "digits"; }
};

const bool kRegistered = RegisterSpec(new LookAndSaySpec);

}  // namespace
}  // namespace concord::look_and_say
