// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "concord/algorithms/tensor_sketch/spec/cases.h"
#include "concord/algorithms/tensor_sketch/tensor_sketch.h"
#include "concord/core/errors.h"
#include "concord/core/spec.h"

namespace concord::tensor_sketch {
namespace {

using Sketches = std::vector<std::int64_t>;

absl::StatusOr<Sketches> Run(const Law::Run& run, const SketchCase& sketch) {
  ASSIGN_OR_RETURN(Results results, run(sketch.ToCase("a law's case")));
  const auto out = results.at("out").span<std::int64_t>();
  return Sketches(out.begin(), out.end());
}

absl::Status Compare(const Sketches& wanted, const Sketches& got, int dim) {
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (i < got.size() && wanted[i] == got[i]) continue;
    return InternalError("sketch ", i / dim, " at ", i % dim, ": ",
                         i < got.size() ? absl::StrCat(got[i]) : "nothing",
                         " instead of ", wanted[i]);
  }
  return absl::OkStatus();
}

absl::Status RunBothAndCompare(const Law::Run& run, const SketchCase& one,
                               const SketchCase& other) {
  ASSIGN_OR_RETURN(Sketches wanted, Run(run, one));
  ASSIGN_OR_RETURN(Sketches got, Run(run, other));
  return Compare(wanted, got, one.dim());
}

// All letters as one sequence.
SketchCase Joined(const SketchCase& sketch) {
  SketchCase joined = sketch;
  joined.offsets = {0, static_cast<std::int64_t>(sketch.letters.size())};
  return joined;
}

// The sketch of words of j letters, j from 0: of the part of a sequence with
// the given columns of the tables. The one word of no letters stands at 0.
absl::StatusOr<Sketches> RunColumns(const Law::Run& run,
                                    const SketchCase& sketch, int first,
                                    int last) {
  if (first == last) {
    Sketches one(sketch.dim(), 0);
    one[0] = 1;
    return one;
  }
  return Run(run,
             sketch.WithoutColumns(last, sketch.t()).WithoutColumns(0, first));
}

// sum += x * y, a circular convolution.
void AddConvolution(const Sketches& x, const Sketches& y,
                    std::vector<std::uint64_t>& sum) {
  const std::size_t dim = sum.size();
  for (std::size_t i = 0; i < dim; ++i) {
    if (x[i] == 0) continue;
    for (std::size_t j = 0; j < dim; ++j) {
      sum[(i + j) % dim] +=
          static_cast<std::uint64_t>(x[i]) * static_cast<std::uint64_t>(y[j]);
    }
  }
}

absl::Status CheckConcatenation(const Law::Run& run, const Case& test_case) {
  const SketchCase whole = Joined(SketchCase::Of(test_case));
  const auto n = static_cast<std::int64_t>(whole.letters.size());
  const SketchCase x = whole.WithoutLetters(n / 3, n);
  const SketchCase y = whole.WithoutLetters(0, n / 3);
  std::vector<std::uint64_t> sum(whole.dim(), 0);
  for (int j = 0; j <= whole.t(); ++j) {
    ASSIGN_OR_RETURN(Sketches begins, RunColumns(run, x, 0, j));
    ASSIGN_OR_RETURN(Sketches ends, RunColumns(run, y, j, whole.t()));
    AddConvolution(begins, ends, sum);
  }
  ASSIGN_OR_RETURN(Sketches got, Run(run, whole));
  return Compare(Sketches(sum.begin(), sum.end()), got, whole.dim());
}

absl::Status CheckHomopolymer(const Law::Run& run, const Case& test_case) {
  SketchCase same = Joined(SketchCase::Of(test_case));
  std::fill(same.letters.begin(), same.letters.end(), 0);
  // binomial(n, k) for k = 0 .. t by Pascal's rule, modulo 2^64.
  std::vector<std::uint64_t> binomials(same.t() + 1, 0);
  binomials[0] = 1;
  for (std::size_t i = 0; i < same.letters.size(); ++i) {
    for (int k = same.t(); k > 0; --k) binomials[k] += binomials[k - 1];
  }
  int place = 0;
  int sign = 1;
  for (int k = 0; k < same.t(); ++k) {
    place = (place + same.tables.hashes[k]) % same.dim();
    sign *= same.tables.signs[k];
  }
  Sketches wanted(same.dim(), 0);
  wanted[place] = static_cast<std::int64_t>(sign > 0 ? binomials[same.t()]
                                                     : 0 - binomials[same.t()]);
  ASSIGN_OR_RETURN(Sketches got, Run(run, same));
  return Compare(wanted, got, same.dim());
}

absl::Status CheckReversal(const Law::Run& run, const Case& test_case) {
  const SketchCase forward = SketchCase::Of(test_case);
  SketchCase backward = forward;
  for (std::int64_t s = 0; s < forward.sequences(); ++s) {
    std::reverse(backward.letters.begin() + forward.offsets[s],
                 backward.letters.begin() + forward.offsets[s + 1]);
  }
  for (int c = 0; c < forward.alphabet_size(); ++c) {
    const int row = c * forward.t();
    for (std::vector<std::int32_t>* table :
         {&backward.tables.hashes, &backward.tables.signs}) {
      std::reverse(table->begin() + row, table->begin() + row + forward.t());
    }
  }
  return RunBothAndCompare(run, forward, backward);
}

absl::Status CheckRelabelling(const Law::Run& run, const Case& test_case) {
  const SketchCase sketch = SketchCase::Of(test_case);
  SketchCase relabelled = sketch;
  const int letters = sketch.alphabet_size();
  for (std::uint8_t& c : relabelled.letters) {
    if (c < letters) c = static_cast<std::uint8_t>(letters - 1 - c);
  }
  for (int c = 0; c < letters; ++c) {
    for (int k = 0; k < sketch.t(); ++k) {
      const int to = (letters - 1 - c) * sketch.t() + k;
      const int from = c * sketch.t() + k;
      relabelled.tables.hashes[to] = sketch.tables.hashes[from];
      relabelled.tables.signs[to] = sketch.tables.signs[from];
    }
  }
  return RunBothAndCompare(run, sketch, relabelled);
}

absl::Status CheckSplitting(const Law::Run& run, const Case& test_case) {
  const SketchCase all = SketchCase::Of(test_case);
  ASSIGN_OR_RETURN(Sketches together, Run(run, all));
  // Enough to tell, and few enough not to take long.
  const std::int64_t alone = std::min<std::int64_t>(all.sequences(), 20);
  for (std::int64_t s = 0; s < alone; ++s) {
    const SketchCase one =
        all.WithoutSequences(s + 1, all.sequences()).WithoutSequences(0, s);
    ASSIGN_OR_RETURN(Sketches got, Run(run, one));
    const auto begin = together.begin() + s * all.dim();
    RETURN_IF_ERROR(
        Compare(Sketches(begin, begin + all.dim()), got, all.dim()));
  }
  return absl::OkStatus();
}

absl::Status CheckSkipping(const Law::Run& run, const Case& test_case) {
  const SketchCase all = SketchCase::Of(test_case);
  SketchCase valid = all;
  valid.letters.clear();
  for (std::int64_t s = 0; s < all.sequences(); ++s) {
    for (std::int64_t i = all.offsets[s]; i < all.offsets[s + 1]; ++i) {
      if (all.letters[i] < all.alphabet_size()) {
        valid.letters.push_back(all.letters[i]);
      }
    }
    valid.offsets[s + 1] = static_cast<std::int64_t>(valid.letters.size());
  }
  return RunBothAndCompare(run, valid, all);
}

// Normalized sketches times binomial(n, t), for sequences so short that this is
// an integer of a double, against the integers.
absl::Status CheckNormalization(const Law::Run& run, const Case& test_case) {
  const SketchCase normalized = SketchCase::Of(test_case);
  if (!normalized.normalized()) return absl::OkStatus();
  ASSIGN_OR_RETURN(Results results, run(test_case));
  const auto got = results.at("out").span<double>();
  ASSIGN_OR_RETURN(Sketches wanted,
                   Run(run, normalized.WithoutNormalization()));
  const absl::StatusOr<TensorSketch::Options> options =
      ParseOptions<TensorSketch>(normalized.options);
  const SketchRows rows(normalized.offsets, *options);
  for (std::int64_t row = 0; row < rows.size(); ++row) {
    const auto begin = normalized.letters.begin();
    const auto n = static_cast<double>(
        std::count_if(begin + rows[row].begin, begin + rows[row].end,
                      [&](int c) { return c < normalized.alphabet_size(); }));
    double all = 1;
    for (int i = 0; i < options->t && n >= options->t; ++i) {
      all = all * (n - i) / (i + 1);
    }
    if (all >= 0x1p53) continue;
    for (int l = 0; l < options->dim; ++l) {
      const std::int64_t at = row * options->dim + l;
      const auto value = static_cast<double>(wanted[at]) / all;
      // No value is larger than 1.
      if (std::abs(got[at] - value) <= SketchTolerance(n, 1)) continue;
      return InternalError("sketch ", row, " at ", l, ": ", got[at],
                           " instead of ", value);
    }
  }
  return absl::OkStatus();
}

absl::Status CheckWindows(const Law::Run& run, const Case& test_case) {
  const SketchCase sketch = SketchCase::Of(test_case);
  if (sketch.window() == 0 || sketch.normalized()) return absl::OkStatus();
  const absl::StatusOr<TensorSketch::Options> options =
      ParseOptions<TensorSketch>(sketch.options);
  const SketchRows rows(sketch.offsets, *options);
  SketchCase apart = sketch.WithoutWindows();
  apart.letters.clear();
  apart.offsets = {0};
  for (std::int64_t row = 0; row < rows.size(); ++row) {
    apart.letters.insert(apart.letters.end(),
                         sketch.letters.begin() + rows[row].begin,
                         sketch.letters.begin() + rows[row].end);
    apart.offsets.push_back(static_cast<std::int64_t>(apart.letters.size()));
  }
  return RunBothAndCompare(run, apart, sketch);
}

// The laws about integers have nothing to say about normalized sketches, those
// about sequences nothing about windows.
Law OfIntegers(Law law, bool also_windows = false) {
  return {law.name, law.statement,
          [check = law.check, also_windows](const Law::Run& run,
                                            const Case& test_case) {
            const SketchCase sketch = SketchCase::Of(test_case);
            if (sketch.normalized() || (sketch.window() > 0 && !also_windows)) {
              return absl::OkStatus();
            }
            return check(run, test_case);
          }};
}

const bool kRegistered = RegisterLaws<TensorSketch>({
    OfIntegers({"concatenation",
                "a sketch of xy is the sum of the convolutions of sketches "
                "of x and y with the first j and the other t - j columns of "
                "the tables",
                CheckConcatenation}),
    OfIntegers({"homopolymer",
                "n equal letters have binomial(n, t) at one place and zeros "
                "elsewhere",
                CheckHomopolymer}),
    OfIntegers({"reversal",
                "reversed sequences have the same sketches with reversed "
                "tables",
                CheckReversal}),
    OfIntegers({"relabelling",
                "other numbers for the letters change nothing if the rows of "
                "the tables move with them",
                CheckRelabelling},
               /*also_windows=*/true),
    OfIntegers({"splitting",
                "sequences have the same sketches one by one and together",
                CheckSplitting}),
    OfIntegers({"skipping",
                "letters outside the alphabet might as well not be there",
                CheckSkipping}),
    {"normalization",
     "normalized sketches are the integers divided by binomial(n, t)",
     CheckNormalization},
    {"windows", "a window has the sketch that its letters have as a sequence",
     CheckWindows},
});

}  // namespace
}  // namespace concord::tensor_sketch
