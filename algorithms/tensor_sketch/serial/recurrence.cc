// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstdint>
#include <vector>

#include "concord/algorithms/tensor_sketch/tensor_sketch.h"
#include "concord/core/errors.h"
#include "concord/core/registry.h"

namespace concord::tensor_sketch {
namespace {

class TensorSketchSerial : public TensorSketch {
 public:
  absl::Status Compute(ConstArrayView letters, ConstArrayView offsets,
                       ConstArrayView hashes, ConstArrayView signs,
                       ArrayView out, const Options& options) override {
    RETURN_IF_ERROR(
        CheckSketchElements(letters, offsets, hashes, signs, out, options));

    const SketchRows rows(offsets.span<std::int64_t>(), options);
    for (std::int64_t row = 0; row < rows.size(); ++row) {
      const ConstArrayView part =
          letters.Slice(rows[row].begin, rows[row].size());
      const ArrayView sketch = out.Slice(row * options.dim, options.dim);
      if (options.normalized) {
        SketchNormalized(part, hashes.data<std::int32_t>(),
                         signs.data<std::int32_t>(), options,
                         sketch.data<double>());
      } else {
        SketchOne(part, hashes.data<std::int32_t>(), signs.data<std::int32_t>(),
                  options, sketch.data<std::int64_t>());
      }
    }
    return absl::OkStatus();
  }

 private:
  // Unsigned throughout, because signed overflow is undefined.
  static void SketchOne(ConstArrayView letters, const std::int32_t* hashes,
                        const std::int32_t* signs, const Options& options,
                        std::int64_t* out) {
    const int t = options.t;
    const int dim = options.dim;
    std::vector<std::vector<std::uint64_t>> T(
        t + 1, std::vector<std::uint64_t>(dim, 0));
    T[0][0] = 1;
    for (const std::uint8_t c : letters.span<std::uint8_t>()) {
      if (c >= options.alphabet_size) continue;
      for (int k = t - 1; k >= 0; --k) {
        const int h = hashes[c * t + k];
        const auto sign = static_cast<std::uint64_t>(signs[c * t + k]);
        for (int l = 0; l < dim; ++l) {
          T[k + 1][l] += sign * T[k][l >= h ? l - h : l - h + dim];
        }
      }
    }
    for (int l = 0; l < dim; ++l) out[l] = static_cast<std::int64_t>(T[t][l]);
  }

  static void SketchNormalized(ConstArrayView letters,
                               const std::int32_t* hashes,
                               const std::int32_t* signs,
                               const Options& options, double* out) {
    const int t = options.t;
    const int dim = options.dim;
    std::vector<std::vector<double>> T(t + 1, std::vector<double>(dim, 0));
    T[0][0] = 1;
    double m = 0;
    for (const std::uint8_t c : letters.span<std::uint8_t>()) {
      if (c >= options.alphabet_size) continue;
      m += 1;
      for (int k = t - 1; k >= 0; --k) {
        if (k >= m) continue;
        const int h = hashes[c * t + k];
        const double keep = (m - (k + 1)) / m;
        const double enter = signs[c * t + k] * (k + 1) / m;
        for (int l = 0; l < dim; ++l) {
          T[k + 1][l] =
              keep * T[k + 1][l] + enter * T[k][l >= h ? l - h : l - h + dim];
        }
      }
    }
    std::copy(T[t].begin(), T[t].end(), out);
  }
};

const bool kRegistered = Registry<TensorSketch>::Get().Add<TensorSketchSerial>(
    "serial", "recurrence", /*rank=*/10,
    "the published recurrence, letter by letter",
    Contract());

}  // namespace
}  // namespace concord::tensor_sketch
