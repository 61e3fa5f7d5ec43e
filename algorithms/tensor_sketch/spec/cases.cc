// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/algorithms/tensor_sketch/spec/cases.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "concord/core/algorithm.h"
#include "concord/core/errors.h"
#include "concord/core/random.h"
#include "concord/core/registry.h"

namespace concord::tensor_sketch {
namespace {

// The tables are [letters, t]; an entry stays when both predicates say so.
template <typename KeepRow, typename KeepColumn>
std::vector<std::int32_t> Filter(const std::vector<std::int32_t>& table, int t,
                                 KeepRow keep_row, KeepColumn keep_column) {
  std::vector<std::int32_t> kept;
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (keep_row(static_cast<int>(i / t)) &&
        keep_column(static_cast<int>(i % t))) {
      kept.push_back(table[i]);
    }
  }
  return kept;
}

template <typename KeepRow, typename KeepColumn>
SketchTables Filter(const SketchTables& tables, int t, KeepRow keep_row,
                    KeepColumn keep_column) {
  return {Filter(tables.hashes, t, keep_row, keep_column),
          Filter(tables.signs, t, keep_row, keep_column)};
}

template <typename T>
HostArray ToArray(const std::vector<T>& values,
                  std::vector<std::int64_t> shape) {
  HostArray array(ElementTypeOf<T>(), std::move(shape));
  std::copy(values.begin(), values.end(), array.data<T>());
  return array;
}

template <typename T>
std::vector<T> ToVector(const HostArray& array) {
  const absl::Span<const T> values = array.span<T>();
  return {values.begin(), values.end()};
}

// 1410 sequences at 100 million letters, the data set of the published
// measurements, and some also where tests are small.
std::int64_t SequencesOf(std::int64_t letters) {
  return std::max<std::int64_t>(
      1, std::llround(0.141 * std::sqrt(static_cast<double>(letters))));
}

// Offsets of sequences whose lengths are as the weights.
std::vector<std::int64_t> Share(std::int64_t letters,
                                const std::vector<double>& weights) {
  double sum = 0;
  for (double weight : weights) sum += weight;
  std::vector<std::int64_t> offsets = {0};
  double before = 0;
  for (double weight : weights) {
    before += weight;
    offsets.push_back(std::min<std::int64_t>(
        letters, std::llround(static_cast<double>(letters) * (before / sum))));
  }
  offsets.back() = letters;
  return offsets;
}

// Twelve factors that are 1.35 or its inverse: the logarithm is close to normal
// with deviation 1, and unlike exp() a product is the same on every machine.
double LogNormal(Random& random) {
  double value = 1;
  for (int i = 0; i < 12; ++i) {
    value *= random.Below(2) == 0 ? 1.35 : 1 / 1.35;
  }
  return value;
}

std::vector<std::int64_t> OffsetsOf(absl::string_view distribution,
                                    std::int64_t letters, int t,
                                    Random& random) {
  if (distribution == "equal_lengths") {
    return Share(letters, std::vector<double>(SequencesOf(letters), 1.0));
  }
  if (distribution == "log_normal_lengths") {
    std::vector<double> weights(SequencesOf(letters));
    for (double& weight : weights) weight = LogNormal(random);
    return Share(letters, weights);
  }
  std::vector<std::int64_t> offsets = {0};
  if (distribution == "short_sequences") {
    while (offsets.size() <= 1000 && offsets.back() < letters) {
      const auto length = static_cast<std::int64_t>(random.Below(2 * t + 1));
      offsets.push_back(std::min(letters, offsets.back() + length));
    }
  }
  if (offsets.size() == 1 || offsets.back() < letters) {
    offsets.push_back(letters);
  }
  return offsets;
}

std::vector<std::uint8_t> LettersOf(absl::string_view distribution,
                                    std::int64_t n, int alphabet_size,
                                    Random& random) {
  const auto letter = [&] {
    return static_cast<std::uint8_t>(random.Below(alphabet_size));
  };
  std::vector<std::uint8_t> letters(n);
  if (distribution == "homopolymer") {
    std::fill(letters.begin(), letters.end(), letter());
  } else if (distribution == "repeats") {
    std::vector<std::uint8_t> unit(2 + random.Below(15));
    for (std::uint8_t& c : unit) c = letter();
    for (std::int64_t i = 0; i < n; ++i) {
      letters[i] = random.Below(50) == 0 ? letter() : unit[i % unit.size()];
    }
  } else {
    for (std::uint8_t& c : letters) c = letter();
  }
  if (distribution == "invalid_letters" && alphabet_size < 256) {
    for (std::uint8_t& c : letters) {
      if (random.Below(8) != 0) continue;
      c = static_cast<std::uint8_t>(alphabet_size +
                                    random.Below(256 - alphabet_size));
    }
  }
  return letters;
}

}  // namespace

SketchCase SketchCase::Of(const Case& test_case) {
  return {test_case.options,
          ToVector<std::uint8_t>(test_case.inputs.at("letters")),
          ToVector<std::int64_t>(test_case.inputs.at("offsets")),
          {ToVector<std::int32_t>(test_case.inputs.at("hashes")),
           ToVector<std::int32_t>(test_case.inputs.at("signs"))}};
}

Case SketchCase::ToCase(std::string label) const {
  Case made;
  made.label = std::move(label);
  made.type = normalized() ? ElementType::kFloat64 : ElementType::kUInt8;
  made.options = options;
  made.inputs.emplace("letters", HostArray::Of<std::uint8_t>(letters));
  made.inputs.emplace("offsets", HostArray::Of<std::int64_t>(offsets));
  made.inputs.emplace("hashes", ToArray(tables.hashes, {alphabet_size(), t()}));
  made.inputs.emplace("signs", ToArray(tables.signs, {alphabet_size(), t()}));
  return made;
}

SketchCase SketchCase::WithoutSequences(std::int64_t first,
                                        std::int64_t last) const {
  SketchCase smaller = WithoutLetters(offsets[first], offsets[last]);
  smaller.offsets.erase(smaller.offsets.begin() + first,
                        smaller.offsets.begin() + last);
  return smaller;
}

SketchCase SketchCase::WithoutLetters(std::int64_t first,
                                      std::int64_t last) const {
  SketchCase smaller = *this;
  smaller.letters.erase(smaller.letters.begin() + first,
                        smaller.letters.begin() + last);
  for (std::int64_t& offset : smaller.offsets) {
    offset -= std::clamp(offset, first, last) - first;
  }
  return smaller;
}

SketchCase SketchCase::WithoutAlphabet(int first, int last) const {
  SketchCase smaller = *this;
  smaller.options["alphabet"].erase(first, last - first);
  smaller.tables = Filter(
      tables, t(), [=](int c) { return c < first || c >= last; },
      [](int) { return true; });
  // The letters behind move up; those left out are still there, as letters that
  // are skipped.
  for (std::uint8_t& c : smaller.letters) {
    if (c >= last) {
      c = static_cast<std::uint8_t>(c - (last - first));
    } else if (c >= first) {
      c = 255;
    }
  }
  return smaller;
}

SketchCase SketchCase::WithoutColumns(int first, int last) const {
  SketchCase smaller = *this;
  smaller.options["t"] = absl::StrCat(t() - (last - first));
  smaller.tables = Filter(
      tables, t(), [](int) { return true; },
      [=](int k) { return k < first || k >= last; });
  return smaller;
}

SketchCase SketchCase::WithDim(int dim) const {
  SketchCase smaller = *this;
  smaller.options["dim"] = absl::StrCat(dim);
  for (std::int32_t& hash : smaller.tables.hashes) hash %= dim;
  return smaller;
}

SketchCase SketchCase::WithoutWindows() const {
  SketchCase whole = *this;
  whole.options["window"] = "0";
  whole.options["stride"] = "1";
  return whole;
}

SketchCase SketchCase::WithoutNormalization() const {
  SketchCase integers = *this;
  integers.options["normalized"] = "no";
  return integers;
}

const std::vector<std::string>& SketchDistributions() {
  static const auto* const names = new std::vector<std::string>{
      "uniform",     "equal_lengths", "log_normal_lengths", "short_sequences",
      "homopolymer", "repeats",       "invalid_letters"};
  return *names;
}

absl::StatusOr<Case> GenerateSketchCase(const CaseRequest& request) {
  ASSIGN_OR_RETURN(TensorSketch::Options options,
                   ParseOptions<TensorSketch>(request.options));
  Random random(request.seed);
  SketchCase made;
  made.options = request.options;
  made.letters = LettersOf(request.distribution, request.size,
                           options.alphabet_size, random);
  made.offsets =
      OffsetsOf(request.distribution, request.size, options.t, random);
  // Other tables for every case: a mistake may show with some only.
  ASSIGN_OR_RETURN(
      made.tables,
      RandomSketchTables(
          options,
          RandomBits(NumberOption(request.options, "seed"), request.seed)));
  return made.ToCase(absl::StrCat("n=", request.size, " ", request.distribution,
                                  " seed=", request.seed, " ",
                                  ToString(request.options)));
}

}  // namespace concord::tensor_sketch
