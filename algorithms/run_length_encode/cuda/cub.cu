// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// CUB's run-length encoding, the peer that every other CUDA implementation is
// measured against. It counts elements with an int.

#include <cstdint>
#include <cub/device/device_run_length_encode.cuh>
#include <limits>

#include "concord/algorithms/run_length_encode/cuda/run.cuh"
#include "concord/algorithms/run_length_encode/run_length_encode.h"
#include "concord/backends/cuda/cub_peer.cuh"

namespace concord::run_length_encode {
namespace {

constexpr std::int64_t kMaxSize = std::numeric_limits<int>::max();

class RunLengthEncodeCub : public RunLengthEncodeOnCuda<RunLengthEncodeCub> {
 public:
  using RunLengthEncodeOnCuda::RunLengthEncodeOnCuda;

  template <typename Word, typename Length>
  absl::Status Launch(ConstArrayView in, const Outputs& out) {
    if (in.size() > kMaxSize) {
      return absl::InvalidArgumentError(
          "run_length_encode/cuda/cub takes less than 2^31 elements");
    }
    return memory_.Run(name(), [&](void* memory, std::size_t& bytes) {
      return cub::DeviceRunLengthEncode::Encode(
          memory, bytes, in.data<Word>(), out.values.data<Word>(),
          out.lengths.data<Length>(), out.runs.data<std::int64_t>(),
          static_cast<int>(in.size()), stream());
    });
  }

 private:
  CubMemory memory_{backend()};
};

const bool kRegistered = RegisterOnCuda<RunLengthEncodeCub>(
    "cub", /*rank=*/5, "DeviceRunLengthEncode of CUB",
    Contract().AtMost(kMaxSize).SpecialValues(
        "floats are equal when their bits are"));

}  // namespace
}  // namespace concord::run_length_encode
