// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "concord/algorithms/tensor_sketch/spec/cases.h"
#include "concord/algorithms/tensor_sketch/spec/expected.h"
#include "concord/algorithms/tensor_sketch/tensor_sketch.h"
#include "concord/core/errors.h"
#include "concord/core/spec.h"

namespace concord::tensor_sketch {
namespace {

constexpr char kAminoAcids[] = "ACDEFGHIKLMNPQRSTVWY";

class TensorSketchSpec : public SpecOf<TensorSketch> {
 public:
  std::int64_t largest_size() const override { return std::int64_t{1} << 21; }
  std::vector<std::string> Distributions(ElementType) const override {
    return SketchDistributions();
  }

  // The defaults; every method, and each side of the limits between them; dim 1
  // and t 1; windows that overlap a little, much and not at all.
  std::vector<OptionMap> OptionCombinations(ElementType type) const override {
    const auto make = [type](int t, int dim, const char* alphabet,
                             int window = 0, int stride = 1) {
      return OptionMap{
          {"t", absl::StrCat(t)},
          {"dim", absl::StrCat(dim)},
          {"alphabet", alphabet},
          {"seed", "1"},
          {"normalized", type == ElementType::kFloat64 ? "yes" : "no"},
          {"window", absl::StrCat(window)},
          {"stride", absl::StrCat(stride)}};
    };
    if (type == ElementType::kFloat64) {
      return {make(4, 96, "ACGT"),
              make(1, 1, "ACGT"),
              make(3, 7, "AC"),
              make(4, 10, "ACGTN"),
              make(2, 64, kAminoAcids),
              make(6, 33, "ACGT"),
              make(4, 24, "ACGT", 700, 300)};
    }
    return {make(4, 96, "ACGT"),
            make(1, 1, "ACGT"),
            make(3, 7, "AC"),
            make(4, 10, "ACGTN"),
            make(2, 64, kAminoAcids),
            make(3, 96, kAminoAcids),
            make(5, 96, "ACGT"),
            make(6, 33, "ACGT"),
            make(2, 1000, "ACG"),
            make(4, 1, "A"),
            make(4, 24, "ACGT", 700, 300),
            make(3, 16, "ACGTN", 5000, 500),
            make(4, 40, "ACG", 1000, 2500),
            make(3, 24, kAminoAcids, 900, 800)};
  }

  absl::StatusOr<Case> MakeFrom(const CaseRequest& request) const override {
    return GenerateSketchCase(request);
  }

  std::vector<Case> SpecialCases() const override {
    const std::vector<OptionMap> combinations =
        OptionCombinations(ElementType::kUInt8);
    std::vector<Case> cases;
    const auto add = [&](std::string label, std::vector<std::uint8_t> letters,
                         std::vector<std::int64_t> offsets) {
      SketchCase made{combinations[0], std::move(letters), std::move(offsets),
                      RandomSketchTables({}, 1)};
      cases.push_back(made.ToCase(std::move(label)));
    };
    add("no sequences", {}, {0});
    add("one empty sequence", {}, {0, 0});
    add("empty sequences around one", {0, 1, 2, 3, 3}, {0, 0, 0, 5, 5});
    add("one letter too few", {0, 1, 2}, {0, 3});
    add("enough letters, but not of the alphabet", {0, 4, 1, 255, 2}, {0, 5});
    add("only letters outside the alphabet", {4, 5, 255, 128}, {0, 4});
    // 2 * 10^5 equal letters have more words than 2^64, so the sums wrap.
    add("more words than 2^64", std::vector<std::uint8_t>(200'000, 2),
        {0, 200'000});
    return cases;
  }

  std::vector<Axis> Axes(const Case& test_case) const override {
    const SketchCase sketch = SketchCase::Of(test_case);
    const std::string& label = test_case.label;
    return {
        {"letters", static_cast<std::int64_t>(sketch.letters.size()),
         [sketch, label](std::int64_t first, std::int64_t last) {
           return sketch.WithoutLetters(first, last).ToCase(label);
         }},
        {"sequences", sketch.sequences(),
         [sketch, label](std::int64_t first, std::int64_t last) {
           return sketch.WithoutSequences(first, last).ToCase(label);
         }},
        // Of the last three, one has to stay.
        {"letters of the alphabet", sketch.alphabet_size() - 1,
         [sketch, label](std::int64_t first, std::int64_t last) {
           return sketch
               .WithoutAlphabet(static_cast<int>(first), static_cast<int>(last))
               .ToCase(label);
         }},
        {"letters of a word", sketch.t() - 1,
         [sketch, label](std::int64_t first, std::int64_t last) {
           return sketch
               .WithoutColumns(static_cast<int>(first), static_cast<int>(last))
               .ToCase(label);
         }},
        {"places of a sketch", sketch.dim() - 1,
         [sketch, label](std::int64_t first, std::int64_t last) {
           return sketch.WithDim(sketch.dim() - static_cast<int>(last - first))
               .ToCase(label);
         }},
    };
  }

  absl::StatusOr<Expectations> Expected(const Case& test_case) const override {
    ASSIGN_OR_RETURN(Options options, Parse(test_case.options));
    Expectations expected;
    expected["out"] = ExpectedSketches(test_case, options);
    return expected;
  }

  std::vector<PresetRows> preset_rows() const override {
    // The published measurements are on 1410 sequences of 100 million letters.
    return {{"transfers",
             0,
             {},
             {},
             {"equal_lengths", "log_normal_lengths"},
             {"word_counts", "thread_words", "cached"},
             {100'000'000}}};
  }

  std::string size_unit() const override { return "letters"; }
  ElementType TypeOfCase(const Case& test_case) const override {
    return SwitchOption(test_case.options, "normalized") ? ElementType::kFloat64
                                                         : ElementType::kUInt8;
  }
  std::int64_t SizeOfCase(const Case& test_case) const override {
    return test_case.inputs.at("letters").size();
  }
};

const bool kRegistered = RegisterSpec(new TensorSketchSpec);

}  // namespace
}  // namespace concord::tensor_sketch
