// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/examples/all_pairs/whitening.h"

#include <algorithm>
#include <cmath>

namespace concord::all_pairs {
namespace {

// What is left of a direction when those before it are taken out, as a share of
// the largest: less is the noise of float64, or of too few sketches.
constexpr double kLeast = 1e-10;

}  // namespace

Whitening::Whitening(const std::vector<double>& sketches, std::int64_t dim)
    : dim_(dim), mean_(static_cast<std::size_t>(dim)) {
  const auto rows = static_cast<std::int64_t>(sketches.size()) / dim;
  if (rows < 2) return;
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t k = 0; k < dim; ++k) {
      mean_[k] += sketches[i * dim + k] / static_cast<double>(rows);
    }
  }
  std::vector<double> left(static_cast<std::size_t>(dim * dim));
  for (std::int64_t i = 0; i < rows; ++i) {
    const double* const row = sketches.data() + i * dim;
    for (std::int64_t k = 0; k < dim; ++k) {
      const double share = (row[k] - mean_[k]) / static_cast<double>(rows - 1);
      for (std::int64_t l = 0; l < dim; ++l) {
        left[k * dim + l] += share * (row[l] - mean_[l]);
      }
    }
  }
  // The largest direction that is left, again and again.
  double largest = 0;
  for (std::int64_t step = 0; step < dim; ++step) {
    std::int64_t pivot = 0;
    for (std::int64_t k = 1; k < dim; ++k) {
      if (left[k * dim + k] > left[pivot * dim + pivot]) pivot = k;
    }
    const double square = left[pivot * dim + pivot];
    largest = std::max(largest, square);
    if (!(square > kLeast * largest)) return;
    pivots_.push_back(pivot);
    const double root = std::sqrt(square);
    for (std::int64_t k = 0; k < dim; ++k) {
      lower_.push_back(left[pivot * dim + k] / root);
    }
    const double* const column = lower_.data() + step * dim;
    for (std::int64_t k = 0; k < dim; ++k) {
      for (std::int64_t l = 0; l < dim; ++l) {
        left[k * dim + l] -= column[k] * column[l];
      }
    }
    // Exactly, or it would come again.
    left[pivot * dim + pivot] = 0;
  }
}

void Whitening::Apply(double* sketches, std::int64_t rows) const {
  std::vector<double> left(static_cast<std::size_t>(dim_));
  for (std::int64_t i = 0; i < rows; ++i) {
    double* const row = sketches + i * dim_;
    for (std::int64_t k = 0; k < dim_; ++k) left[k] = row[k] - mean_[k];
    std::fill_n(row, dim_, 0.0);
    for (std::int64_t p = 0; p < directions(); ++p) {
      const double* const column = lower_.data() + p * dim_;
      const double part = left[pivots_[p]] / column[pivots_[p]];
      row[p] = part;
      for (std::int64_t k = 0; k < dim_; ++k) left[k] -= part * column[k];
    }
  }
}

}  // namespace concord::all_pairs
