// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// What interpreted passes of every kind are made of.

#ifndef CONCORD_ALGORITHMS_SEQUENCE_INTERPRETED_CODE_ON_DEVICE_H_
#define CONCORD_ALGORITHMS_SEQUENCE_INTERPRETED_CODE_ON_DEVICE_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "concord/algorithms/sequence/interpreted/kernels.h"
#include "concord/backends/cuda/cuda_backend.h"
#include "concord/backends/cuda/interpreter/arrays.h"
#include "concord/backends/cuda/interpreter/encode.h"
#include "concord/backends/cuda/interpreter/machine_code.h"
#include "concord/core/array.h"
#include "concord/core/expression/function.h"

namespace concord::sequence {

// Steps in a device's memory.
class CodeOnDevice {
 public:
  static absl::StatusOr<CodeOnDevice> Create(CudaBackend& backend,
                                             std::vector<machine::Step> steps);

  const machine::Step* steps() const { return steps_.data<machine::Step>(); }

 private:
  explicit CodeOnDevice(Array steps) : steps_(std::move(steps)) {}

  Array steps_;
};

// Memory that grows, and is kept from call to call.
class DeviceScratch {
 public:
  absl::StatusOr<char*> Reserve(CudaBackend& backend, std::int64_t bytes);

 private:
  Array bytes_;
};

// Where so many slots of each thread go: into shared memory if there is room.
// `threads` of a block, or 0 if any number will do.
absl::StatusOr<SlotRoom> RoomFor(CudaBackend& backend, int slots, int threads,
                                 DeviceScratch& scratch);

// A function of columns, element by element, in a kernel of its own.
class InterpretedFunction {
 public:
  static absl::StatusOr<InterpretedFunction> Create(
      CudaBackend& backend, const expression::Function& function);

  // Elements [begin, end) of the arrays.
  absl::Status Launch(CudaBackend& backend, const machine::Arrays& arrays);

 private:
  InterpretedFunction(CodeOnDevice code, int slots, bool wide)
      : code_(std::move(code)), slots_(slots), wide_(wide) {}

  CodeOnDevice code_;
  int slots_;
  bool wide_;
  DeviceScratch scratch_;
};

}  // namespace concord::sequence

#endif  // CONCORD_ALGORITHMS_SEQUENCE_INTERPRETED_CODE_ON_DEVICE_H_
