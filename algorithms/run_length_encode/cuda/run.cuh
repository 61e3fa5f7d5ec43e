// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_RUN_LENGTH_ENCODE_CUDA_RUN_CUH_
#define CONCORD_ALGORITHMS_RUN_LENGTH_ENCODE_CUDA_RUN_CUH_

#include <cstdint>

#include "concord/algorithms/run_length_encode/run_length_encode.h"
#include "concord/backends/cuda/on_cuda.cuh"

namespace concord::run_length_encode {

// Of so many bytes look-back makes small tiles, and is ahead of the pipeline.
// Up to here a Hopper multiprocessor has one of them at the most.
inline constexpr int64_t kFewBytes = int64_t{1} << 21;

// What every run-length encoding on a GPU does before it launches. `Derived`
// has
//
//   template <typename Word, typename Length>
//   absl::Status Launch(ConstArrayView in, const Outputs& out);
//
// which is called with at least one element, of a type as wide as Word.
template <typename Derived>
class RunLengthEncodeOnCuda : public OnCuda<RunLengthEncode> {
 public:
  using OnCuda<RunLengthEncode>::OnCuda;

  absl::Status Compute(ConstArrayView in, const Outputs& out) final {
    if (in.empty()) return Store<int64_t>(0, out.runs.data<int64_t>());
    return DispatchRunLengths(
        in.type(), out.lengths.type(), [&](auto word, auto length) {
          return static_cast<Derived*>(this)
              ->template Launch<typename decltype(word)::type,
                                typename decltype(length)::type>(in, out);
        });
  }
};

}  // namespace concord::run_length_encode

#endif  // CONCORD_ALGORITHMS_RUN_LENGTH_ENCODE_CUDA_RUN_CUH_
