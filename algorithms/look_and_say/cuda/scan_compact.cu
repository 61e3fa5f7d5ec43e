// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The better way of "Look-and-say: [Alea.]CUDA" (2016), all on the device: a
// kernel says each run into two places for each of its digits and flags those
// that it used; an inclusive scan of the flags numbers them; another kernel
// puts them together. The last number is the new length, which the host fetches
// before it launches the next step.
//
// It moves some 65 bytes for each digit of each step, where the digits that are
// read and written are 2.3.

#include <cuda_runtime.h>

#include <cstdint>
#include <cub/device/device_scan.cuh>
#include <limits>

#include "concord/algorithms/look_and_say/cuda/places.cuh"
#include "concord/algorithms/look_and_say/cuda/run.cuh"
#include "concord/algorithms/look_and_say/cuda/steps.h"
#include "concord/backends/cuda/cub_calls.cuh"
#include "concord/backends/cuda/scratch.cuh"
#include "concord/core/errors.h"

namespace concord::look_and_say {
namespace {

constexpr char kWhere[] = "look_and_say/cuda/scan_compact";

// The article's numbers of places have 32 bits.
constexpr int64_t kMostPlaces = std::numeric_limits<int32_t>::max();

__global__ void SayAndFlag(const uint8_t* digits, int64_t size, bool decimal,
                           int32_t* places, int32_t* flags) {
  SayRunIntoPlaces(digits, size, decimal, [=](int64_t place, int symbol) {
    places[place] = symbol;
    flags[place] = symbol < 0 ? 0 : 1;
  });
}

__global__ void CopyFlagged(const int32_t* places, const int32_t* flags,
                            const int32_t* numbers, int64_t count,
                            uint8_t* said) {
  const int64_t place = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
  if (place < count && flags[place] != 0) {
    said[numbers[place] - 1] = static_cast<uint8_t>(places[place]);
  }
}

class ScanCompactStepper : public DeviceStepper {
 public:
  using DeviceStepper::DeviceStepper;

  absl::StatusOr<int64_t> Say(const DeviceStep& step) override {
    const int64_t count = 2 * step.size;
    if (count > kMostPlaces) {
      return ResourceExhaustedError(kWhere, " numbers up to ", kMostPlaces,
                                    " places, but a step of ", step.size,
                                    " digits needs ", count);
    }
    absl::Status status = arrays_.Reserve<int32_t>(3 * count);
    if (!status.ok()) return status;
    auto* const places = arrays_.data<int32_t>();
    int32_t* const flags = places + count;
    int32_t* const numbers = flags + count;
    status = QueueKernel(
        *backend_, kWhere, SayAndFlag, PlaceShape(step.size), step.digits,
        step.size, step.counts == LookAndSay::Counts::kDecimal, places, flags);
    status.Update(
        RunCub(scan_memory_, kWhere, [&](void* memory, std::size_t& bytes) {
          return cub::DeviceScan::InclusiveSum(memory, bytes, flags, numbers,
                                               count, backend_->stream());
        }));
    status.Update(QueueKernel(*backend_, kWhere, CopyFlagged, PlaceShape(count),
                              places, flags, numbers, count, step.said));
    if (!status.ok()) return status;
    int32_t said_size = 0;
    status = backend_->Copy(
        ConstArrayView(numbers + count - 1, 1, backend_->memory()),
        ArrayView(absl::MakeSpan(&said_size, 1)));
    if (!status.ok()) return status;
    return said_size;
  }

 private:
  Scratch arrays_{backend_};
  Scratch scan_memory_{backend_};
};

const bool kRegistered = RegisterOnCuda<LookAndSayBySteps<ScanCompactStepper>>(
    "scan_compact", /*rank=*/5,
    "flags, an inclusive scan and a copy, as the article's second",
    Contract()
        .Types({ElementType::kUInt8})
        .AtMost(kMostPlaces / 2)
        .Boundaries({kPlaceThreads})
        .Notes("steps of up to 2^30 digits; a thread goes through each run "
               "alone: long runs are slow"));

}  // namespace
}  // namespace concord::look_and_say
