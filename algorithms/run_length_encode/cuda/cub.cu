// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// CUB's run-length encoding, the peer that every other CUDA implementation is
// measured against. It counts elements with an int.

#include <cuda_runtime.h>

#include <cstdint>
#include <cub/device/device_run_length_encode.cuh>
#include <limits>
#include <memory>
#include <utility>

#include "concord/algorithms/run_length_encode/run_length_encode.h"
#include "concord/algorithms/run_length_encode/cuda/run.cuh"
#include "concord/backends/cuda/cuda_status.h"
#include "concord/core/registry.h"

namespace concord::run_length_encode {
namespace {

constexpr std::int64_t kMaxSize = std::numeric_limits<int>::max();

class RunLengthEncodeCub : public RunLengthEncodeOnCuda<RunLengthEncodeCub> {
 public:
  explicit RunLengthEncodeCub(std::shared_ptr<Backend> backend)
      : RunLengthEncodeOnCuda(std::move(backend),
                              "run_length_encode/cuda/cub") {}

  template <typename Word, typename Length>
  absl::Status Launch(ConstArrayView in, const Outputs& out) {
    if (in.size() > kMaxSize) {
      return absl::InvalidArgumentError(
          "run_length_encode/cuda/cub takes less than 2^31 elements");
    }
    const auto encode = [&](void* scratch, std::size_t& bytes) {
      return CudaStatus(
          cub::DeviceRunLengthEncode::Encode(
              scratch, bytes, in.data<Word>(), out.values.data<Word>(),
              out.lengths.data<Length>(), out.runs.data<std::int64_t>(),
              static_cast<int>(in.size()), stream()),
          name());
    };
    std::size_t bytes = 0;
    absl::Status status = encode(nullptr, bytes);
    if (status.ok()) {
      status = scratch().Reserve(static_cast<std::int64_t>(bytes));
    }
    return status.ok() ? encode(scratch().data(), bytes) : status;
  }
};

Contract MakeContract() {
  Contract contract;
  contract.max_size = kMaxSize;
  contract.special_values = "floats are equal when their bits are";
  return contract;
}

const bool kRegistered = Registry<RunLengthEncode>::Get().Add(
    "cuda", "cub", /*rank=*/5, "DeviceRunLengthEncode of CUB", MakeContract(),
    [](std::shared_ptr<Backend> backend) {
      return std::make_unique<RunLengthEncodeCub>(std::move(backend));
    });

}  // namespace
}  // namespace concord::run_length_encode
