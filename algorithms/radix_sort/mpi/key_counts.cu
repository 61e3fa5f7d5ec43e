// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Where the keys of a rank's sorted stretch are cut, on its GPU: a thread
// searches for each number.

#include <cuda_runtime.h>

#include <cstdint>
#include <memory>
#include <utility>

#include "concord/algorithms/radix_sort/mpi/key_counts.h"
#include "concord/backends/cuda/cuda_backend.h"
#include "concord/backends/cuda/launch.cuh"
#include "concord/core/element_width.h"
#include "concord/core/errors.h"
#include "concord/core/registry.h"

namespace concord::radix_sort {
namespace {

constexpr int kThreads = 32;

template <typename Bits>
__global__ void CountEach(const Bits* keys, int64_t size, Digit<Bits> digit,
                          const uint64_t* than, int64_t* smaller,
                          int64_t count) {
  const int64_t i = int64_t{blockIdx.x} * kThreads + threadIdx.x;
  if (i < count) smaller[i] = CountSmaller(keys, size, digit, than[i]);
}

class KeyCountsOnCuda : public KeyCounts {
 public:
  explicit KeyCountsOnCuda(std::shared_ptr<Backend> backend)
      : backend_(AsCuda(std::move(backend))) {}

  absl::Status Reserve(std::int64_t count) override {
    if (count > than_.size()) {
      ASSIGN_OR_RETURN(than_, backend_->Allocate(ElementType::kUInt64, count));
    }
    if (count > smaller_.size()) {
      ASSIGN_OR_RETURN(smaller_,
                       backend_->Allocate(ElementType::kInt64, count));
    }
    return absl::OkStatus();
  }

  absl::Status Run(ConstArrayView keys, RadixSort::Order order,
                   const RadixSortBits& bits,
                   absl::Span<const std::uint64_t> than,
                   absl::Span<std::int64_t> smaller) override {
    if (than.empty()) return absl::OkStatus();
    RETURN_IF_ERROR(backend_->Activate());
    const auto count = static_cast<std::int64_t>(than.size());
    RETURN_IF_ERROR(
        backend_->Copy(ConstArrayView(than), than_.view().Slice(0, count)));
    RETURN_IF_ERROR(DispatchWidth(keys.type(), [&](auto width) {
      using Bits = decltype(width);
      const Digit<Bits> digit = {
          KeyMapOf<Bits>(keys.type(), order == RadixSort::Order::kDescending),
          bits};
      return QueueKernel(*backend_, kName, CountEach<Bits>,
                         {DivideUp(count, kThreads), kThreads},
                         keys.data<Bits>(), keys.size(), digit,
                         than_.data<std::uint64_t>(),
                         smaller_.data<std::int64_t>(), count);
    }));
    return backend_->Copy(smaller_.view().Slice(0, count), ArrayView(smaller));
  }

 private:
  const std::shared_ptr<CudaBackend> backend_;
  Array than_;
  Array smaller_;
};

const bool kCountsRegistered = Registry<KeyCounts>::Get().Add<KeyCountsOnCuda>(
    "cuda", "search", /*rank=*/10, "a thread searches for each number",
    Contract());

}  // namespace
}  // namespace concord::radix_sort
