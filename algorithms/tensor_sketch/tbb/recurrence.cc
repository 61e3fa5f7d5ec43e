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

#include "concord/backends/tbb/simd.h"
#include "concord/core/errors.h"
#include "concord/core/registry.h"

#define CONCORD_SIMD_FILE \
  "concord/algorithms/tensor_sketch/tbb/recurrence_kernel.h"
#include "concord/backends/tbb/simd_for_each.h"

namespace concord::tensor_sketch {
namespace {

// Additions that one thread makes in some 20 microseconds: less work than that
// is not worth waking others.
constexpr double kParallelAdditions = 1 << 17;

// Calls `sketch_one`, one of the two kernels, for every row.
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

class TensorSketchRecurrence : public OnTbb<TensorSketch> {
 public:
  absl::Status Compute(ConstArrayView letters, ConstArrayView offsets,
                       ConstArrayView hashes, ConstArrayView signs,
                       ArrayView out, const Options& options) override {
    RETURN_IF_ERROR(
        CheckSketchElements(letters, offsets, hashes, signs, out, options));
    SketchByRecurrence(backend(), letters.data<std::uint8_t>(),
                       SketchRows(offsets.span<std::int64_t>(), options),
                       hashes.data<std::int32_t>(), signs.data<std::int32_t>(),
                       options, out);
    return absl::OkStatus();
  }
};

const bool kRegistered =
    Registry<TensorSketch>::Get().Add<TensorSketchRecurrence>(
        "tbb", "recurrence", /*rank=*/1,
        "the recurrence in vectors, a sequence to a thread",
        Contract()
            .Notes("one sequence is never shared between threads; every window "
                   "is sketched anew"));

}  // namespace

void SketchByRecurrence(TbbBackend& backend, const std::uint8_t* letters,
                        const SketchRows& rows, const std::int32_t* hashes,
                        const std::int32_t* signs,
                        const TensorSketch::Options& options, ArrayView out) {
  if (options.normalized) {
    SketchRowsTo<double>(backend, letters, rows, hashes, signs, options,
                         CONCORD_SIMD_CHOOSE(SketchOneNormalized),
                         out.data<double>());
  } else {
    SketchRowsTo<std::uint64_t>(backend, letters, rows, hashes, signs, options,
                                CONCORD_SIMD_CHOOSE(SketchOne),
                                out.data<std::int64_t>());
  }
}

}  // namespace concord::tensor_sketch
