// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/core/spec.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <future>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "concord/algorithms/tensor_sketch/spec/cases.h"
#include "concord/algorithms/tensor_sketch/tensor_sketch.h"
#include "concord/core/errors.h"

namespace concord::tensor_sketch {
namespace {

constexpr char kAminoAcids[] = "ACDEFGHIKLMNPQRSTVWY";

// Words are read from their last letter to their first: suffixes[j] is the
// sketch of the last j letters of words, and letters come from the end of the
// sequence. Scattered, where the reference gathers.
void SketchBackwards(absl::Span<const std::uint8_t> letters,
                     const std::int32_t* hashes, const std::int32_t* signs,
                     const TensorSketch::Options& options, std::int64_t* out) {
  const int t = options.t;
  const int dim = options.dim;
  std::vector<std::vector<std::uint64_t>> suffixes(
      t + 1, std::vector<std::uint64_t>(dim, 0));
  suffixes[0][0] = 1;
  for (auto c = letters.rbegin(); c != letters.rend(); ++c) {
    if (*c >= options.alphabet_size) continue;
    for (int j = t; j > 0; --j) {
      // The word's letter that is the j-th from its end.
      const int entry = *c * t + (t - j);
      int place = hashes[entry];
      for (int l = 0; l < dim; ++l) {
        if (signs[entry] > 0) {
          suffixes[j][place] += suffixes[j - 1][l];
        } else {
          suffixes[j][place] -= suffixes[j - 1][l];
        }
        if (++place == dim) place = 0;
      }
    }
  }
  std::copy(suffixes[t].begin(), suffixes[t].end(), out);
}

// The same of a normalized sketch in a wider type: the words with sign + and
// those with sign - by themselves, each a sum of numbers that are not negative,
// after the authors. `mass` becomes the sum of both, to which errors relate;
// returned is the number of letters.
double SketchNormalizedBackwards(absl::Span<const std::uint8_t> letters,
                                 const std::int32_t* hashes,
                                 const std::int32_t* signs,
                                 const TensorSketch::Options& options,
                                 double* out, double* mass) {
  const int t = options.t;
  const int dim = options.dim;
  using Plane = std::vector<std::vector<long double>>;
  Plane plus(t + 1, std::vector<long double>(dim, 0));
  Plane minus = plus;
  plus[0][0] = 1;
  long double m = 0;
  for (auto c = letters.rbegin(); c != letters.rend(); ++c) {
    if (*c >= options.alphabet_size) continue;
    m += 1;
    for (int j = t; j > 0; --j) {
      if (j > m) continue;
      const long double enter = j / m;
      const int entry = *c * t + (t - j);
      const bool same = signs[entry] > 0;
      const std::vector<long double>& from_plus =
          same ? plus[j - 1] : minus[j - 1];
      const std::vector<long double>& from_minus =
          same ? minus[j - 1] : plus[j - 1];
      int place = hashes[entry];
      for (int l = 0; l < dim; ++l) {
        plus[j][place] += enter * (from_plus[l] - plus[j][place]);
        minus[j][place] += enter * (from_minus[l] - minus[j][place]);
        if (++place == dim) place = 0;
      }
    }
  }
  for (int l = 0; l < dim; ++l) {
    out[l] = static_cast<double>(plus[t][l] - minus[t][l]);
    mass[l] = static_cast<double>(plus[t][l] + minus[t][l]);
  }
  return static_cast<double>(m);
}

// Calls `sketch` for every row. Benchmarks have 100 million letters, half a
// minute's work for one thread; the rows know nothing of each other.
template <typename F>
void ForEachRow(const SketchRows& rows, const F& sketch) {
  std::int64_t letters = 0;
  for (std::int64_t row = 0; row < rows.size(); ++row) {
    letters += rows[row].size();
  }
  // Under a tenth of a second, more threads are not worth their start.
  constexpr std::int64_t kWorthThreads = std::int64_t{1} << 18;
  std::atomic<std::int64_t> next{0};
  const auto work = [&] {
    for (std::int64_t row = next++; row < rows.size(); row = next++) {
      sketch(row);
    }
  };
  // Futures, so that what a thread throws arrives here.
  std::vector<std::future<void>> helpers;
  if (letters >= kWorthThreads) {
    for (unsigned i = 1; i < std::thread::hardware_concurrency(); ++i) {
      helpers.push_back(std::async(std::launch::async, work));
    }
  }
  work();
  for (std::future<void>& helper : helpers) helper.get();
}

// The right sketches of a valid case, by another way than the reference.
Expectation ExpectedSketches(const Case& test_case,
                             const TensorSketch::Options& options) {
  const auto letters = test_case.inputs.at("letters").span<std::uint8_t>();
  const auto* hashes = test_case.inputs.at("hashes").data<std::int32_t>();
  const auto* signs = test_case.inputs.at("signs").data<std::int32_t>();
  const SketchRows rows(test_case.inputs.at("offsets").span<std::int64_t>(),
                        options);
  const int dim = options.dim;
  Expectation expectation;
  if (options.normalized) {
    HostArray out(ElementType::kFloat64, {rows.size(), dim});
    expectation.tolerance.resize(out.size());
    ForEachRow(rows, [&](std::int64_t row) {
      double* tolerance = expectation.tolerance.data() + row * dim;
      const double n = SketchNormalizedBackwards(
          letters.subspan(rows[row].begin, rows[row].size()), hashes, signs,
          options, out.data<double>() + row * dim, tolerance);
      for (int l = 0; l < dim; ++l) {
        tolerance[l] = SketchTolerance(n, tolerance[l]);
      }
    });
    expectation.value = std::move(out);
  } else {
    HostArray out(ElementType::kInt64, {rows.size(), dim});
    ForEachRow(rows, [&](std::int64_t row) {
      SketchBackwards(letters.subspan(rows[row].begin, rows[row].size()),
                      hashes, signs, options,
                      out.data<std::int64_t>() + row * dim);
    });
    expectation.value = std::move(out);
  }
  return expectation;
}

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
    std::vector<OptionMap> combinations = {make(4, 96, "ACGT"),
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
    VaryTuning(algorithm(), combinations);
    return combinations;
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
                      *RandomSketchTables({}, 1)};
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

  // The masses of the places of a row are parts of 1, that of all words; so 1
  // is a bound of each, without any sum. The letters that are skipped only make
  // the bound wider. A row that is too short has no words: its zeros are exact.
  absl::Status AddTolerances(const Case& test_case,
                             Expectations& computed) const override {
    ASSIGN_OR_RETURN(Options options, Parse(test_case.options));
    if (!options.normalized) return absl::OkStatus();
    const SketchRows rows(test_case.inputs.at("offsets").span<std::int64_t>(),
                          options);
    Expectation& out = computed.at("out");
    out.tolerance.reserve(out.value.size());
    for (std::int64_t row = 0; row < rows.size(); ++row) {
      const std::int64_t letters = rows[row].size();
      const double of_one =
          SketchTolerance(static_cast<double>(letters),
                          /*mass=*/letters < options.t ? 0 : 1);
      out.tolerance.insert(out.tolerance.end(), options.dim, 2 * of_one);
    }
    return absl::OkStatus();
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

  // Letters between windows have no part in the sketches.
  Floor FloorOf(const Case& test_case) const override {
    Floor floor = SpecOf::FloorOf(test_case);
    const absl::StatusOr<Options> options = Parse(test_case.options);
    if (!options.ok() || options->stride <= options->window) return floor;
    const SketchRows rows(test_case.inputs.at("offsets").span<std::int64_t>(),
                          *options);
    const std::int64_t letters = test_case.inputs.at("letters").size();
    floor.bytes_read -= letters;
    std::int64_t within = 0;
    for (std::int64_t row = 0; row < rows.size(); ++row) {
      within += rows[row].size();
    }
    floor.bytes_read += std::min(letters, within);
    return floor;
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
