// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0
//
// What all CUDA implementations have in common on the host's side.

#ifndef CONCORD_ALGORITHMS_TENSOR_SKETCH_TENSOR_SKETCH_CUDA_VARIANT_CUH_
#define CONCORD_ALGORITHMS_TENSOR_SKETCH_TENSOR_SKETCH_CUDA_VARIANT_CUH_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "algorithms/tensor_sketch/tensor_sketch.h"
#include "algorithms/tensor_sketch/tensor_sketch_cuda_places.cuh"
#include "backends/cuda/cuda_backend.h"
#include "backends/cuda/cuda_status.h"
#include "core/registry.h"

namespace concord {

inline int64_t DivideUp(int64_t a, int64_t b) { return (a + b - 1) / b; }

// The arguments of a call as kernels take them.
struct SketchProblem {
  const uint8_t* letters;
  int64_t size;  // how many letters there are
  const int64_t* offsets;
  int64_t sequences;
  sketch_places::Tables tables;
  uint64_t* out;  // [sequences, dim]
};

class TensorSketchOnGpu : public TensorSketch {
 public:
  absl::Status Run(ConstArrayView letters, ConstArrayView offsets,
                   ConstArrayView hashes, ConstArrayView signs, ArrayView out,
                   const Options& options) final {
    absl::Status status =
        CheckTensorSketchArguments(letters, offsets, hashes, signs, out,
                                   options, backend_->memory(), name_);
    if (status.ok()) status = backend_->Activate();
    if (!status.ok() || out.empty()) return status;
    return Launch({letters.data<uint8_t>(),
                   letters.size(),
                   offsets.data<int64_t>(),
                   offsets.size() - 1,
                   {hashes.data<int>(), signs.data<int>(),
                    options.alphabet_size, options.t, options.dim},
                   out.data<uint64_t>()});
  }

  // Gives the work to the backend's stream. The arguments are checked, the
  // device is the current one, and there is something to compute.
  virtual absl::Status Launch(const SketchProblem& problem) = 0;

 protected:
  TensorSketchOnGpu(std::shared_ptr<CudaBackend> backend,
                    absl::string_view variant)
      : backend_(std::move(backend)),
        name_(absl::StrCat("tensor_sketch/cuda/", variant)) {}

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
        problem.sequences * problem.tables.dim * sizeof(uint64_t);
    return CudaStatus(
        cudaMemsetAsync(problem.out, 0, bytes, backend_->stream()),
        "clearing the sketches");
  }

  const std::shared_ptr<CudaBackend> backend_;
  const std::string name_;

 private:
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

}  // namespace concord

#endif  // CONCORD_ALGORITHMS_TENSOR_SKETCH_TENSOR_SKETCH_CUDA_VARIANT_CUH_
