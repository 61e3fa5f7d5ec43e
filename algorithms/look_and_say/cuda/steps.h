// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_LOOK_AND_SAY_CUDA_STEPS_H_
#define CONCORD_ALGORITHMS_LOOK_AND_SAY_CUDA_STEPS_H_

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "concord/algorithms/look_and_say/look_and_say.h"
#include "concord/algorithms/look_and_say/look_and_say_atoms.h"
#include "concord/backends/cuda/cuda_backend.h"

namespace concord::look_and_say {

// What a step works on; both arrays are on the device.
struct DeviceStep {
  const std::uint8_t* digits;
  std::int64_t size;
  LookAndSay::Counts counts;
  // Has room for all that is said, which is at most twice as long.
  std::uint8_t* said;
  // How many digits it will be, where that is known; -1 where it is not.
  std::int64_t said_size;
};

// One way to make a step on the device.
class DeviceStepper {
 public:
  explicit DeviceStepper(std::shared_ptr<CudaBackend> backend)
      : backend_(std::move(backend)) {}
  virtual ~DeviceStepper() = default;

  // Enqueues the step. Where the size was not known, waits for it and returns
  // it.
  virtual absl::StatusOr<std::int64_t> Say(const DeviceStep& step) = 0;

 protected:
  const std::shared_ptr<CudaBackend> backend_;
};

// By decoupled look-back, one launch for a step; also for inputs that are no
// case for cuda/atoms.
std::unique_ptr<DeviceStepper> NewLookbackStepper(
    std::shared_ptr<CudaBackend> backend);

// Makes all steps, with any stepper. Of short inputs the sizes of all steps are
// worked out beforehand, by their atoms, so that the host need not wait for
// each of them.
class DeviceSteps {
 public:
  DeviceSteps(std::shared_ptr<CudaBackend> backend,
              std::unique_ptr<DeviceStepper> stepper)
      : backend_(std::move(backend)), stepper_(std::move(stepper)) {}

  // The arguments are checked. `name`, the implementation's, is for errors.
  absl::Status Write(ConstArrayView in, ArrayView out,
                     const LookAndSay::Options& options,
                     absl::string_view name);

 private:
  absl::StatusOr<std::vector<std::int64_t>> KnownSizes(
      ConstArrayView in, const LookAndSay::Options& options,
      absl::string_view name);

  std::shared_ptr<CudaBackend> backend_;
  std::unique_ptr<DeviceStepper> stepper_;
  AtomTable decimal_{LookAndSay::Counts::kDecimal};
  AtomTable symbol_{LookAndSay::Counts::kSymbol};
  // Input and result of a step, by turns.
  Array buffers_[2];
};

// Writes the part of a whole result on the device that is asked for, or its
// length.
absl::Status WritePartOnDevice(CudaBackend& backend, ConstArrayView result,
                               ArrayView out,
                               const LookAndSay::Options& options);

// WriteLength for an array on the device.
absl::Status WriteLengthOnDevice(CudaBackend& backend,
                                 absl::string_view decimal, ArrayView out);

}  // namespace concord::look_and_say

#endif  // CONCORD_ALGORITHMS_LOOK_AND_SAY_CUDA_STEPS_H_
