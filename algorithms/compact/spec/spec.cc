// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/core/spec.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "concord/algorithms/compact/compact.h"
#include "concord/algorithms/compact/spec/plain_predicate.h"
#include "concord/core/element_width.h"
#include "concord/core/errors.h"

namespace concord::compact {
namespace {

HostArray Single(std::int64_t value) {
  return HostArray::Of<std::int64_t>({value});
}

// Predicates that keep few, about half and most of the distributions' elements
// between them, with a bound that the type just holds.
std::vector<std::string> PredicatesFor(ElementType type) {
  if (IsFloat(type)) {
    return {"nonzero", "less:0.5", "greater:-0.25", "equal:1",
            "between:-inf,0"};
  }
  return Dispatch(type, [](auto tag) -> std::vector<std::string> {
    using T = typename decltype(tag)::type;
    using Limits = std::numeric_limits<T>;
    const T middle = Limits::max() / 2 + 1;
    return {"nonzero", absl::StrCat("less:", Limits::max()),
            absl::StrCat("greater:", middle), "equal:1",
            absl::StrCat("between:", Limits::min(), ",", 2)};
  });
}

class CompactSpec : public SpecOf<Compact> {
 public:
  std::vector<OptionMap> OptionCombinations(ElementType type) const override {
    std::vector<OptionMap> combinations;
    for (const OptionMap& outputs : SpecOf::OptionCombinations(type)) {
      for (const std::string& keep : PredicatesFor(type)) {
        combinations.push_back(outputs);
        combinations.back()["keep"] = keep;
      }
    }
    return combinations;
  }

  std::vector<Case> SpecialCases() const override {
    constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
    constexpr float kInf = std::numeric_limits<float>::infinity();
    constexpr float kTiny = std::numeric_limits<float>::denorm_min();
    using Int64 = std::numeric_limits<std::int64_t>;
    using UInt64 = std::numeric_limits<std::uint64_t>;
    std::vector<Case> cases;
    const auto add = [&](const char* label, const char* keep,
                         const HostArray& in) {
      cases.push_back(MakeCase(label,
                               {{"keep", keep},
                                {"output-indices", "yes"},
                                {"output-rejected", "yes"}},
                               in));
    };
    const HostArray floats = HostArray::Of<float>(
        {0.0f, -0.0f, kNan, -kNan, kInf, -kInf, kTiny, -kTiny, 1.0f, -1.0f});
    for (const char* keep :
         {"nonzero", "less:0", "less:-0.0", "greater:0", "greater:-0.0",
          "equal:0", "equal:-0.0", "between:0,0", "between:-0.0,1", "less:inf",
          "less:-inf", "greater:inf", "greater:-inf", "equal:inf",
          "between:-inf,inf", "between:1,-1"}) {
      add("zeros, NaNs and infinities", keep, floats);
    }
    const HostArray signed_ends =
        HostArray::Of<std::int64_t>({Int64::min(), Int64::min() + 1, -1, 0, 1,
                                     Int64::max() - 1, Int64::max()});
    for (const char* keep :
         {"less:-9223372036854775808", "less:-9223372036854775807",
          "greater:9223372036854775807", "greater:9223372036854775806",
          "equal:9223372036854775806", "between:2,1",
          "between:-9223372036854775808,9223372036854775807"}) {
      add("both ends of int64", keep, signed_ends);
    }
    const HostArray unsigned_ends = HostArray::Of<std::uint64_t>(
        {0, 1, std::uint64_t{1} << 63, UInt64::max() - 1, UInt64::max()});
    for (const char* keep :
         {"less:0", "greater:18446744073709551615",
          "greater:18446744073709551614", "equal:18446744073709551615",
          "between:9223372036854775808,18446744073709551614"}) {
      add("both ends of uint64", keep, unsigned_ends);
    }
    return cases;
  }

  absl::StatusOr<Expectations> Expected(const Case& test_case) const override {
    ASSIGN_OR_RETURN(Options options, ParseFor(test_case));
    const HostArray& in = test_case.inputs.at("in");
    Expectations expected;
    Dispatch(in.type(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      const PlainPredicate<T> keep(options.keep);
      std::vector<T> kept;
      std::vector<T> rejected;
      std::vector<std::int64_t> indices;
      const bool with_indices =
          SwitchOption(test_case.options, "output-indices");
      const bool with_rejected =
          SwitchOption(test_case.options, "output-rejected");
      for (std::int64_t i = 0; i < in.size(); ++i) {
        const T x = in.data<T>()[i];
        if (keep(x)) {
          kept.push_back(x);
          if (with_indices) indices.push_back(i);
        } else if (with_rejected) {
          rejected.push_back(x);
        }
      }
      const auto count = static_cast<std::int64_t>(kept.size());
      expected["out"].value = HostArray::Of<T>(absl::Span<const T>(kept));
      expected["count"].value = Single(count);
      if (with_indices) {
        expected["indices"].value =
            HostArray::Of(absl::Span<const std::int64_t>(indices));
      }
      if (with_rejected) {
        expected["rejected"].value =
            HostArray::Of<T>(absl::Span<const T>(rejected));
        expected["rejected_count"].value = Single(in.size() - count);
      }
    });
    return expected;
  }

  // A NaN is moved as it is.
  bool nans_have_bits() const override { return true; }

  std::vector<PresetRows> preset_rows() const override {
    // Three quarters and a tenth of uniform elements are kept.
    return {{"primitives",
             3,
             {"int32"},
             {"keep:less:1073741824", "keep:less:-1717986918"}},
            {"primitives", 3, {"int8"}, {"keep:less:64", "keep:less:-102"}},
            {"small"},
            {"medium"}};
  }

  Floor FloorOf(const Case& test_case) const override {
    const HostArray& in = test_case.inputs.at("in");
    absl::StatusOr<Options> options = ParseFor(test_case);
    if (!options.ok()) return {};
    const std::int64_t kept = Dispatch(in.type(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      const absl::Span<const T> values = in.span<T>();
      return static_cast<std::int64_t>(std::count_if(
          values.begin(), values.end(), PlainPredicate<T>(options->keep)));
    });
    const std::int64_t width = SizeOf(in.type());
    constexpr std::int64_t kIndex = sizeof(std::int64_t);
    std::int64_t written = kept * width + kIndex;
    if (SwitchOption(test_case.options, "output-indices")) {
      written += kept * kIndex;
    }
    if (SwitchOption(test_case.options, "output-rejected")) {
      written += (in.size() - kept) * width + kIndex;
    }
    return {in.view().bytes(), written};
  }

 private:
  // Also InvalidArgument for a constant that the elements cannot hold.
  absl::StatusOr<Options> ParseFor(const Case& test_case) const {
    ASSIGN_OR_RETURN(Options options, Parse(test_case.options));
    RETURN_IF_ERROR(DispatchWidth(test_case.type, [&](auto word) {
      return RangeOf<decltype(word)>(options.keep, test_case.type).status();
    }));
    return options;
  }
};

const bool kRegistered = RegisterSpec(new CompactSpec);

}  // namespace
}  // namespace concord::compact
