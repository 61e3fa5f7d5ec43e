// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// A copy of sketches as points of single precision (points.h), a panel of 16
// rows after the other.

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
#include "concord/algorithms/similar_pairs/blocks.h"
#include "concord/algorithms/similar_pairs/points.h"
#include "concord/algorithms/similar_pairs/tbb/tiled_pairs.h"
#include "concord/backends/tbb/tbb_backend.h"
#include "concord/core/array.h"
#include "concord/core/errors.h"

namespace concord::similar_pairs {

template <typename T>
class Panels {
 public:
  // The sketches stay where they are.
  Panels(const Block& block, std::int64_t dim)
      : rows_(block.sketches.data<T>()),
        first_(block.first),
        sketches_(block.sketches.size() / dim),
        dim_(dim) {}

  absl::Status Fill(TbbBackend& backend) {
    RETURN_IF_ERROR(TakeRoom(backend));
    if (sketches_ == 0) return absl::OkStatus();
    const std::int64_t panels = size();
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
    FillAll(backend);
    return absl::OkStatus();
  }

  // With the middle and the scale of others, to be compared with them.
  absl::Status FillLike(TbbBackend& backend, const Panels& others) {
    RETURN_IF_ERROR(TakeRoom(backend));
    middle_ = others.middle_;
    scale_ = others.scale_;
    FillAll(backend);
    return absl::OkStatus();
  }

  // Rows from the first one on, which has a number among all sketches.
  const T* rows() const { return rows_; }
  std::int64_t first() const { return first_; }
  std::int64_t sketches() const { return sketches_; }

  std::int64_t size() const { return (sketches_ + kPanel - 1) / kPanel; }

  const float* operator[](std::int64_t panel) const {
    return points_.template data<float>() + panel * dim_ * kPanel;
  }

  // How far its points are from where they would be unrounded.
  double ErrorOf(std::int64_t panel) const {
    return errors_.template data<double>()[panel];
  }

  double RootOf(double limit) const {
    return similar_pairs::RootOf(limit, dim_, scale_);
  }

 private:
  static constexpr std::int64_t kPanelsTogether = 64;
  // The middle is that of so many rows.
  static constexpr std::int64_t kSample = 512;

  absl::Status TakeRoom(TbbBackend& backend) {
    ASSIGN_OR_RETURN(points_, backend.Allocate(ElementType::kFloat32,
                                               size() * dim_ * kPanel));
    ASSIGN_OR_RETURN(errors_, backend.Allocate(ElementType::kFloat64, size()));
    return absl::OkStatus();
  }

  void FillAll(TbbBackend& backend) {
    backend.ForEachRange(size(), kPanelsTogether,
                         [&](std::int64_t first, std::int64_t last) {
                           for (std::int64_t p = first; p < last; ++p) {
                             FillPanel(p);
                           }
                         });
  }

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

  double WidthOf(std::int64_t panel) const {
    double width = 0;
    ForRows(panel, [&](std::int64_t, const T* numbers) {
      for (std::int64_t k = 0; k < dim_; ++k) {
        const double half = std::abs(HalfOf(numbers[k], middle_[k]));
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
    scale_ = ScaleOf(width);
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

  // Of a row that is similar to none, or not there: far from the others, too,
  // so that no look at two of them takes it for a pair.
  static float FarAway(std::int64_t row) {
    constexpr std::int64_t kDifferent = std::int64_t{1} << 24;
    return kFarAway * static_cast<float>(1 + row % kDifferent);
  }

  void FillPanel(std::int64_t panel) {
    float* const to = points_.template data<float>() + panel * dim_ * kPanel;
    std::fill_n(to, dim_ * kPanel, 0.0f);
    for (int place = 0; place < kPanel; ++place) {
      to[place] = FarAway(first_ + panel * kPanel + place);
    }
    double largest = 0;
    ForRows(panel, [&](std::int64_t place, const T* numbers) {
      if (!IsFinite(panel * kPanel + place)) return;
      double squares = 0;
      for (std::int64_t k = 0; k < dim_; ++k) {
        const float x = PointOf(HalfOf(numbers[k], middle_[k]), scale_);
        to[k * kPanel + place] = x;
        squares += static_cast<double>(x) * x;
      }
      largest = std::max(largest, squares);
    });
    errors_.template data<double>()[panel] =
        similar_pairs::ErrorOf(largest, dim_);
  }

  const T* const rows_;
  const std::int64_t first_;
  const std::int64_t sketches_;
  const std::int64_t dim_;
  std::vector<T> middle_;
  double scale_ = 1;
  Array points_;
  Array errors_;
};

}  // namespace concord::similar_pairs

#endif  // CONCORD_ALGORITHMS_SIMILAR_PAIRS_TBB_PANELS_H_
