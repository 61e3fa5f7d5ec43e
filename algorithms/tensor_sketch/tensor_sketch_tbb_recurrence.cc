// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "algorithms/tensor_sketch/tensor_sketch_tbb_recurrence.h"

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/partitioner.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "core/registry.h"

#if defined(__x86_64__)
#define CONCORD_WIDEST_VECTORS \
  __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define CONCORD_WIDEST_VECTORS
#endif

namespace concord {
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

class TensorSketchRecurrence : public TensorSketch {
 public:
  explicit TensorSketchRecurrence(std::shared_ptr<Backend> backend)
      : backend_(AsTbb(std::move(backend))) {}

  absl::Status Run(ConstArrayView letters, ConstArrayView offsets,
                   ConstArrayView hashes, ConstArrayView signs, ArrayView out,
                   const Options& options) override {
    const absl::Status status =
        CheckTensorSketchOnHost(letters, offsets, hashes, signs, out, options,
                                "tensor_sketch/tbb/recurrence");
    if (!status.ok()) return status;
    SketchByRecurrence(*backend_, letters.data<std::uint8_t>(),
                       offsets.span<std::int64_t>(),
                       hashes.data<std::int32_t>(), signs.data<std::int32_t>(),
                       options, out.data<std::int64_t>());
    return absl::OkStatus();
  }

 private:
  std::shared_ptr<TbbBackend> backend_;
};

Contract MakeContract() {
  Contract contract;
  contract.element_types = {ElementType::kUInt8};
  contract.determinism = Determinism::kBitwiseAcrossBackends;
  contract.notes = "one sequence is never shared between threads";
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
                        absl::Span<const std::int64_t> offsets,
                        const std::int32_t* hashes, const std::int32_t* signs,
                        const TensorSketch::Options& options,
                        std::int64_t* out) {
  const auto sequences = static_cast<std::int64_t>(offsets.size()) - 1;
  const std::int64_t dim = options.dim;
  const auto length = [offsets](std::int64_t s) {
    return offsets[s + 1] - offsets[s];
  };
  const auto sketch = [&](std::int64_t s, std::vector<std::uint64_t>& T) {
    std::int64_t* sketch_of_s = out + s * dim;
    if (length(s) < options.t) {
      std::fill_n(sketch_of_s, dim, 0);
      return;
    }
    T.resize(2 * dim * options.t);
    SketchOne({letters + offsets[s], static_cast<std::size_t>(length(s))},
              hashes, signs, options.alphabet_size, options.t, options.dim,
              T.data());
    std::copy_n(T.data() + 2 * dim * (options.t - 1), dim, sketch_of_s);
  };

  const double additions =
      RecurrenceAdditions(options) * static_cast<double>(offsets.back());
  if (backend.threads() == 1 || additions < kParallelAdditions) {
    std::vector<std::uint64_t> T;
    for (std::int64_t s = 0; s < sequences; ++s) sketch(s, T);
    return;
  }
  std::vector<std::int64_t> order(sequences);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(
      order.begin(), order.end(),
      [&](std::int64_t a, std::int64_t b) { return length(a) > length(b); });
  backend.Execute([&] {
    oneapi::tbb::parallel_for(
        oneapi::tbb::blocked_range<std::int64_t>(0, sequences),
        [&](const oneapi::tbb::blocked_range<std::int64_t>& range) {
          std::vector<std::uint64_t> T;
          for (std::int64_t i = range.begin(); i < range.end(); ++i) {
            sketch(order[i], T);
          }
        },
        oneapi::tbb::simple_partitioner());
  });
}

}  // namespace concord
