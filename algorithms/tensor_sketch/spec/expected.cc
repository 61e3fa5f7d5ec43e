// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/algorithms/tensor_sketch/spec/expected.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <future>
#include <thread>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "concord/algorithms/tensor_sketch/spec/cases.h"

namespace concord::tensor_sketch {
namespace {

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

}  // namespace

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

}  // namespace concord::tensor_sketch
