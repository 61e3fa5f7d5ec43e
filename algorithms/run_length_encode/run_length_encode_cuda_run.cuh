// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_RUN_LENGTH_ENCODE_RUN_LENGTH_ENCODE_CUDA_RUN_CUH_
#define CONCORD_ALGORITHMS_RUN_LENGTH_ENCODE_RUN_LENGTH_ENCODE_CUDA_RUN_CUH_

#include <cuda_runtime.h>

#include <cstdint>
#include <memory>
#include <utility>

#include "algorithms/run_length_encode/run_length_encode.h"
#include "backends/cuda/cuda_backend.h"
#include "backends/cuda/cuda_status.h"
#include "backends/cuda/scratch.cuh"

namespace concord {

// What every run-length encoding on a GPU does before it launches. `Derived`
// has
//
//   template <typename Word, typename Length>
//   absl::Status Launch(ConstArrayView in, const Outputs& out);
//
// which is called with at least one element, of a type as wide as Word.
template <typename Derived>
class RunLengthEncodeOnCuda : public RunLengthEncode {
 public:
  // `name`: "run_length_encode/cuda/lookback".
  RunLengthEncodeOnCuda(std::shared_ptr<Backend> backend, const char* name)
      : name_(name), backend_(AsCuda(std::move(backend))), scratch_(backend_) {}

  absl::Status Run(ConstArrayView in, const Outputs& out) final {
    absl::Status status =
        CheckRunLengthEncodeArguments(in, out, backend_->memory(), name_);
    if (status.ok()) status = backend_->Activate();
    if (!status.ok()) return status;
    if (in.empty()) {
      return CudaStatus(
          cudaMemsetAsync(out.runs.data(), 0, sizeof(int64_t), stream()),
          "the number of runs of nothing");
    }
    return DispatchRunLengths(
        in.type(), out.lengths.type(), [&](auto word, auto length) {
          return static_cast<Derived*>(this)
              ->template Launch<typename decltype(word)::type,
                                typename decltype(length)::type>(in, out);
        });
  }

 protected:
  const char* name() const { return name_; }
  const std::shared_ptr<CudaBackend>& backend() const { return backend_; }
  cudaStream_t stream() const { return backend_->stream(); }
  Scratch& scratch() { return scratch_; }

 private:
  const char* name_;
  std::shared_ptr<CudaBackend> backend_;
  Scratch scratch_;
};

}  // namespace concord

#endif  // CONCORD_ALGORITHMS_RUN_LENGTH_ENCODE_RUN_LENGTH_ENCODE_CUDA_RUN_CUH_
