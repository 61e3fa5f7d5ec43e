// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_CYCLOSPECTRUM_CUDA_RUN_CUH_
#define CONCORD_ALGORITHMS_CYCLOSPECTRUM_CUDA_RUN_CUH_

#include "concord/algorithms/cyclospectrum/cuda/circle.cuh"
#include "concord/algorithms/cyclospectrum/cuda/sorter.cuh"
#include "concord/algorithms/cyclospectrum/cyclospectrum.h"
#include "concord/backends/cuda/on_cuda.cuh"

namespace concord::cyclospectrum {

// What every implementation on a GPU does first. `Derived` has
//
//   template <typename T>
//   absl::Status Write(const DeviceCircle<T>& circle, const T* masses,
//                      const SpectrumOutputs& to);
template <typename Derived>
class CyclospectrumOnCuda : public OnCuda<Cyclospectrum> {
 public:
  using OnCuda<Cyclospectrum>::OnCuda;

  absl::Status Compute(ConstArrayView masses, ArrayView out, ArrayView counts,
                   ArrayView distinct, const Options& options) final {
    return DispatchMasses(masses.type(), [&](auto tag) -> absl::Status {
      using T = decltype(tag);
      const auto circle = circle_.Make<T>(masses);
      if (!circle.ok()) return circle.status();
      return static_cast<Derived*>(this)->Write(
          *circle, masses.data<T>(), {out, counts, distinct, options.as});
    });
  }

 private:
  CircleMaker circle_{backend()};
};

// An implementation that makes all pieces and then sorts them. `Derived` has
//
//   // Writes the n (n - 1) pieces of 1 to n - 1 masses, in any order.
//   template <typename T>
//   absl::Status WritePieces(const DeviceCircle<T>& circle, const T* masses,
//                            T* pieces);
template <typename Derived>
class CyclospectrumBySorting : public CyclospectrumOnCuda<Derived> {
 public:
  using CyclospectrumOnCuda<Derived>::CyclospectrumOnCuda;

  template <typename T>
  absl::Status Write(const DeviceCircle<T>& circle, const T* masses,
                     const SpectrumOutputs& to) {
    CudaBackend& backend = *this->backend();
    const std::int64_t size = circle.size();
    absl::StatusOr<Array> pieces = backend.Allocate(ElementTypeOf<T>(), size);
    absl::Status status = pieces.status();
    if (status.ok() && size > 2) {
      status = static_cast<Derived*>(this)->WritePieces(
          circle, masses, pieces->template data<T>());
    }
    if (!status.ok()) return status;
    // The piece of no masses and that of all.
    const T ends[] = {0, static_cast<T>(circle.total)};
    status = backend.Copy(ConstArrayView(absl::MakeConstSpan(ends)),
                          pieces->view().Slice(size - 2, 2));
    return status.ok() ? sorter_.Write(circle, pieces->view(), to) : status;
  }

 private:
  SpectrumSorter sorter_{this->backend()};
};

}  // namespace concord::cyclospectrum

#endif  // CONCORD_ALGORITHMS_CYCLOSPECTRUM_CUDA_RUN_CUH_
