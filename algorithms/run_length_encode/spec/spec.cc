// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/core/spec.h"

#include <limits>
#include <utility>

#include "concord/algorithms/run_length_encode/run_length_cases.h"
#include "concord/algorithms/run_length_encode/run_length_encode.h"
#include "concord/core/distributions.h"
#include "concord/core/errors.h"

namespace concord::run_length_encode {
namespace {

class RunLengthEncodeSpec : public SpecOf<RunLengthEncode> {
 public:
  // The lengths are always computed, wanted or not.
  std::vector<OptionMap> OptionCombinations(ElementType) const override {
    std::vector<OptionMap> combinations;
    for (const char* type : {"int64", "int32"}) {
      combinations.push_back(
          {{"length-type", type}, {"output-lengths", "yes"}});
    }
    return combinations;
  }

  std::vector<std::string> Distributions(ElementType type) const override {
    return RunDistributions(type);
  }

  absl::StatusOr<HostArray> DrawInput(
      const CaseRequest& request) const override {
    return DrawRuns(request.distribution, request.type, request.size,
                    request.seed);
  }

  std::vector<Case> SpecialCases() const override {
    std::vector<Case> cases;
    const auto add = [&](const char* label, HostArray in) {
      for (OptionMap& options : OptionCombinations(in.type())) {
        cases.push_back(MakeCase(label, std::move(options), in));
      }
    };
    constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
    add("NaNs of the same bits are one run",
        HostArray::Of<float>({kNan, kNan, 1, kNan}));
    add("NaNs of two signs are two runs",
        HostArray::Of<float>({kNan, -kNan, -kNan, kNan}));
    add("zeros of both signs are two runs",
        HostArray::Of<double>({0.0, -0.0, -0.0, 0.0}));
    // A run that all tiles but the last and the first lie within.
    for (const ElementType type :
         {ElementType::kInt8, ElementType::kInt32, ElementType::kInt64}) {
      HostArray in = *Draw("equal", type, 300'000, 1);
      in.data<char>()[0] ^= 1;
      in.data<char>()[in.view().bytes() - 1] ^= 1;
      add("one long run between two short ones", std::move(in));
    }
    return cases;
  }

  absl::StatusOr<Expectations> Expected(const Case& test_case) const override {
    ASSIGN_OR_RETURN(ElementType length_type,
                     ParseElementType(test_case.options.at("length-type")));
    HostRuns runs = RunsOf(test_case.inputs.at("in"), length_type);
    Expectations expected;
    expected["runs"].value = HostArray::Of<std::int64_t>({runs.values.size()});
    expected["values"].value = std::move(runs.values);
    expected["lengths"].value = std::move(runs.lengths);
    return expected;
  }

  // A NaN is moved as it is.
  bool nans_have_bits() const override { return true; }

  std::vector<PresetRows> preset_rows() const override {
    return {{"primitives",
             4,
             {"int8", "int32"},
             {"length-type:int32"},
             {"long_runs", "short_runs"}},
            {"small"},
            {"medium"}};
  }

  Floor FloorOf(const Case& test_case) const override {
    const HostArray& in = test_case.inputs.at("in");
    absl::StatusOr<ElementType> length_type =
        ParseElementType(test_case.options.at("length-type"));
    if (!length_type.ok()) return {};
    const std::int64_t runs = CountRuns(in);
    return {in.view().bytes(),
            runs * (SizeOf(in.type()) + SizeOf(*length_type))};
  }
};

const bool kRegistered = RegisterSpec(new RunLengthEncodeSpec);

}  // namespace
}  // namespace concord::run_length_encode
