// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_CYCLOSPECTRUM_SERIAL_REFERENCE_H_
#define CONCORD_ALGORITHMS_CYCLOSPECTRUM_SERIAL_REFERENCE_H_

#include "concord/algorithms/cyclospectrum/cyclospectrum.h"

namespace concord::cyclospectrum {

// What the sequential implementations have in common: `spectrum(masses)`
// returns the sorted spectrum as a vector; the rest is to check and to write.
template <typename Spectrum>
absl::Status RunCyclospectrumSerially(ConstArrayView masses, ArrayView out,
                                      ArrayView counts, ArrayView distinct,
                                      const Cyclospectrum::Options& options,
                                      const Spectrum& spectrum) {
  absl::Status status = TotalMass(masses).status();
  if (!status.ok()) return status;
  return DispatchMasses(masses.type(), [&](auto tag) {
    using T = decltype(tag);
    return WriteCyclospectrum<T>(spectrum(masses.span<T>()), out, counts,
                                 distinct, options);
  });
}

}  // namespace concord::cyclospectrum

#endif  // CONCORD_ALGORITHMS_CYCLOSPECTRUM_SERIAL_REFERENCE_H_
