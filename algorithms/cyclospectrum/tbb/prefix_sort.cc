// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Every piece is a difference of two prefix sums, so all can be written at
// once, and are then sorted: by radix_sort, which looks at no more bits than
// the total mass has.

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "concord/algorithms/cyclospectrum/cyclospectrum.h"
#include "concord/algorithms/radix_sort/radix_sort.h"
#include "concord/backends/tbb/tbb_backend.h"
#include "concord/core/registry.h"

namespace concord::cyclospectrum {
namespace {

class CyclospectrumPrefixSort : public Cyclospectrum {
 public:
  explicit CyclospectrumPrefixSort(std::shared_ptr<TbbBackend> backend)
      : backend_(std::move(backend)) {}

  absl::Status Compute(ConstArrayView masses, ArrayView out, ArrayView counts,
                       ArrayView distinct, const Options& options) override {
    absl::StatusOr<std::int64_t> total = TotalMass(masses);
    if (!total.ok()) return total.status();
    absl::StatusOr<std::int64_t> size = CyclospectrumSize(masses.size());
    if (!size.ok()) return size.status();
    absl::StatusOr<Array> pieces = backend_->Allocate(masses.type(), *size);
    if (!pieces.ok()) return pieces.status();
    DispatchMasses(masses.type(), [&](auto tag) {
      using T = decltype(tag);
      WritePieces(masses.span<T>(), static_cast<T>(*total), pieces->data<T>());
    });

    if (options.as == As::kSpectrum) return Sort(*pieces, out, *total);
    absl::StatusOr<Array> sorted = backend_->Allocate(masses.type(), *size);
    if (!sorted.ok()) return sorted.status();
    absl::Status status = Sort(*pieces, sorted->view(), *total);
    if (!status.ok()) return status;
    return DispatchMasses(masses.type(), [&](auto tag) {
      using T = decltype(tag);
      return WriteCyclospectrum<T>(sorted->view().span<T>(), out, counts,
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
    absl::StatusOr<std::unique_ptr<RadixSort>> sort =
        Registry<RadixSort>::Get().Create(backend_);
    if (!sort.ok()) return sort.status();
    RadixSort::Options options;
    options.end_bit = 1;
    while (total >> options.end_bit != 0) ++options.end_bit;
    return (*sort)->Run(pieces.view(), NoValues(), sorted, NoValues(), options);
  }

  std::shared_ptr<TbbBackend> backend_;
};

Contract MakeContract() {
  Contract contract;
  contract.element_types = {ElementType::kInt32, ElementType::kInt64};
  contract.notes = "takes as much memory again as the spectrum";
  return contract;
}

const bool kRegistered = Registry<Cyclospectrum>::Get().Add(
    "tbb", "prefix_sort", /*rank=*/5,
    "all differences of prefix sums, then a radix sort", MakeContract(),
    [](std::shared_ptr<Backend> backend) {
      return std::make_unique<CyclospectrumPrefixSort>(
          AsTbb(std::move(backend)));
    });

}  // namespace
}  // namespace concord::cyclospectrum
