// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The loops of recurrence.cc, compiled for each target of backends/tbb/simd.h.

namespace concord::tensor_sketch {
namespace CONCORD_SIMD {

// sum[l] += sign * from[l]; a source of later rolls is written twice.
template <int kSign, bool kTwice>
inline void AddRolled(const std::uint64_t* from, int dim, std::uint64_t* sum) {
  for (int l = 0; l < dim; ++l) {
    const std::uint64_t value = kSign > 0 ? sum[l] + from[l] : sum[l] - from[l];
    sum[l] = value;
    if (kTwice) sum[l + dim] = value;
  }
}

// `T` has room for t rows of 2 * dim integers: T[1], ..., T[t] of the
// reference, each twice. T[0] never changes, so its roll is a single one.
inline void SketchOne(absl::Span<const std::uint8_t> letters,
                      const std::int32_t* hashes, const std::int32_t* signs,
                      int alphabet_size, int t, int dim, std::uint64_t* T) {
  const auto row = [T, dim](int k) {
    return T + 2 * static_cast<std::int64_t>(dim) * (k - 1);
  };
  std::fill(row(1), row(t + 1), 0);
  for (const std::uint8_t c : letters) {
    if (c >= alphabet_size) continue;
    const std::int32_t* hash = hashes + c * t;
    const std::int32_t* sign = signs + c * t;
    for (int k = t - 1; k >= 1; --k) {
      const std::uint64_t* rolled = row(k) + dim - hash[k];
      std::uint64_t* sum = row(k + 1);
      if (k == t - 1) {
        sign[k] > 0 ? AddRolled<1, false>(rolled, dim, sum)
                    : AddRolled<-1, false>(rolled, dim, sum);
      } else {
        sign[k] > 0 ? AddRolled<1, true>(rolled, dim, sum)
                    : AddRolled<-1, true>(rolled, dim, sum);
      }
    }
    row(1)[hash[0]] += static_cast<std::uint64_t>(sign[0]);
    row(1)[dim + hash[0]] += static_cast<std::uint64_t>(sign[0]);
  }
}

// sum[l] = keep * sum[l] + enter * from[l]; likewise.
template <bool kTwice>
inline void MixRolled(const double* from, int dim, double keep, double enter,
                      double* sum) {
  for (int l = 0; l < dim; ++l) {
    const double value = keep * sum[l] + enter * from[l];
    sum[l] = value;
    if (kTwice) sum[l + dim] = value;
  }
}

// The same of normalized sketches. In the order of the reference: every
// operation is the same, and so is every bit.
inline void SketchOneNormalized(absl::Span<const std::uint8_t> letters,
                                const std::int32_t* hashes,
                                const std::int32_t* signs, int alphabet_size,
                                int t, int dim, double* T) {
  const auto row = [T, dim](int k) {
    return T + 2 * static_cast<std::int64_t>(dim) * (k - 1);
  };
  std::fill(row(1), row(t + 1), 0.0);
  double m = 0;
  for (const std::uint8_t c : letters) {
    if (c >= alphabet_size) continue;
    m += 1;
    const std::int32_t* hash = hashes + c * t;
    const std::int32_t* sign = signs + c * t;
    for (int k = t - 1; k >= 1; --k) {
      if (k >= m) continue;
      const double keep = (m - (k + 1)) / m;
      const double enter = sign[k] * (k + 1) / m;
      const double* rolled = row(k) + dim - hash[k];
      k == t - 1 ? MixRolled<false>(rolled, dim, keep, enter, row(k + 1))
                 : MixRolled<true>(rolled, dim, keep, enter, row(k + 1));
    }
    const double keep = (m - 1) / m;
    for (int l = 0; l < 2 * dim; ++l) row(1)[l] *= keep;
    row(1)[hash[0]] += sign[0] / m;
    row(1)[dim + hash[0]] += sign[0] / m;
  }
}

}  // namespace CONCORD_SIMD
}  // namespace concord::tensor_sketch
