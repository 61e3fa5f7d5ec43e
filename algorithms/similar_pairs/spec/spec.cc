// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/core/spec.h"

#include <cmath>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "concord/algorithms/similar_pairs/similar_pairs.h"
#include "concord/algorithms/similar_pairs/spec/cases.h"
#include "concord/core/errors.h"

namespace concord::similar_pairs {
namespace {

std::int64_t PairsOf(std::int64_t rows) { return rows * (rows - 1) / 2; }

// The most rows that have so many pairs.
std::int64_t RowsWithPairs(std::int64_t pairs) {
  if (pairs <= 0) return 0;
  auto rows =
      static_cast<std::int64_t>(std::sqrt(2 * static_cast<double>(pairs)) + 1);
  while (PairsOf(rows) > pairs) --rows;
  while (PairsOf(rows + 1) <= pairs) ++rows;
  return rows;
}

// An exact sum of squares: its bits from 2^128 on, and those below.
class WideSum {
 public:
  void AddSquareOf(unsigned __int128 difference) {
    const unsigned __int128 before = low_;
    low_ += difference * difference;
    if (low_ < before) ++high_;
  }
  std::optional<double> Within(double limit) const {
    // A limit has no bits from 2^128 on, and none behind the point that count.
    if (high_ > 0 || low_ > static_cast<unsigned __int128>(limit)) return {};
    return static_cast<double>(low_);
  }

 private:
  std::uint64_t high_ = 0;
  unsigned __int128 low_ = 0;
};

// The squared distance of two rows, if it is at most the limit.
template <typename T>
std::optional<double> DistanceWithin(double limit, const T* a, const T* b,
                                     std::int64_t dim) {
  if constexpr (std::is_integral_v<T>) {
    WideSum sum;
    for (std::int64_t k = 0; k < dim; ++k) {
      const __int128 difference = static_cast<__int128>(a[k]) - b[k];
      sum.AddSquareOf(static_cast<unsigned __int128>(
          difference < 0 ? -difference : difference));
    }
    return sum.Within(limit);
  } else {
    // Bits are defined by the order of a plain loop.
    double sum = 0;
    for (std::int64_t k = 0; k < dim; ++k) {
      const double difference =
          static_cast<double>(a[k]) - static_cast<double>(b[k]);
      sum += difference * difference;
    }
    return sum <= limit ? std::optional(sum) : std::nullopt;
  }
}

class SimilarPairsSpec : public SpecOf<SimilarPairs> {
 public:
  std::int64_t largest_size() const override { return std::int64_t{1} << 20; }

  std::vector<std::string> Distributions(ElementType type) const override {
    return SketchDistributions(type);
  }

  // Limits that half of a family keep, that duplicates keep, and that nearly
  // all keep.
  std::vector<OptionMap> OptionCombinations(ElementType type) const override {
    const char* const half_of_96 = IsFloat(type) ? "64" : "128";
    const char* const half_of_5 = IsFloat(type) ? "3.3" : "6";
    std::vector<OptionMap> combinations;
    for (const auto& [dim, limit] : {std::pair("96", half_of_96),
                                     {"5", half_of_5},
                                     {"17", "0"},
                                     {"1", "4"},
                                     {"200", "1e20"},
                                     {"3", "1e38"}}) {
      for (const char* distances : {"yes", "no"}) {
        combinations.push_back({{"dim", dim},
                                {"distance2", limit},
                                {"most", kNoLimit},
                                {"output-distances", distances}});
      }
    }
    VaryTuning(algorithm(), combinations);
    return combinations;
  }

  // The size is that of the pairs.
  absl::StatusOr<HostArray> DrawInput(
      const CaseRequest& request) const override {
    return DrawSketches(request.distribution, request.type,
                        RowsWithPairs(request.size),
                        NumberOption(request.options, "dim"), request.seed);
  }

  std::vector<Case> SpecialCases() const override { return SpecialSketches(); }

  std::vector<Axis> Axes(const Case& test_case) const override {
    const std::int64_t rows = RowsOf(test_case);
    return {{"sketches", rows,
             [test_case, rows](std::int64_t first, std::int64_t last) {
               std::vector<std::int64_t> left(
                   static_cast<std::size_t>(rows - (last - first)));
               std::iota(left.begin(), left.begin() + first, 0);
               std::iota(left.begin() + first, left.end(), last);
               return WithRows(test_case, left);
             }}};
  }

  absl::StatusOr<Expectations> Expected(const Case& test_case) const override {
    ASSIGN_OR_RETURN(const Options options, Parse(test_case.options));
    const HostArray& in = test_case.inputs.at("in");
    std::vector<std::int64_t> pairs;
    std::vector<double> distances;
    Dispatch(in.type(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      const std::int64_t rows = RowsOf(test_case);
      const T* const sketches = in.data<T>();
      for (std::int64_t i = 0; i < rows; ++i) {
        for (std::int64_t j = i + 1; j < rows; ++j) {
          const std::optional<double> distance =
              DistanceWithin(options.distance2, sketches + i * options.dim,
                             sketches + j * options.dim, options.dim);
          if (!distance.has_value()) continue;
          pairs.insert(pairs.end(), {i, j});
          distances.push_back(*distance);
        }
      }
    });
    const auto count = static_cast<std::int64_t>(distances.size());
    HostArray of_pairs(ElementType::kInt64, {count, 2});
    std::copy(pairs.begin(), pairs.end(), of_pairs.data<std::int64_t>());
    Expectations expected;
    expected["pairs"].value = std::move(of_pairs);
    expected["count"].value = HostArray::Of<std::int64_t>({count});
    if (options.distances) {
      expected["distances"].value =
          HostArray::Of(absl::Span<const double>(distances));
    }
    return expected;
  }

  std::vector<PresetRows> preset_rows() const override {
    // Sketches as tensor_sketch has them by default: 2^24 pairs and, where that
    // takes a GPU no time, 2^26.
    PresetRows processors = {
        "processors", 5, {"int64", "float64"}, {"distance2:64"}};
    processors.sizes = {std::int64_t{1} << 24};
    PresetRows gpu = processors;
    gpu.group = "applications";
    gpu.sizes.push_back(std::int64_t{1} << 26);
    return {gpu, processors};
  }

  // Nothing says how many are similar but a look at them: of what is written,
  // the count alone is certain.
  Floor FloorOf(const Case& test_case) const override {
    return {test_case.inputs.at("in").view().bytes(), sizeof(std::int64_t)};
  }
  std::string size_unit() const override { return "pairs"; }
  std::int64_t SizeOfCase(const Case& test_case) const override {
    const auto in = test_case.inputs.find("in");
    return in == test_case.inputs.end() ? 0 : PairsOf(RowsOf(test_case));
  }

 private:
  static constexpr char kNoLimit[] = "1000000000";
};

const bool kRegistered = RegisterSpec(new SimilarPairsSpec);

}  // namespace
}  // namespace concord::similar_pairs
