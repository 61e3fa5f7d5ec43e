// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0
//
// What all CUDA implementations have in common on the host's side.

#ifndef CONCORD_ALGORITHMS_TENSOR_SKETCH_CUDA_RUN_CUH_
#define CONCORD_ALGORITHMS_TENSOR_SKETCH_CUDA_RUN_CUH_

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>

#include "concord/algorithms/tensor_sketch/cuda/places.cuh"
#include "concord/algorithms/tensor_sketch/tensor_sketch.h"
#include "concord/backends/cuda/cuda_backend.h"
#include "concord/backends/cuda/cuda_status.h"
#include "concord/backends/cuda/on_cuda.cuh"
#include "concord/backends/cuda/scratch.cuh"
#include "concord/core/errors.h"
#include "concord/core/registry.h"

namespace concord::tensor_sketch {

// What there is a sketch of, in order: row i is the letters [begins[i],
// ends[i]), a sequence or a window.
struct RowsOnGpu {
  const int64_t* begins;
  const int64_t* ends;
  int64_t count;
  // When not 0, rows are windows: none has more letters.
  int64_t window;
};

// The arguments of a call as kernels take them.
struct SketchProblem {
  const uint8_t* letters;
  int64_t size;  // how many letters there are
  RowsOnGpu rows;
  Tables tables;
  bool normalized;
  void* out;  // [rows, dim] uint64_t, or double when normalized
};

// Finds the windows of all sequences, in `scratch`. Rows that `count` has room
// for beyond the windows that there are become empty.
absl::StatusOr<RowsOnGpu> FindWindows(ConstArrayView offsets, int64_t count,
                                      const TensorSketch::Options& options,
                                      const CudaBackend& backend,
                                      Scratch* scratch);

class TensorSketchOnCuda : public OnCuda<TensorSketch> {
 public:
  using OnCuda<TensorSketch>::OnCuda;

  absl::Status Compute(ConstArrayView letters, ConstArrayView offsets,
                       ConstArrayView hashes, ConstArrayView signs,
                       ArrayView out, const Options& options) final {
    absl::Status status = CheckNormalizes(options);
    if (!status.ok() || out.empty()) return status;
    ASSIGN_OR_RETURN(SketchProblem problem,
                     ProblemOf(letters, offsets, hashes, signs, out, options));
    return Launch(problem);
  }

  absl::Status ComputeFromHost(ConstArrayView letters, ConstArrayView offsets,
                               ConstArrayView hashes, ConstArrayView signs,
                               ArrayView out, const Options& options) final {
    absl::Status status = CheckNormalizes(options);
    if (status.ok()) {
      status =
          CheckSketchElements(letters, offsets, hashes, signs, out, options);
    }
    if (!status.ok() || out.empty()) return status;
    Array device_letters, device_offsets, device_hashes, device_signs, sketches;
    const struct {
      ConstArrayView from;
      Array& to;
      bool is_small;  // and copied at once
    } arrays[] = {{offsets, device_offsets, true},
                  {hashes, device_hashes, true},
                  {signs, device_signs, true},
                  {letters, device_letters, false},
                  {out, sketches, false}};
    for (const auto& [from, to, is_small] : arrays) {
      ASSIGN_OR_RETURN(to, backend()->Allocate(from.type(), from.size()));
      if (is_small) status = backend()->Copy(from, to.view());
      if (!status.ok()) return status;
    }
    ASSIGN_OR_RETURN(SketchProblem problem,
                     ProblemOf(device_letters.view(), device_offsets.view(),
                               device_hashes.view(), device_signs.view(),
                               sketches.view(), options));
    if (LaunchesInParts(problem)) {
      status = LaunchInParts(problem, letters.data<uint8_t>());
    } else {
      status = backend()->Copy(letters, device_letters.view());
      if (status.ok()) status = Launch(problem);
    }
    if (status.ok()) status = backend()->Copy(sketches.view(), out);
    // Also after an error: copies may still be reading the host's letters.
    status.Update(backend()->Synchronize());
    return status;
  }

  // Gives the work to the backend's stream. The arguments are checked, the
  // device is the current one, and there is something to compute.
  virtual absl::Status Launch(const SketchProblem& problem) = 0;

  // The same while the letters are still in host memory: copies them part by
  // part to where the problem has them, and works on each part while the next
  // one is on its way. From page-locked memory that takes hardly longer than
  // the copy. Only where LaunchesInParts.
  virtual bool LaunchesInParts(const SketchProblem&) const { return false; }
  virtual absl::Status LaunchInParts(const SketchProblem&, const uint8_t*) {
    return UnimplementedError(name());
  }

 protected:
  // Whether there are normalized sketches.
  virtual bool Normalizes() const { return false; }

  // Has another variant, the same in every call, do what this one cannot.
  absl::Status LaunchInstead(absl::string_view variant,
                             const SketchProblem& problem) {
    if (other_ == nullptr) {
      ASSIGN_OR_RETURN(
          std::unique_ptr<TensorSketch> made,
          Registry<TensorSketch>::Get().Create(backend(), variant));
      other_ = std::move(made);
    }
    return static_cast<TensorSketchOnCuda&>(*other_).Launch(problem);
  }

  absl::Status ClearSketches(const SketchProblem& problem) {
    const size_t bytes =
        problem.rows.count * problem.tables.dim * sizeof(uint64_t);
    return CudaStatus(cudaMemsetAsync(problem.out, 0, bytes, stream()),
                      "clearing the sketches");
  }

 private:
  absl::Status CheckNormalizes(const Options& options) const {
    if (!options.normalized || Normalizes()) return absl::OkStatus();
    return UnimplementedError(name(), " has no normalized sketches");
  }

  absl::StatusOr<SketchProblem> ProblemOf(ConstArrayView letters,
                                          ConstArrayView offsets,
                                          ConstArrayView hashes,
                                          ConstArrayView signs, ArrayView out,
                                          const Options& options) {
    RowsOnGpu rows = {offsets.data<int64_t>(), offsets.data<int64_t>() + 1,
                      offsets.size() - 1, 0};
    if (options.window > 0) {
      // A window that is longer than all sequences changes nothing.
      Options shorter = options;
      shorter.window = std::min(options.window, letters.size() + 1);
      ASSIGN_OR_RETURN(rows, FindWindows(offsets, out.size() / options.dim,
                                         shorter, *backend(), &windows_));
    }
    return SketchProblem{letters.data<uint8_t>(),
                         letters.size(),
                         rows,
                         {hashes.data<int>(), signs.data<int>(),
                          options.alphabet_size, options.t, options.dim},
                         options.normalized,
                         out.data()};
  }

  Scratch windows_{backend()};
  std::unique_ptr<TensorSketch> other_;
};

}  // namespace concord::tensor_sketch

#endif  // CONCORD_ALGORITHMS_TENSOR_SKETCH_CUDA_RUN_CUH_
