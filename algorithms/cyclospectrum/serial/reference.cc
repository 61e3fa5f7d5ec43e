// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The optimised sequential solution of "Non-linear Thinking with CUDA" (2016):
// each piece is the one that is a mass shorter, and that mass.

#include "concord/algorithms/cyclospectrum/serial/reference.h"

#include <algorithm>
#include <vector>

#include "concord/algorithms/cyclospectrum/cyclospectrum.h"
#include "concord/core/registry.h"

namespace concord::cyclospectrum {
namespace {

template <typename T>
std::vector<T> Spectrum(absl::Span<const T> masses) {
  const std::size_t n = masses.size();
  std::vector<T> pieces;
  T total = 0;
  for (const T mass : masses) total += mass;
  for (std::size_t length = 1; length < n; ++length) {
    for (std::size_t first = 0; first < n; ++first) {
      const T last = masses[(first + length - 1) % n];
      pieces.push_back(length == 1 ? last : pieces[pieces.size() - n] + last);
    }
  }
  pieces.push_back(0);
  pieces.push_back(total);
  std::sort(pieces.begin(), pieces.end());
  return pieces;
}

class CyclospectrumSerial : public Cyclospectrum {
 public:
  absl::Status Compute(ConstArrayView masses, ArrayView out, ArrayView counts,
                       ArrayView distinct, const Options& options) override {
    return RunCyclospectrumSerially(masses, out, counts, distinct, options,
                                    [](auto span) { return Spectrum(span); });
  }
};

const bool kRegistered =
    Registry<Cyclospectrum>::Get().Add<CyclospectrumSerial>(
        "serial", "reference", /*rank=*/10,
        "each piece from the one before it; std::sort",
        Contract());

}  // namespace
}  // namespace concord::cyclospectrum
