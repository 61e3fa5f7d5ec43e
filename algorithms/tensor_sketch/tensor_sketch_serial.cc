// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include <cstdint>
#include <memory>
#include <vector>

#include "algorithms/tensor_sketch/tensor_sketch.h"
#include "core/registry.h"

namespace concord {
namespace {

class TensorSketchSerial : public TensorSketch {
 public:
  absl::Status Run(ConstArrayView letters, ConstArrayView offsets,
                   ConstArrayView hashes, ConstArrayView signs, ArrayView out,
                   const Options& options) override {
    const absl::Status status =
        CheckTensorSketchOnHost(letters, offsets, hashes, signs, out, options,
                                "tensor_sketch/serial/recurrence");
    if (!status.ok()) return status;

    const auto* bounds = offsets.data<std::int64_t>();
    for (std::int64_t i = 0; i + 1 < offsets.size(); ++i) {
      SketchOne(letters.Slice(bounds[i], bounds[i + 1] - bounds[i]),
                hashes.data<std::int32_t>(), signs.data<std::int32_t>(),
                out.data<std::int64_t>() + i * options.dim, options);
    }
    return absl::OkStatus();
  }

 private:
  // Unsigned throughout, because signed overflow is undefined.
  static void SketchOne(ConstArrayView letters, const std::int32_t* hashes,
                        const std::int32_t* signs, std::int64_t* out,
                        const Options& options) {
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
};

Contract MakeContract() {
  Contract contract;
  contract.element_types = {ElementType::kUInt8};
  contract.determinism = Determinism::kBitwiseAcrossBackends;
  return contract;
}

const bool kRegistered = Registry<TensorSketch>::Get().Add(
    "serial", "recurrence", /*rank=*/10,
    "the published recurrence, letter by letter", MakeContract(),
    [](const std::shared_ptr<Backend>&) {
      return std::make_unique<TensorSketchSerial>();
    });

}  // namespace
}  // namespace concord
