// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// CUB's reduction, the peer that every other CUDA implementation is measured
// against. Its order of float operations is its own.

#include <cuda_runtime.h>

#include <cstdint>
#include <cub/device/device_reduce.cuh>
#include <memory>
#include <utility>

#include "concord/algorithms/reduce/cuda/run.cuh"
#include "concord/backends/cuda/cub_operators.cuh"
#include "concord/backends/cuda/cuda_status.h"
#include "concord/core/registry.h"

namespace concord::reduce {
namespace {

class ReduceCub : public ReduceOnCuda<ReduceCub> {
 public:
  explicit ReduceCub(std::shared_ptr<Backend> backend)
      : ReduceOnCuda(std::move(backend), "reduce/cuda/cub") {}

  template <typename Op>
  absl::Status Launch(ConstArrayView in, ArrayView out) {
    using T = typename Op::Element;
    // With scratch == nullptr, only sets `bytes`.
    const auto reduce = [&](void* scratch, std::size_t& bytes) {
      return CudaStatus(
          cub::DeviceReduce::Reduce(
              scratch, bytes, in.data<T>(), CubOutput(out.data<T>()), in.size(),
              CubOperator<Op>(), in.empty() ? Op::Empty() : Op::Identity(),
              stream()),
          name());
    };
    std::size_t bytes = 0;
    absl::Status status = reduce(nullptr, bytes);
    if (status.ok()) {
      status = scratch().Reserve(static_cast<std::int64_t>(bytes));
    }
    return status.ok() ? reduce(scratch().data(), bytes) : status;
  }
};

Contract MakeContract() {
  Contract contract;
  contract.determinism = Determinism::kRunToRun;
  contract.special_values =
      "add, mul: IEEE 754 arithmetic in an order of CUB's; min, max: NaN if "
      "any is, -0.0 < +0.0";
  return contract;
}

const bool kRegistered = Registry<Reduce>::Get().Add(
    "cuda", "cub", /*rank=*/5, "DeviceReduce of CUB", MakeContract(),
    [](std::shared_ptr<Backend> backend) {
      return std::make_unique<ReduceCub>(std::move(backend));
    });

}  // namespace
}  // namespace concord::reduce
