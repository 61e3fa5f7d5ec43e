// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_CYCLOSPECTRUM_CYCLOSPECTRUM_H_
#define CONCORD_ALGORITHMS_CYCLOSPECTRUM_CYCLOSPECTRUM_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "concord/core/array.h"
#include "concord/core/backend.h"
#include "concord/core/implementation.h"

namespace concord {

// The theoretical spectrum of a cyclic peptide: the masses of all its pieces,
// in ascending order, with repetitions.
//
//   spectrum = {0, m[0] + ... + m[n-1]}
//   for length = 1, ..., n - 1:
//     for first = 0, ..., n - 1:
//       spectrum += m[first] + ... + m[first + length - 1]   // indexes mod n
//   sort spectrum
//
// There are n (n - 1) + 2 of them, also for n = 0 (twice 0) and n = 1 (0 and
// the mass). The masses are whole numbers, 0 or more, and may be those of
// anything else that stands in a circle.
//
// As a histogram, the result is the distinct masses and how often each occurs.
//
// Everything is exact and the same on every backend.
//
// Source: P. Compeau and P. Pevzner, "Bioinformatics Algorithms: An Active
// Learning Approach" (2014), chapter 2; Rosalind problem BA4C.
class Cyclospectrum : public Implementation {
 public:
  static constexpr char kName[] = "cyclospectrum";

  enum class As { kSpectrum, kHistogram };

  struct Options {
    As as = As::kSpectrum;
  };

  // masses: n elements of int32 or int64, none negative. Their type must hold
  // their sum. Empty input is fine.
  //
  // Of a spectrum, `out` has the type of the masses and CyclospectrumSize(n)
  // elements; `counts` and `distinct` are not given.
  //
  // Of a histogram, `out` and `counts`, which is int64, have room for as many
  // distinct masses as there can be: MostDistinct(CyclospectrumSize(n), sum).
  // `distinct`, one int64, says how many there are. What stands behind them is
  // unspecified.
  //
  // All live in the backend's memory and do not overlap.
  //
  // InvalidArgument: types or sizes that differ from these, memory of another
  // backend, and on the CPU a negative mass or a sum past the type. A GPU does
  // not check the masses; the caller has to. ResourceExhausted: no memory.
  absl::Status Run(ConstArrayView masses, ArrayView out, ArrayView counts,
                   ArrayView distinct, const Options& options);

  static const Signature<Cyclospectrum>& GetSignature();

 protected:
  // Run, when the arguments have been checked, but for the elements of the
  // masses and the room for a histogram, which depends on them.
  virtual absl::Status Compute(ConstArrayView masses, ArrayView out,
                               ArrayView counts, ArrayView distinct,
                               const Options& options) = 0;
};

// n (n - 1) + 2; OutOfRange where int64 does not hold that.
absl::StatusOr<std::int64_t> CyclospectrumSize(std::int64_t n);

// No histogram has more entries.
std::int64_t MostDistinct(std::int64_t spectrum_size, std::int64_t total);

// The sum of the masses, as int64; InvalidArgument for a negative mass, or a
// sum that the type of the masses does not hold.
absl::StatusOr<std::int64_t> TotalMass(ConstArrayView masses);

// The integer masses of the amino acids of a peptide in one-letter code, upper
// or lower case; InvalidArgument names a letter that is none of the twenty.
absl::StatusOr<std::vector<std::int32_t>> MassesOfPeptide(
    absl::string_view peptide);

// --- For callers with host data ---

// Example:
//   absl::StatusOr<std::vector<std::int32_t>> spectrum =
//       ComputeCyclospectrum(backend, *MassesOfPeptide("LEQN"));
//   // {0, 113, 114, 128, 129, 227, 242, 242, 257, 355, 356, 370, 371, 484}
absl::StatusOr<std::vector<std::int32_t>> ComputeCyclospectrum(
    const std::shared_ptr<Backend>& backend,
    absl::Span<const std::int32_t> masses, absl::string_view variant = "");

}  // namespace concord

// --- For implementations ---

namespace concord::cyclospectrum {

// Writes what is asked for of a sorted spectrum in host memory. InvalidArgument
// where the histogram has no room.
template <typename T>
absl::Status WriteCyclospectrum(absl::Span<const T> sorted, ArrayView out,
                                ArrayView counts, ArrayView distinct,
                                const Cyclospectrum::Options& options) {
  if (options.as == Cyclospectrum::As::kSpectrum) {
    std::copy(sorted.begin(), sorted.end(), out.data<T>());
    return absl::OkStatus();
  }
  std::int64_t entries = 0;
  for (std::size_t i = 0; i < sorted.size();) {
    std::size_t end = i + 1;
    while (end < sorted.size() && sorted[end] == sorted[i]) ++end;
    if (entries == out.size()) {
      return absl::InvalidArgumentError("'out' has no room for the histogram");
    }
    out.data<T>()[entries] = sorted[i];
    counts.data<std::int64_t>()[entries++] = static_cast<std::int64_t>(end - i);
    i = end;
  }
  *distinct.data<std::int64_t>() = entries;
  return absl::OkStatus();
}

// Calls f(T()) for the type of the masses, which has been checked.
template <typename F>
decltype(auto) DispatchMasses(ElementType type, F&& f) {
  if (type == ElementType::kInt32) return f(std::int32_t{});
  return f(std::int64_t{});
}

}  // namespace concord::cyclospectrum

#endif  // CONCORD_ALGORITHMS_CYCLOSPECTRUM_CYCLOSPECTRUM_H_
