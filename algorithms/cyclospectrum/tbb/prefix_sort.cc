// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Every piece is a difference of two prefix sums, so all can be written at
// once, and are then sorted: by radix_sort, which looks at no more bits than
// the total mass has.

#include <cstdint>
#include <memory>
#include <utility>

#include "concord/algorithms/cyclospectrum/cyclospectrum.h"
#include "concord/algorithms/radix_sort/radix_sort.h"
#include "concord/backends/tbb/tbb_backend.h"
#include "concord/core/errors.h"
#include "concord/core/registry.h"

namespace concord::cyclospectrum {
namespace {

class CyclospectrumPrefixSort : public Cyclospectrum {
 public:
  explicit CyclospectrumPrefixSort(std::shared_ptr<Backend> backend)
      : backend_(AsTbb(std::move(backend))) {}

  absl::Status Compute(ConstArrayView masses, ArrayView out, ArrayView counts,
                       ArrayView distinct, const Options& options) override {
    ASSIGN_OR_RETURN(std::int64_t total, TotalMass(masses));
    ASSIGN_OR_RETURN(std::int64_t size, CyclospectrumSize(masses.size()));
    ASSIGN_OR_RETURN(Array pieces, backend_->Allocate(masses.type(), size));
    DispatchMasses(masses.type(), [&](auto tag) {
      using T = decltype(tag);
      WritePieces(masses.span<T>(), static_cast<T>(total), pieces.data<T>());
    });

    if (options.as == As::kSpectrum) return Sort(pieces, out, total);
    ASSIGN_OR_RETURN(Array sorted, backend_->Allocate(masses.type(), size));
    RETURN_IF_ERROR(Sort(pieces, sorted.view(), total));
    return DispatchMasses(masses.type(), [&](auto tag) {
      using T = decltype(tag);
      return WriteCyclospectrum<T>(sorted.view().span<T>(), out, counts,
                                   distinct, options);
    });
  }

 private:
  // The pieces that start with the same mass stand together.
  template <typename T>
  void WritePieces(absl::Span<const T> masses, T total, T* pieces) {
    const auto n = static_cast<std::int64_t>(masses.size());
    const auto write = [&](std::int64_t first) {
      T piece = 0;
      T* const row = pieces + first * (n - 1);
      for (std::int64_t i = 0; i < n - 1; ++i) {
        const std::int64_t at = first + i;
        piece += masses[at < n ? at : at - n];
        row[i] = piece;
      }
    };
    backend_->ForEach(n, write);
    pieces[n * (n - 1)] = 0;
    pieces[n * (n - 1) + 1] = total;
  }

  absl::Status Sort(const Array& pieces, ArrayView sorted, std::int64_t total) {
    ASSIGN_OR_RETURN(std::unique_ptr<RadixSort> sort,
                     Registry<RadixSort>::Get().Create(backend_));
    RadixSort::Options options;
    options.end_bit = 1;
    while (total >> options.end_bit != 0) ++options.end_bit;
    return sort->Run(pieces.view(), NoValues(), sorted, NoValues(), options);
  }

  std::shared_ptr<TbbBackend> backend_;
};

const bool kRegistered =
    Registry<Cyclospectrum>::Get().Add<CyclospectrumPrefixSort>(
        "tbb", "prefix_sort", /*rank=*/5,
        "all differences of prefix sums, then a radix sort",
        Contract().Notes("takes as much memory again as the spectrum"));

}  // namespace
}  // namespace concord::cyclospectrum
