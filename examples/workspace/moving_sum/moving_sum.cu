// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/backends/cuda/on_cuda.cuh"
#include "core/array.h"
#include "moving_sum/moving_sum.h"

namespace example {
namespace {

constexpr int kThreads = 256;

template <typename T>
__global__ void SumWindows(const T* in, T* out, std::int64_t n,
                           std::int64_t window) {
  const std::int64_t i = std::int64_t{blockIdx.x} * kThreads + threadIdx.x;
  if (i >= n) return;
  std::uint64_t sum = 0;
  for (std::int64_t k = FirstOf(window, i); k <= i; ++k) {
    sum += static_cast<std::uint64_t>(in[k]);
  }
  out[i] = static_cast<T>(sum);
}

// A thread for each result.
class MovingSumCuda : public concord::OnCuda<MovingSum::Interface> {
 public:
  using OnCuda::OnCuda;

  absl::Status Compute(concord::ConstArrayView in, concord::ArrayView out,
                       const Options& options) override {
    if (in.empty()) return absl::OkStatus();
    return concord::Dispatch(in.type(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      const std::int64_t blocks = (in.size() + kThreads - 1) / kThreads;
      return Queue(SumWindows<T>, {blocks, kThreads}, in.data<T>(),
                   out.data<T>(), in.size(), options.window);
    });
  }
};

const bool kRegistered = concord::RegisterOnCuda<MovingSumCuda>(
    "direct", /*rank=*/10, "a thread for each window",
    concord::Contract().Boundaries({kThreads}));

}  // namespace
}  // namespace example
