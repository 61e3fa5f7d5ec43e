// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// A call like the last one need not wait for its input: the kernel gets what
// the input was then, compares, and writes nothing if it is another one now.
// The host is told at once, and reads the input then.

#ifndef CONCORD_ALGORITHMS_LOOK_AND_SAY_CUDA_SAME_INPUT_CUH_
#define CONCORD_ALGORITHMS_LOOK_AND_SAY_CUDA_SAME_INPUT_CUH_

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "concord/backends/cuda/cuda_backend.h"
#include "concord/backends/cuda/cuda_status.h"
#include "concord/core/array.h"
#include "concord/core/errors.h"

namespace concord::look_and_say {

// What an input is thought to be.
struct InputGuess {
  static constexpr int kMost = 128;

  const uint8_t* in;
  // Of the host, in memory that the device reaches; null: there is no doubt.
  uint32_t* answer;
  // Twice the number of the guess, to which the device adds whether it is
  // right.
  uint32_t question;
  int32_t size;
  uint8_t digits[kMost];
};

// Whether the guess is right. All threads of all blocks call it, which
// synchronises those of a block.
__device__ __forceinline__ bool IsRight(const InputGuess& guess) {
  if (guess.answer == nullptr) {
    __syncthreads();
    return true;
  }
  const auto i = static_cast<int32_t>(threadIdx.x);
  const bool is_right =
      __syncthreads_and(i >= guess.size || guess.in[i] == guess.digits[i]) != 0;
  if (blockIdx.x == 0 && i == 0) {
    *static_cast<volatile uint32_t*>(guess.answer) =
        guess.question + (is_right ? 1 : 0);
  }
  return is_right;
}

// Asks the device.
class InputGuesser {
 public:
  explicit InputGuesser(std::shared_ptr<CudaBackend> backend)
      : backend_(std::move(backend)) {}

  // The next guess is this one, and takes nothing but what is there now.
  absl::Status Remember(absl::Span<const uint8_t> digits) {
    Forget();
    if (digits.size() > InputGuess::kMost) return absl::OkStatus();
    if (answer_.size() == 0) {
      ASSIGN_OR_RETURN(answer_,
                       backend_->AllocateHost(ElementType::kUInt32, 1));
      guess_.answer = answer_.data<uint32_t>();
    }
    guess_.size = static_cast<int32_t>(digits.size());
    std::copy(digits.begin(), digits.end(), guess_.digits);
    return absl::OkStatus();
  }
  void Forget() { guess_.size = -1; }
  bool Fits(const ConstArrayView& in) const { return guess_.size == in.size(); }

  // For a kernel, after which IsRight is to be called.
  InputGuess About(const ConstArrayView& in) {
    guess_.in = in.data<uint8_t>();
    guess_.question += 2;
    *guess_.answer = guess_.question - 2;
    return guess_;
  }

  // Waits until the kernel has begun.
  absl::StatusOr<bool> IsRight() const {
    const volatile uint32_t* const answer = answer_.data<uint32_t>();
    for (int64_t turn = 1;; ++turn) {
      const uint32_t said = *answer - guess_.question;
      if (said <= 1) return said == 1;
      if (turn % kTurnsBetweenLooks != 0) continue;
      // A kernel that failed says nothing.
      const cudaError_t error = cudaStreamQuery(backend_->stream());
      if (error == cudaErrorNotReady) continue;
      RETURN_IF_ERROR(CudaStatus(error, "look_and_say/cuda/atoms"));
    }
  }

 private:
  static constexpr int64_t kTurnsBetweenLooks = int64_t{1} << 16;

  std::shared_ptr<CudaBackend> backend_;
  Array answer_;
  InputGuess guess_{nullptr, nullptr, 0, -1, {}};
};

}  // namespace concord::look_and_say

#endif  // CONCORD_ALGORITHMS_LOOK_AND_SAY_CUDA_SAME_INPUT_CUH_
