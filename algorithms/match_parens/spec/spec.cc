// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include <cstdint>

#include "concord/algorithms/match_parens/match_parens.h"
#include "concord/algorithms/match_parens/spec/cases.h"
#include "concord/core/errors.h"
#include "concord/core/spec.h"

namespace concord::match_parens {
namespace {

// The loop of match_parens.h, with the kinds alone on the stack: the position
// of its lowest element is where it last was empty.
std::int64_t ExpectedFault(absl::Span<const std::uint8_t> in,
                           const Brackets& brackets) {
  std::vector<std::uint8_t> kinds;
  std::int64_t lowest = -1;
  for (std::size_t i = 0; i < in.size(); ++i) {
    const int code = brackets.code[in[i]];
    if (code > 0) {
      if (kinds.empty()) lowest = static_cast<std::int64_t>(i);
      kinds.push_back(static_cast<std::uint8_t>(code));
    } else if (code < 0) {
      if (kinds.empty() || kinds.back() != -code) {
        return static_cast<std::int64_t>(i);
      }
      kinds.pop_back();
    }
  }
  return kinds.empty() ? -1 : lowest;
}

class MatchParensSpec : public SpecOf<MatchParens> {
 public:
  std::vector<ElementType> element_types() const override {
    return {ElementType::kInt8, ElementType::kUInt8};
  }
  std::vector<std::string> Distributions(ElementType) const override {
    return MatchParensDistributions();
  }
  std::vector<OptionMap> OptionCombinations(ElementType) const override {
    return {{{"kinds", "()"}}, {{"kinds", "()[]{}"}}, {{"kinds", "<>"}}};
  }

  absl::StatusOr<HostArray> DrawInput(const CaseRequest& request,
                                      const OptionMap& options) const override {
    const std::string& kinds = options.at("kinds");
    RETURN_IF_ERROR(BracketsOf(Options{kinds}, request.type).status());
    return DrawBrackets(request.distribution, request.type, request.size, kinds,
                        request.seed);
  }

  std::vector<Case> SpecialCases() const override {
    return MatchParensSpecialCases();
  }

  absl::StatusOr<Expectations> Expected(const Case& test_case) const override {
    ASSIGN_OR_RETURN(Options options, Parse(test_case.options));
    ASSIGN_OR_RETURN(Brackets brackets, BracketsOf(options, test_case.type));
    const HostArray& in = test_case.inputs.at("in");
    const absl::Span<const std::uint8_t> bytes(
        in.data<std::uint8_t>(), static_cast<std::size_t>(in.size()));
    Expectations expected;
    expected["fault"].value =
        HostArray::Of<std::int64_t>({ExpectedFault(bytes, brackets)});
    return expected;
  }

  std::vector<PresetRows> preset_rows() const override {
    return {{"applications", 2, {}, {}, {"balanced", "fault_at_end"}}};
  }
};

const bool kRegistered = RegisterSpec(new MatchParensSpec);

}  // namespace
}  // namespace concord::match_parens
