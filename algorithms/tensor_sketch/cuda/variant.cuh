// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0
//
// What all CUDA implementations have in common on the host's side.

#ifndef CONCORD_ALGORITHMS_TENSOR_SKETCH_CUDA_VARIANT_CUH_
#define CONCORD_ALGORITHMS_TENSOR_SKETCH_CUDA_VARIANT_CUH_

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "concord/algorithms/tensor_sketch/tensor_sketch.h"
#include "concord/algorithms/tensor_sketch/cuda/places.cuh"
#include "concord/backends/cuda/cuda_backend.h"
#include "concord/backends/cuda/cuda_status.h"
#include "concord/backends/cuda/scratch.cuh"
#include "concord/core/registry.h"

namespace concord::tensor_sketch {

inline int64_t DivideUp(int64_t a, int64_t b) { return (a + b - 1) / b; }

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
  sketch_places::Tables tables;
  bool normalized;
  void* out;  // [rows, dim] uint64_t, or double when normalized
};

// Finds the windows of all sequences, in `scratch`. Rows that `count` has room
// for beyond the windows that there are become empty.
absl::StatusOr<RowsOnGpu> FindWindows(ConstArrayView offsets, int64_t count,
                                      const TensorSketch::Options& options,
                                      cudaStream_t stream, Scratch* scratch);

class TensorSketchOnGpu : public TensorSketch {
 public:
  absl::Status Run(ConstArrayView letters, ConstArrayView offsets,
                   ConstArrayView hashes, ConstArrayView signs, ArrayView out,
                   const Options& options) final {
    absl::Status status =
        CheckTensorSketchArguments(letters, offsets, hashes, signs, out,
                                   options, backend_->memory(), name_);
    if (status.ok()) status = Prepare(options);
    if (!status.ok() || out.empty()) return status;
    absl::StatusOr<SketchProblem> problem =
        ProblemOf(letters, offsets, hashes, signs, out, options);
    if (!problem.ok()) return problem.status();
    return Launch(*problem);
  }

  absl::Status RunFromHost(ConstArrayView letters, ConstArrayView offsets,
                           ConstArrayView hashes, ConstArrayView signs,
                           ArrayView out, const Options& options) final {
    absl::Status status = CheckTensorSketchOnHost(letters, offsets, hashes,
                                                  signs, out, options, name_);
    if (status.ok()) status = Prepare(options);
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
      absl::StatusOr<Array> array =
          backend_->Allocate(from.type(), from.size());
      if (!array.ok()) return array.status();
      to = *std::move(array);
      if (is_small) status = backend_->Copy(from, to.view());
      if (!status.ok()) return status;
    }
    absl::StatusOr<SketchProblem> problem = ProblemOf(
        device_letters.view(), device_offsets.view(), device_hashes.view(),
        device_signs.view(), sketches.view(), options);
    if (!problem.ok()) return problem.status();
    if (LaunchesInParts(*problem)) {
      status = LaunchInParts(*problem, letters.data<uint8_t>());
    } else {
      status = backend_->Copy(letters, device_letters.view());
      if (status.ok()) status = Launch(*problem);
    }
    if (status.ok()) status = backend_->Copy(sketches.view(), out);
    // Also after an error: copies may still be reading the host's letters.
    status.Update(backend_->Synchronize());
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
    return absl::UnimplementedError(name_);
  }

 protected:
  TensorSketchOnGpu(std::shared_ptr<CudaBackend> backend,
                    absl::string_view variant, bool normalizes)
      : backend_(backend),
        name_(absl::StrCat("tensor_sketch/cuda/", variant)),
        normalizes_(normalizes),
        windows_(std::move(backend)) {}

  // Has another variant, the same in every call, do what this one cannot.
  absl::Status LaunchInstead(absl::string_view variant,
                             const SketchProblem& problem) {
    if (other_ == nullptr) {
      absl::StatusOr<std::unique_ptr<TensorSketch>> made =
          Registry<TensorSketch>::Get().Create(backend_, variant);
      if (!made.ok()) return made.status();
      other_ = *std::move(made);
    }
    return static_cast<TensorSketchOnGpu&>(*other_).Launch(problem);
  }

  absl::Status ClearSketches(const SketchProblem& problem) {
    const size_t bytes =
        problem.rows.count * problem.tables.dim * sizeof(uint64_t);
    return CudaStatus(
        cudaMemsetAsync(problem.out, 0, bytes, backend_->stream()),
        "clearing the sketches");
  }

  const std::shared_ptr<CudaBackend> backend_;
  const std::string name_;

 private:
  absl::Status Prepare(const Options& options) {
    if (options.normalized && !normalizes_) {
      return absl::UnimplementedError(
          absl::StrCat(name_, " has no normalized sketches"));
    }
    return backend_->Activate();
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
      absl::StatusOr<RowsOnGpu> windows =
          FindWindows(offsets, out.size() / options.dim, shorter,
                      backend_->stream(), &windows_);
      if (!windows.ok()) return windows.status();
      rows = *windows;
    }
    return SketchProblem{letters.data<uint8_t>(),
                         letters.size(),
                         rows,
                         {hashes.data<int>(), signs.data<int>(),
                          options.alphabet_size, options.t, options.dim},
                         options.normalized,
                         out.data()};
  }

  const bool normalizes_;
  Scratch windows_;
  std::unique_ptr<TensorSketch> other_;
};

// Stands at the bottom of a variant's file, with a class that is constructed
// from a backend.
template <typename Variant>
bool RegisterOnGpu(const char* variant, int rank, const char* summary,
                   Contract contract) {
  return Registry<TensorSketch>::Get().Add(
      "cuda", variant, rank, summary, std::move(contract),
      [](std::shared_ptr<Backend> backend) {
        return std::make_unique<Variant>(AsCuda(std::move(backend)));
      });
}

}  // namespace concord::tensor_sketch

#endif  // CONCORD_ALGORITHMS_TENSOR_SKETCH_CUDA_VARIANT_CUH_
