// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The naive way of "Look-and-say: [Alea.]CUDA" (2016): a kernel says each run
// into two places for each of its digits, most of which stay empty; the host
// fetches all places, leaves out the empty ones, and sends back what is left.
// It shows what moving data between host and device costs.
//
// Two things are mended: places that are empty say so, where the article took a
// 0 for empty and so lost every digit 0; and counts may have any size.

#include <cuda_runtime.h>

#include <cstdint>
#include <vector>

#include "concord/algorithms/look_and_say/cuda/places.cuh"
#include "concord/algorithms/look_and_say/cuda/run.cuh"
#include "concord/algorithms/look_and_say/cuda/steps.h"
#include "concord/backends/cuda/cuda_status.h"
#include "concord/backends/cuda/scratch.cuh"
#include "concord/core/errors.h"

namespace concord::look_and_say {
namespace {

// Past all symbols.
constexpr int16_t kEmpty = 256;

__global__ void SayIntoPlaces(const uint8_t* digits, int64_t size, bool decimal,
                              int16_t* places) {
  SayRunIntoPlaces(digits, size, decimal, [=](int64_t place, int symbol) {
    places[place] = static_cast<int16_t>(symbol < 0 ? kEmpty : symbol);
  });
}

class HostCompactStepper : public DeviceStepper {
 public:
  using DeviceStepper::DeviceStepper;

  absl::StatusOr<int64_t> Say(const DeviceStep& step) override {
    const int64_t places = 2 * step.size;
    RETURN_IF_ERROR(scratch_.Reserve<int16_t>(places));
    RETURN_IF_ERROR(QueueKernel(
        *backend_, "look_and_say/cuda/host_compact", SayIntoPlaces,
        PlaceShape(step.size), step.digits, step.size,
        step.counts == LookAndSay::Counts::kDecimal, scratch_.data<int16_t>()));

    std::vector<int16_t> fetched(static_cast<std::size_t>(places));
    absl::Status status =
        CudaStatus(cudaMemcpyAsync(fetched.data(), scratch_.data(),
                                   fetched.size() * sizeof(int16_t),
                                   cudaMemcpyDeviceToHost, backend_->stream()),
                   "fetching what a step said");
    if (status.ok()) status = backend_->Synchronize();
    if (!status.ok()) return status;
    std::vector<uint8_t> said;
    for (const int16_t symbol : fetched) {
      if (symbol != kEmpty) said.push_back(static_cast<uint8_t>(symbol));
    }
    const auto said_size = static_cast<int64_t>(said.size());
    status =
        backend_->Copy(ConstArrayView(absl::MakeConstSpan(said)),
                       ArrayView(step.said, said_size, backend_->memory()));
    if (!status.ok()) return status;
    return said_size;
  }

 private:
  Scratch scratch_{backend_};
};

const bool kRegistered = RegisterOnCuda<LookAndSayBySteps<HostCompactStepper>>(
    "host_compact", /*rank=*/1,
    "a kernel says, the host puts together, as the article's first",
    Contract()
        .Types({ElementType::kUInt8})
        .Boundaries({kPlaceThreads})
        .Notes("a thread goes through each run alone: long runs are slow"));

}  // namespace
}  // namespace concord::look_and_say
