// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Thrust's stable sorts. Keys alone are sorted directly; for a range of bits,
// and with values, the bits to sort by are sorted together with the positions,
// by which keys and values are then fetched.

#include <cuda_runtime.h>
#include <thrust/execution_policy.h>
#include <thrust/sort.h>

#include <cstdint>
#include <memory>
#include <utility>

#include "algorithms/radix_sort/radix_sort.h"
#include "algorithms/radix_sort/radix_sort_cuda_arrays.cuh"
#include "algorithms/radix_sort/radix_sort_cuda_map.cuh"
#include "backends/cuda/cuda_backend.h"
#include "backends/cuda/cuda_status.h"
#include "backends/cuda/scratch.cuh"
#include "backends/cuda/thrust_calls.cuh"
#include "core/registry.h"

namespace concord {
namespace {

using Bits = uint32_t;

// Positions take 32 bits.
constexpr int64_t kMostElements = (int64_t{1} << 32) - 1;

class RadixSortThrust : public RadixSort {
 public:
  explicit RadixSortThrust(std::shared_ptr<Backend> backend)
      : backend_(AsCuda(std::move(backend))),
        ranks_(backend_),
        positions_(backend_) {}

  absl::Status Run(ConstArrayView keys_in, ConstArrayView values_in,
                   ArrayView keys_out, ArrayView values_out,
                   const Options& options) override {
    absl::Status status = CheckRadixSortArguments(
        keys_in, values_in, keys_out, values_out, options, backend_->memory(),
        "radix_sort/cuda/thrust");
    if (!status.ok() || keys_in.empty()) return status;
    if (SizeOf(keys_in.type()) != sizeof(Bits) ||
        keys_in.size() > kMostElements) {
      return absl::InvalidArgumentError(
          "radix_sort/cuda/thrust is for fewer than 2^32 keys of 4 bytes");
    }
    status = backend_->Activate();
    if (!status.ok()) return status;
    absl::Status sorted;
    status = ThrustStatus("radix_sort/cuda/thrust", [&] {
      sorted = Sort(keys_in, values_in, keys_out, values_out, options);
    });
    status.Update(sorted);
    return status.ok() ? LaunchStatus("radix_sort/cuda/thrust") : status;
  }

 private:
  absl::Status Sort(ConstArrayView keys_in, ConstArrayView values_in,
                    ArrayView keys_out, ArrayView values_out,
                    const Options& options) {
    const int64_t n = keys_in.size();
    const KeyMap<Bits> map =
        KeyMapOf<Bits>(keys_in.type(), options.order == Order::kDescending);
    const RadixSortBits bits = RadixSortBitsOf(options, keys_in.type());
    const Bits* const keys = keys_in.data<Bits>();
    Bits* const out = keys_out.data<Bits>();
    const auto policy = thrust::cuda::par.on(backend_->stream());
    if (values_out.empty() && bits.first == 0 && bits.end == 32) {
      MapKeys(*backend_, keys, out, n, map);
      thrust::stable_sort(policy, out, out + n);
      UnmapKeys(*backend_, out, out, n, map);
      return absl::OkStatus();
    }

    absl::Status status = ranks_.Reserve(n * int64_t{sizeof(Bits)});
    if (status.ok()) status = positions_.Reserve(n * int64_t{sizeof(uint32_t)});
    if (!status.ok()) return status;
    auto* const ranks = reinterpret_cast<Bits*>(ranks_.data());
    auto* const positions = reinterpret_cast<uint32_t*>(positions_.data());
    // Up to all 32 bits, and down to none.
    const uint64_t range = ((uint64_t{1} << bits.end) - 1) >> bits.first
                                                                  << bits.first;
    MakeRanks(*backend_, keys, ranks, n, map, static_cast<Bits>(range));
    MakePositions(*backend_, positions, n);
    thrust::stable_sort_by_key(policy, ranks, ranks + n, positions);
    Gather(*backend_, keys, positions, out, n);
    DispatchValueWidth(values_out, [&](auto value) {
      using Value = decltype(value);
      if constexpr (kHasValues<Value>) {
        // With argsort there are none: the positions are the values.
        const Value* const values =
            options.argsort ? nullptr : values_in.data<Value>();
        Gather(*backend_, values, positions, values_out.data<Value>(), n);
      }
    });
    return absl::OkStatus();
  }

  std::shared_ptr<CudaBackend> backend_;
  Scratch ranks_;
  Scratch positions_;
};

Contract MakeContract() {
  Contract contract;
  // Others would take the compiler minutes and tell nothing that CUB does not.
  contract.element_types = {ElementType::kInt32, ElementType::kUInt32,
                            ElementType::kFloat32};
  contract.max_size = kMostElements;
  contract.special_values =
      "IEEE 754 total order: -NaN < -inf < ... < -0.0 < +0.0 < ... < +inf < "
      "+NaN, NaNs by payload; all bits are kept";
  contract.notes =
      "keys of 4 bytes only, to spare compiling; allocates and waits in every "
      "call";
  return contract;
}

const bool kRegistered = Registry<RadixSort>::Get().Add(
    "cuda", "thrust", /*rank=*/4,
    "stable_sort and stable_sort_by_key of Thrust", MakeContract(),
    [](std::shared_ptr<Backend> backend) {
      return std::make_unique<RadixSortThrust>(std::move(backend));
    });

}  // namespace
}  // namespace concord
