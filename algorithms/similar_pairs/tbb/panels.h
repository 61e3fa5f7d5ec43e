// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// A copy of all sketches that tells in single precision which pairs cannot be
// similar.
//
// Each sketch becomes a point x of float32: a number is its difference to the
// middle of its column, scaled by a power of two that all share and rounded.
// With r the distance from x to where it would be unrounded, and sqrt(L) the
// limit, scaled as well, two sketches that are similar have
//
//   |x - y| <= sqrt(L) + r(x) + r(y)
//
// by the triangle inequality. LimitOf has the square of the right side, and
// what the sum of the squares on the left may be rounded up in addition.
// Whoever is above it is not similar; everyone else has to be computed.

#ifndef CONCORD_ALGORITHMS_SIMILAR_PAIRS_TBB_PANELS_H_
#define CONCORD_ALGORITHMS_SIMILAR_PAIRS_TBB_PANELS_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "concord/backends/tbb/tbb_backend.h"
#include "concord/core/array.h"
#include "concord/core/errors.h"

namespace concord::similar_pairs {

// Rows of a panel, whose first numbers stand together, then their second ones
// and so on.
constexpr int kPanel = 16;

template <typename T>
class Panels {
 public:
  // The sketches stay where they are.
  Panels(const T* rows, std::int64_t sketches, std::int64_t dim)
      : rows_(rows), sketches_(sketches), dim_(dim) {}

  absl::Status Fill(TbbBackend& backend) {
    const std::int64_t panels = size();
    ASSIGN_OR_RETURN(points_, backend.Allocate(ElementType::kFloat32,
                                               panels * dim_ * kPanel));
    ASSIGN_OR_RETURN(errors_, backend.Allocate(ElementType::kFloat64, panels));
    FindMiddle();
    // A first look at all for the scale.
    std::vector<double> widths(static_cast<std::size_t>(panels));
    backend.ForEachRange(panels, kPanelsTogether,
                         [&](std::int64_t first, std::int64_t last) {
                           for (std::int64_t p = first; p < last; ++p) {
                             widths[p] = WidthOf(p);
                           }
                         });
    ChooseScale(widths);
    backend.ForEachRange(panels, kPanelsTogether,
                         [&](std::int64_t first, std::int64_t last) {
                           for (std::int64_t p = first; p < last; ++p) {
                             FillPanel(p);
                           }
                         });
    return absl::OkStatus();
  }

  std::int64_t size() const { return (sketches_ + kPanel - 1) / kPanel; }

  const float* operator[](std::int64_t panel) const {
    return points_.template data<float>() + panel * dim_ * kPanel;
  }

  // For rows of two panels, as above. `root` is RootOf the limit.
  float LimitOf(std::int64_t a, std::int64_t b, double root) const {
    const double* const errors = errors_.template data<double>();
    const double sum = root + errors[a] + errors[b];
    const auto n = static_cast<double>(dim_);
    const double limit = sum * sum * (1 + (n + 4) * 0x1p-23) + n * 0x1p-140;
    if (!(limit < std::numeric_limits<float>::max())) {
      return std::numeric_limits<float>::infinity();
    }
    return std::nextafter(static_cast<float>(limit),
                          std::numeric_limits<float>::infinity());
  }

  // Of the limit and all that sums of float64 may be rounded down, scaled.
  double RootOf(double limit) const {
    const auto n = static_cast<double>(dim_);
    return std::sqrt(limit + limit * n * 0x1p-50 + n * 0x1p-1070) *
           (1 + 0x1p-50) * scale_ * 0.5;
  }

 private:
  static constexpr std::int64_t kPanelsTogether = 64;
  // The middle is that of so many rows.
  static constexpr std::int64_t kSample = 512;
  // The largest number of the usual panel is scaled to 2^20, and none is above
  // 2^45: sums of squares are far from the largest of float32, whatever a few
  // sketches may have. What is cut off brings points closer together, never
  // apart.
  static constexpr int kUsual = 20;
  static constexpr double kLargest = 0x1p45;
  // Scales by which nothing overflows.
  static constexpr int kMostScale = 960;
  // Where rows are that are similar to none, or not there at all.
  static constexpr float kFarAway = 0x1p60f;

  // The medians of a sample, which a few huge sketches do not move.
  void FindMiddle() {
    std::vector<std::int64_t> sample;
    const std::int64_t step = std::max<std::int64_t>(sketches_ / kSample, 1);
    for (std::int64_t i = 0; i < sketches_; i += step) {
      if (IsFinite(i)) sample.push_back(i);
    }
    middle_.assign(static_cast<std::size_t>(dim_), T{});
    if (sample.empty()) return;
    std::vector<T> column(sample.size());
    for (std::int64_t k = 0; k < dim_; ++k) {
      std::transform(sample.begin(), sample.end(), column.begin(),
                     [&](std::int64_t i) { return rows_[i * dim_ + k]; });
      const auto middle = column.begin() + column.size() / 2;
      std::nth_element(column.begin(), middle, column.end());
      middle_[k] = *middle;
    }
  }

  bool IsFinite(std::int64_t row) const {
    if constexpr (std::is_integral_v<T>) {
      return true;
    } else {
      const T* const numbers = rows_ + row * dim_;
      return std::all_of(numbers, numbers + dim_,
                         [](T number) { return std::isfinite(number); });
    }
  }

  // Half the difference to the middle, rounded once or, if it is of 64 bits,
  // twice.
  double HalfOf(T number, std::int64_t k) const {
    if constexpr (std::is_integral_v<T>) {
      std::int64_t difference;
      if (!__builtin_sub_overflow(static_cast<std::int64_t>(number),
                                  static_cast<std::int64_t>(middle_[k]),
                                  &difference)) {
        return static_cast<double>(difference) * 0.5;
      }
      return static_cast<double>((static_cast<__int128>(number) - middle_[k])) *
             0.5;
    } else {
      return static_cast<double>(number) * 0.5 -
             static_cast<double>(middle_[k]) * 0.5;
    }
  }

  double WidthOf(std::int64_t panel) const {
    double width = 0;
    ForRows(panel, [&](std::int64_t, const T* numbers) {
      for (std::int64_t k = 0; k < dim_; ++k) {
        const double half = std::abs(HalfOf(numbers[k], k));
        if (half > width && std::isfinite(half)) width = half;
      }
    });
    return width;
  }

  void ChooseScale(std::vector<double>& widths) {
    const auto usual = widths.begin() + widths.size() / 2;
    std::nth_element(widths.begin(), usual, widths.end());
    // Where most are equal, by the others.
    const double width =
        *usual > 0 ? *usual : *std::max_element(usual, widths.end());
    int exponent = 0;
    if (width > 0) std::frexp(width, &exponent);
    scale_ = std::ldexp(1.0, std::min(kUsual - exponent, kMostScale));
  }

  // Calls f(place in the panel, its numbers) for the rows that there are.
  template <typename F>
  void ForRows(std::int64_t panel, const F& f) const {
    const std::int64_t first = panel * kPanel;
    const std::int64_t last = std::min(first + kPanel, sketches_);
    for (std::int64_t i = first; i < last; ++i) {
      f(i - first, rows_ + i * dim_);
    }
  }

  void FillPanel(std::int64_t panel) {
    float* const to = points_.template data<float>() + panel * dim_ * kPanel;
    std::fill_n(to, dim_ * kPanel, 0.0f);
    std::fill_n(to, kPanel, kFarAway);
    double largest = 0;
    ForRows(panel, [&](std::int64_t place, const T* numbers) {
      if (!IsFinite(panel * kPanel + place)) return;
      double squares = 0;
      for (std::int64_t k = 0; k < dim_; ++k) {
        const auto x = static_cast<float>(
            std::clamp(HalfOf(numbers[k], k) * scale_, -kLargest, kLargest));
        to[k * kPanel + place] = x;
        squares += static_cast<double>(x) * x;
      }
      largest = std::max(largest, squares);
    });
    // Each number may be off by 2^-23 of its size, or by the least of float32.
    const auto n = static_cast<double>(dim_);
    errors_.template data<double>()[panel] =
        std::sqrt(largest) * 0x1p-23 + std::sqrt(n) * 0x1p-100;
  }

  const T* const rows_;
  const std::int64_t sketches_;
  const std::int64_t dim_;
  std::vector<T> middle_;
  double scale_ = 1;
  Array points_;
  Array errors_;
};

}  // namespace concord::similar_pairs

#endif  // CONCORD_ALGORITHMS_SIMILAR_PAIRS_TBB_PANELS_H_
