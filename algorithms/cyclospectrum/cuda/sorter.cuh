// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_CYCLOSPECTRUM_CUDA_SORTER_CUH_
#define CONCORD_ALGORITHMS_CYCLOSPECTRUM_CUDA_SORTER_CUH_

#include <cstdint>
#include <memory>
#include <string>

#include "concord/algorithms/cyclospectrum/cyclospectrum.h"
#include "concord/algorithms/cyclospectrum/cuda/circle.cuh"
#include "concord/algorithms/cyclospectrum/cuda/histogram.cuh"
#include "concord/algorithms/radix_sort/radix_sort.h"
#include "concord/backends/cuda/cuda_backend.h"

namespace concord::cyclospectrum {

// Makes spectra and histograms by sorting pieces with radix_sort.
class SpectrumSorter {
 public:
  // Where results go.
  struct Outputs {
    ArrayView out;
    ArrayView counts;
    ArrayView distinct;
    Cyclospectrum::As as;
  };

  explicit SpectrumSorter(std::shared_ptr<CudaBackend> backend);

  // `pieces`, the whole spectrum in any order, is left as it is.
  template <typename T>
  absl::Status Write(const DeviceCircle<T>& circle, ConstArrayView pieces,
                     const Outputs& to);

  // Makes the pieces by itself, and no more than half of them: the others
  // mirror these.
  template <typename T>
  absl::Status WriteFromHalf(const DeviceCircle<T>& circle, const Outputs& to);

 private:
  absl::Status Sort(ConstArrayView pieces, ArrayView sorted,
                    std::uint64_t largest);

  std::shared_ptr<CudaBackend> backend_;
  absl::StatusOr<std::unique_ptr<RadixSort>> sort_;
  HistogramWriter histogram_;
};

// An implementation that makes all pieces and then sorts them.
class CyclospectrumBySorting : public Cyclospectrum {
 public:
  // `where` names it.
  CyclospectrumBySorting(std::shared_ptr<CudaBackend> backend,
                         std::string where);

  absl::Status Run(ConstArrayView masses, ArrayView out, ArrayView counts,
                   ArrayView distinct, const Options& options) final;

 protected:
  CudaBackend& backend() const { return *backend_; }

 private:
  // Writes the n (n - 1) pieces of 1 to n - 1 masses, in any order. `sums` are
  // those of the circle, 2 n + 1 unsigned integers of the masses' width.
  virtual absl::Status WritePieces(ConstArrayView masses, const void* sums,
                                   ArrayView pieces) = 0;

  std::shared_ptr<CudaBackend> backend_;
  std::string where_;
  CircleMaker circle_;
  SpectrumSorter sorter_;
};

}  // namespace concord::cyclospectrum

#endif  // CONCORD_ALGORITHMS_CYCLOSPECTRUM_CUDA_SORTER_CUH_
