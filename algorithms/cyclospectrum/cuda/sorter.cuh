// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_CYCLOSPECTRUM_CUDA_SORTER_CUH_
#define CONCORD_ALGORITHMS_CYCLOSPECTRUM_CUDA_SORTER_CUH_

#include <cstdint>
#include <memory>

#include "concord/algorithms/cyclospectrum/cuda/circle.cuh"
#include "concord/algorithms/cyclospectrum/cuda/histogram.cuh"
#include "concord/algorithms/cyclospectrum/cyclospectrum.h"
#include "concord/algorithms/radix_sort/radix_sort.h"
#include "concord/backends/cuda/cuda_backend.h"

namespace concord::cyclospectrum {

// Makes spectra and histograms by sorting pieces with radix_sort.
class SpectrumSorter {
 public:
  explicit SpectrumSorter(std::shared_ptr<CudaBackend> backend);

  // `pieces`, the whole spectrum in any order, is left as it is.
  template <typename T>
  absl::Status Write(const DeviceCircle<T>& circle, ConstArrayView pieces,
                     const SpectrumOutputs& to);

  // Makes the pieces by itself, and no more than half of them: the others
  // mirror these.
  template <typename T>
  absl::Status WriteFromHalf(const DeviceCircle<T>& circle,
                             const SpectrumOutputs& to);

 private:
  absl::Status Sort(ConstArrayView pieces, ArrayView sorted,
                    std::uint64_t largest);

  std::shared_ptr<CudaBackend> backend_;
  absl::StatusOr<std::unique_ptr<RadixSort>> sort_;
  HistogramWriter histogram_;
};

}  // namespace concord::cyclospectrum

#endif  // CONCORD_ALGORITHMS_CYCLOSPECTRUM_CUDA_SORTER_CUH_
