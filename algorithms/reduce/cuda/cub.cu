// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// CUB's reduction, the peer that every other CUDA implementation is measured
// against. Its order of float operations is its own.

#include <cub/device/device_reduce.cuh>

#include "concord/algorithms/reduce/cuda/run.cuh"
#include "concord/backends/cuda/cub_operators.cuh"
#include "concord/backends/cuda/cub_peer.cuh"

namespace concord::reduce {
namespace {

class ReduceCub : public ReduceOnCuda<ReduceCub> {
 public:
  using ReduceOnCuda::ReduceOnCuda;

  template <typename Op>
  absl::Status Launch(ConstArrayView in, ArrayView out) {
    using T = typename Op::Element;
    const auto to = CubOutput(out.data<T>());
    return memory_.Run(name(), [&](void* memory, std::size_t& bytes) {
      return cub::DeviceReduce::Reduce(memory, bytes, in.data<T>(), to,
                                       in.size(), CubOperator<Op>(),
                                       Op::Identity(), stream());
    });
  }

 private:
  CubMemory memory_{backend()};
};

const bool kRegistered = RegisterOnCuda<ReduceCub>(
    "cub", /*rank=*/5, "DeviceReduce of CUB",
    Contract()
        .Determined(Determinism::kRunToRun)
        .SpecialValues("add, mul: IEEE 754 arithmetic in an order of CUB's; "
                       "min, max: NaN if any is, -0.0 < +0.0"));

}  // namespace
}  // namespace concord::reduce
