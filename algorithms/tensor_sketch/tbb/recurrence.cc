// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/algorithms/tensor_sketch/tbb/recurrence.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "concord/algorithms/tensor_sketch/widest_vectors.h"
#include "concord/core/registry.h"

namespace concord::tensor_sketch {
namespace {

// Additions that one thread makes in some 20 microseconds: less work than that
// is not worth waking others.
constexpr double kParallelAdditions = 1 << 17;

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
CONCORD_WIDEST_VECTORS
void SketchOne(absl::Span<const std::uint8_t> letters,
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
CONCORD_WIDEST_VECTORS
void SketchOneNormalized(absl::Span<const std::uint8_t> letters,
                         const std::int32_t* hashes, const std::int32_t* signs,
                         int alphabet_size, int t, int dim, double* T) {
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

// Calls `sketch_one`, one of the two above, for every row.
template <typename Cell, typename SketchFunction, typename Value>
void SketchRowsTo(TbbBackend& backend, const std::uint8_t* letters,
                  const SketchRows& rows, const std::int32_t* hashes,
                  const std::int32_t* signs,
                  const TensorSketch::Options& options,
                  SketchFunction sketch_one, Value* out) {
  const std::int64_t dim = options.dim;
  const auto sketch = [&](std::int64_t row, std::vector<Cell>& T) {
    const LetterRange range = rows[row];
    if (range.size() < options.t) {
      std::fill_n(out + row * dim, dim, Value{0});
      return;
    }
    T.resize(2 * dim * options.t);
    sketch_one({letters + range.begin, static_cast<std::size_t>(range.size())},
               hashes, signs, options.alphabet_size, options.t, options.dim,
               T.data());
    std::copy_n(T.data() + 2 * dim * (options.t - 1), dim, out + row * dim);
  };

  double all_letters = 0;
  for (std::int64_t row = 0; row < rows.size(); ++row) {
    all_letters += static_cast<double>(rows[row].size());
  }
  if (backend.threads() == 1 ||
      RecurrenceAdditions(options) * all_letters < kParallelAdditions) {
    std::vector<Cell> T;
    for (std::int64_t row = 0; row < rows.size(); ++row) sketch(row, T);
    return;
  }
  std::vector<std::int64_t> order(rows.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::int64_t a, std::int64_t b) {
                     return rows[a].size() > rows[b].size();
                   });
  std::atomic<std::int64_t> next{0};
  backend.ForEach(backend.threads(), [&](std::int64_t) {
    std::vector<Cell> T;
    for (std::int64_t i; (i = next.fetch_add(1)) < rows.size();) {
      sketch(order[i], T);
    }
  });
}

class TensorSketchRecurrence : public TensorSketch {
 public:
  explicit TensorSketchRecurrence(std::shared_ptr<Backend> backend)
      : backend_(AsTbb(std::move(backend))) {}

  absl::Status Compute(ConstArrayView letters, ConstArrayView offsets,
                       ConstArrayView hashes, ConstArrayView signs,
                       ArrayView out, const Options& options) override {
    const absl::Status status =
        CheckSketchElements(letters, offsets, hashes, signs, out, options);
    if (!status.ok()) return status;
    SketchByRecurrence(*backend_, letters.data<std::uint8_t>(),
                       SketchRows(offsets.span<std::int64_t>(), options),
                       hashes.data<std::int32_t>(), signs.data<std::int32_t>(),
                       options, out);
    return absl::OkStatus();
  }

 private:
  std::shared_ptr<TbbBackend> backend_;
};

Contract MakeContract() {
  Contract contract;
  contract.element_types = {ElementType::kUInt8, ElementType::kFloat64};
  contract.determinism = Determinism::kBitwiseAcrossBackends;
  contract.notes =
      "one sequence is never shared between threads; every window is sketched "
      "anew";
  return contract;
}

const bool kRegistered = Registry<TensorSketch>::Get().Add(
    "tbb", "recurrence", /*rank=*/1,
    "the recurrence in vectors, a sequence to a thread", MakeContract(),
    [](std::shared_ptr<Backend> backend) {
      return std::make_unique<TensorSketchRecurrence>(std::move(backend));
    });

}  // namespace

void SketchByRecurrence(TbbBackend& backend, const std::uint8_t* letters,
                        const SketchRows& rows, const std::int32_t* hashes,
                        const std::int32_t* signs,
                        const TensorSketch::Options& options, ArrayView out) {
  if (options.normalized) {
    SketchRowsTo<double>(backend, letters, rows, hashes, signs, options,
                         SketchOneNormalized, out.data<double>());
  } else {
    SketchRowsTo<std::uint64_t>(backend, letters, rows, hashes, signs, options,
                                SketchOne, out.data<std::int64_t>());
  }
}

}  // namespace concord::tensor_sketch
