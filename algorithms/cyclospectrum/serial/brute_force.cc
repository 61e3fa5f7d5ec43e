// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The brute force of "Non-linear Thinking with CUDA" (2016): the masses of each
// piece are added up anew, which takes about n^3 / 2 additions.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "concord/algorithms/cyclospectrum/cyclospectrum.h"
#include "concord/algorithms/cyclospectrum/serial/reference.h"
#include "concord/core/registry.h"

namespace concord::cyclospectrum {
namespace {

// Some seconds.
constexpr std::int64_t kMostMasses = 2000;

template <typename T>
std::vector<T> Spectrum(absl::Span<const T> masses) {
  const std::size_t n = masses.size();
  std::vector<T> pieces = {0};
  T total = 0;
  for (const T mass : masses) total += mass;
  pieces.push_back(total);
  for (std::size_t length = 1; length < n; ++length) {
    for (std::size_t first = 0; first < n; ++first) {
      T piece = 0;
      for (std::size_t i = first; i < first + length; ++i) {
        piece += masses[i >= n ? i - n : i];
      }
      pieces.push_back(piece);
    }
  }
  std::sort(pieces.begin(), pieces.end());
  return pieces;
}

class CyclospectrumBruteForce : public Cyclospectrum {
 public:
  absl::Status Compute(ConstArrayView masses, ArrayView out, ArrayView counts,
                       ArrayView distinct, const Options& options) override {
    return RunCyclospectrumSerially(masses, out, counts, distinct, options,
                                    [](auto span) { return Spectrum(span); });
  }
};

const bool kRegistered =
    Registry<Cyclospectrum>::Get().Add<CyclospectrumBruteForce>(
        "serial", "brute_force", /*rank=*/1,
        "every piece added up anew; std::sort", Contract().AtMost(kMostMasses));

}  // namespace
}  // namespace concord::cyclospectrum
