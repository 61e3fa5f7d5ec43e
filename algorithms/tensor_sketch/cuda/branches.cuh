// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_TENSOR_SKETCH_CUDA_BRANCHES_CUH_
#define CONCORD_ALGORITHMS_TENSOR_SKETCH_CUDA_BRANCHES_CUH_

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "concord/algorithms/tensor_sketch/cuda/branch.cuh"
#include "concord/backends/cuda/cuda_status.h"

namespace concord::tensor_sketch {

// As many kernels run at the same time at most, since compute capability 3.5
// (128 on some devices).
inline constexpr int kUsualStreams = 32;
inline constexpr int kMostStreams = 128;

// Launches for a few rows each, dealt out to many streams, so that they run at
// the same time. The streams fork from the trunk and join it again, so that to
// a caller it is one piece of work in order.
class Branches {
 public:
  // launch(first, last, i, stream) launches a kernel for the rows [first, last)
  // on the i-th stream, for each `group` of `rows` rows, and returns what
  // became of that, as LaunchKernel does. `what` names it in errors.
  template <typename Launch>
  absl::Status Deal(int64_t rows, int64_t group, int64_t streams,
                    cudaStream_t trunk, absl::string_view what,
                    const Launch& launch) {
    absl::Status status;
    for (int64_t i = 0; i < streams && status.ok(); ++i) {
      status = branches_[i].Fork(trunk);
    }
    if (!status.ok()) return status;
    int64_t i = 0;
    for (int64_t first = 0; first < rows; first += group) {
      status.Update(CudaStatus(launch(first, std::min(first + group, rows), i,
                                      branches_[i].stream()),
                               "launch of ", what));
      i = (i + 1) % streams;
    }
    // Also after a failed launch: nothing may run on when this returns.
    for (i = 0; i < streams; ++i) status.Update(branches_[i].Join(trunk));
    return status;
  }

 private:
  std::vector<Branch> branches_{kMostStreams};
};

}  // namespace concord::tensor_sketch

#endif  // CONCORD_ALGORITHMS_TENSOR_SKETCH_CUDA_BRANCHES_CUH_
