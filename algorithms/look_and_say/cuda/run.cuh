// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_LOOK_AND_SAY_CUDA_RUN_CUH_
#define CONCORD_ALGORITHMS_LOOK_AND_SAY_CUDA_RUN_CUH_

#include <memory>

#include "concord/algorithms/look_and_say/cuda/steps.h"
#include "concord/algorithms/look_and_say/look_and_say.h"
#include "concord/backends/cuda/on_cuda.cuh"

namespace concord::look_and_say {

using LookAndSayOnCuda = OnCuda<LookAndSay>;

// An implementation that makes all steps.
template <typename Stepper>
class LookAndSayBySteps : public LookAndSayOnCuda {
 public:
  using LookAndSayOnCuda::LookAndSayOnCuda;

 private:
  absl::Status Compute(ConstArrayView in, ArrayView out,
                       const Options& options) override {
    return steps_.Write(in, out, options, name());
  }

  DeviceSteps steps_{backend(), std::make_unique<Stepper>(backend())};
};

}  // namespace concord::look_and_say

#endif  // CONCORD_ALGORITHMS_LOOK_AND_SAY_CUDA_RUN_CUH_
