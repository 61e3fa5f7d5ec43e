// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_EXAMPLES_ALL_PAIRS_WHITENING_H_
#define CONCORD_EXAMPLES_ALL_PAIRS_WHITENING_H_

#include <cstdint>
#include <vector>

namespace concord::all_pairs {

// Gives distances of sketches a scale.
//
// The numbers of a sketch have different spreads, and depend on each other:
// most of what differs between two sequences is how often each letter comes,
// and where. Measured plainly, sketches that agree in that alone are close.
// Whitened, all directions have the same spread, as in Mahalanobis' distance:
// two sketches that have nothing in common are at a squared distance of about
// twice the number of directions.
class Whitening {
 public:
  // By the spread of these sketches, rows of `dim` numbers.
  Whitening(const std::vector<double>& sketches, std::int64_t dim);

  // Directions in which sketches differ at all: at most `dim`.
  std::int64_t directions() const {
    return static_cast<std::int64_t>(pivots_.size());
  }
  // Of two sketches that have nothing in common.
  double UsualDistance2() const {
    return 2 * static_cast<double>(directions());
  }

  // Rows of `dim` numbers become rows of as many: zeros past the directions.
  void Apply(double* sketches, std::int64_t rows) const;

 private:
  std::int64_t dim_;
  std::vector<double> mean_;
  // Of the covariance, by Cholesky's method with pivots: column p belongs to
  // the number pivots_[p], and is lower_[p * dim], ...
  std::vector<std::int64_t> pivots_;
  std::vector<double> lower_;
};

}  // namespace concord::all_pairs

#endif  // CONCORD_EXAMPLES_ALL_PAIRS_WHITENING_H_
