// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/core/spec.h"

#include <cstring>
#include <utility>
#include <vector>

#include "concord/algorithms/radix_sort/radix_sort.h"
#include "concord/algorithms/radix_sort/spec/order.h"
#include "concord/core/distributions.h"
#include "concord/core/errors.h"
#include "concord/core/random.h"

namespace concord::radix_sort {

namespace {

// A float of these bits: NaNs of every sign and payload have no other name.
float FloatOf(std::uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}
double DoubleOf(std::uint64_t bits) {
  double value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

class RadixSortSpec : public SpecOf<RadixSort> {
 public:
  // Each way to treat values with each order and range of bits.
  std::vector<OptionMap> OptionCombinations(ElementType type) const override {
    const std::vector<std::string> ranges =
        SizeOf(type) == 1   ? std::vector<std::string>{"", "2,7"}
        : SizeOf(type) == 4 ? std::vector<std::string>{"", "3,20", "24,32"}
                            : std::vector<std::string>{"", "0,33", "40,64"};
    std::vector<OptionMap> combinations;
    for (const char* order : {"ascending", "descending"}) {
      for (const std::string& range : ranges) {
        for (const char* values : {"none", "given", "positions"}) {
          const bool argsort = values == std::string("positions");
          const bool given = values == std::string("given");
          combinations.push_back(
              {{"order", order},
               {"bits", range},
               {"argsort", argsort ? "yes" : "no"},
               {"output-values", given || argsort ? "yes" : "no"}});
        }
      }
    }
    VaryTuning(algorithm(), combinations);
    return combinations;
  }

  absl::StatusOr<Case> MakeFrom(const CaseRequest& request) const override {
    ASSIGN_OR_RETURN(Case made, SpecOf::MakeFrom(request));
    if (SwitchOption(made.options, "output-values") &&
        !SwitchOption(made.options, "argsort")) {
      ASSIGN_OR_RETURN(HostArray values, Draw("uniform", ValueType(request),
                                              request.size, request.seed + 1));
      made.inputs.emplace(kRadixSortValues, std::move(values));
    }
    return made;
  }

  std::vector<Case> SpecialCases() const override;

  std::vector<Axis> Axes(const Case& test_case) const override {
    const std::int64_t n = test_case.inputs.at(kRadixSortKeys).size();
    return {{"elements", n, [test_case](std::int64_t first, std::int64_t last) {
               Case smaller = test_case;
               for (auto& [name, array] : smaller.inputs) {
                 array = array.Without(first, last);
               }
               return smaller;
             }}};
  }

  absl::StatusOr<Expectations> Expected(const Case& test_case) const override {
    ASSIGN_OR_RETURN(Options options, Parse(test_case.options));
    const HostArray& in = test_case.inputs.at(kRadixSortKeys);
    const std::vector<std::int64_t> positions =
        StablePositions(RadixSortRanks(in, options));
    Expectations expected;
    expected[kRadixSortSortedKeys].value = Gather(in, positions);
    const auto values = test_case.inputs.find(kRadixSortValues);
    if (options.argsort) {
      expected[kRadixSortSortedValues].value =
          HostArray::Of<std::int64_t>(positions);
    } else if (values != test_case.inputs.end()) {
      expected[kRadixSortSortedValues].value =
          Gather(values->second, positions);
    }
    return expected;
  }

  // A NaN is moved as it is.
  bool nans_have_bits() const override { return true; }

  std::vector<PresetRows> preset_rows() const override {
    return {{"primitives", 5, {"uint32", "uint64"}},
            {"primitives", 5, {"uint32"}, {"output-values:yes"}},
            {"small"},
            {"processors", 5, {"uint32", "uint64"}, {}, {}, {}, {kOnCpu}},
            {"processors",
             5,
             {"uint32"},
             {"output-values:yes"},
             {},
             {"reference", "write_combined"},
             {kOnCpu}},
            {"block_sizes", 0, {}, {}, {}, {"split"}}};
  }

 private:
  // Beyond the caches, and a sort by comparison takes seconds and not minutes.
  static constexpr std::int64_t kOnCpu = std::int64_t{1} << 25;

  // Benchmarks, whose distribution is the first, are about 32-bit values;
  // tests want every type.
  static ElementType ValueType(const CaseRequest& request) {
    if (request.distribution == "uniform") return ElementType::kUInt32;
    constexpr ElementType kTypes[] = {
        ElementType::kInt32,  ElementType::kFloat64, ElementType::kUInt32,
        ElementType::kUInt64, ElementType::kFloat32, ElementType::kInt64};
    return kTypes[RandomBits(request.seed, 0) % std::size(kTypes)];
  }
};

// Keys whose order decides nothing but which is first among equals, keys that
// are ordered in one bit only, and what floats have besides numbers.
std::vector<Case> RadixSortSpec::SpecialCases() const {
  std::vector<Case> cases;
  const auto add = [&](const std::string& label, const HostArray& in,
                       const std::string& bits = "") {
    for (const char* order : {"ascending", "descending"}) {
      cases.push_back(MakeCase(label,
                               {{"order", order},
                                {"bits", bits},
                                {"argsort", "yes"},
                                {"output-values", "yes"}},
                               in));
    }
  };
  add("NaNs of both signs, zeros, infinities",
      HostArray::Of<float>({FloatOf(0x7fc00000), FloatOf(0xffc00000), 0.0f,
                            -0.0f, FloatOf(0xff800001), FloatOf(0x7f800001),
                            FloatOf(0x7f800000), FloatOf(0xff800000), -1.0f,
                            1.0f, FloatOf(0x7fffffff), FloatOf(0xffffffff),
                            -0.0f, 0.0f, FloatOf(1), FloatOf(0x80000001)}));
  add("NaNs of both signs, zeros, infinities",
      HostArray::Of<double>(
          {DoubleOf(0x7ff8000000000000), -0.0, DoubleOf(0xfff8000000000000),
           0.0, DoubleOf(0xfff0000000000001), DoubleOf(0x7ff0000000000001),
           DoubleOf(0x7ff0000000000000), DoubleOf(0xfff0000000000000), 0.0,
           DoubleOf(0xffffffffffffffff), -0.0, 2.0, -2.0}));
  add("no bit at all", HostArray::Of<std::uint32_t>({3, 1, 2}), "32,32");

  constexpr std::int64_t kSize = 100'003;
  HostArray top_bits(ElementType::kUInt32, {kSize});
  HostArray low_bit(ElementType::kInt64, {kSize});
  HostArray skewed(ElementType::kUInt32, {kSize});
  for (std::int64_t i = 0; i < kSize; ++i) {
    const std::uint64_t random = RandomBits(5, static_cast<std::uint64_t>(i));
    top_bits.data<std::uint32_t>()[i] = 0x12345678u ^ (random % 2) << 31;
    low_bit.data<std::int64_t>()[i] =
        -7 ^ static_cast<std::int64_t>(random % 2);
    // All but one of a hundred agree in their upper half.
    skewed.data<std::uint32_t>()[i] = static_cast<std::uint32_t>(
        random % 100 == 0 ? random >> 32 : 0xabcd0000u | random >> 48);
  }
  add("keys that differ in their top bit", top_bits);
  add("keys that differ in their lowest bit", low_bit);
  add("most keys share their upper half", skewed);
  add("no bit at all, of many keys", skewed, "32,32");
  add("no bit at all, of many keys", low_bit, "64,64");
  // More than fit into a core's cache, in one part of a distribution by the
  // upper bits.
  constexpr std::int64_t kLarge = 700'001;
  HostArray large(ElementType::kUInt64, {kLarge});
  for (std::int64_t i = 0; i < kLarge; ++i) {
    const std::uint64_t random = RandomBits(6, static_cast<std::uint64_t>(i));
    large.data<std::uint64_t>()[i] =
        random % 64 == 0 ? random : random >> 40 | std::uint64_t{1} << 63;
  }
  add("one crowded part of the range", large);
  return cases;
}

const bool kRegistered = RegisterSpec(new RadixSortSpec);

}  // namespace
}  // namespace concord::radix_sort
