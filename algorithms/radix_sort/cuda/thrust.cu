// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Thrust's stable sorts. Keys alone are sorted directly; for a range of bits,
// and with values, the bits to sort by are sorted together with the positions,
// by which keys and values are then fetched.

#include <thrust/execution_policy.h>
#include <thrust/sort.h>

#include <cstdint>

#include "concord/algorithms/radix_sort/cuda/arrays.cuh"
#include "concord/algorithms/radix_sort/cuda/map.cuh"
#include "concord/algorithms/radix_sort/cuda/run.cuh"
#include "concord/algorithms/radix_sort/radix_sort.h"
#include "concord/backends/cuda/scratch.cuh"
#include "concord/backends/cuda/thrust_calls.cuh"
#include "concord/backends/cuda/thrust_memory.cuh"
#include "concord/core/errors.h"

namespace concord::radix_sort {
namespace {

using Bits = uint32_t;

// Positions take 32 bits.
constexpr int64_t kMostElements = (int64_t{1} << 32) - 1;

class RadixSortThrust : public RadixSortOnCuda {
 public:
  using RadixSortOnCuda::RadixSortOnCuda;

 private:
  absl::Status Sort(const RadixSortCall& call) override {
    if (SizeOf(call.keys_in.type()) != sizeof(Bits) ||
        call.keys_in.size() > kMostElements) {
      return absl::InvalidArgumentError(
          "radix_sort/cuda/thrust is for fewer than 2^32 keys of 4 bytes");
    }
    absl::Status sorted;
    absl::Status status =
        ThrustStatus(name(), [&] { sorted = SortByThrust(call); });
    status.Update(sorted);
    return status;
  }

  absl::Status SortByThrust(const RadixSortCall& call) {
    const auto& [keys_in, values_in, keys_out, values_out, options] = call;
    const int64_t n = keys_in.size();
    const KeyMap<Bits> map =
        KeyMapOf<Bits>(keys_in.type(), options.order == Order::kDescending);
    const RadixSortBits bits = RadixSortBitsOf(options, keys_in.type());
    const Bits* const keys = keys_in.data<Bits>();
    Bits* const out = keys_out.data<Bits>();
    if (values_out.empty() && bits.first == 0 && bits.end == 32) {
      RETURN_IF_ERROR(MapKeys(*backend(), keys, out, n, map));
      WithThrustPolicy(*backend(), [&](const auto& policy) {
        thrust::stable_sort(policy, out, out + n);
      });
      return UnmapKeys(*backend(), out, out, n, map);
    }

    absl::Status status = scratch().Reserve<Bits>(n);
    status.Update(positions_.Reserve<uint32_t>(n));
    if (!status.ok()) return status;
    auto* const ranks = scratch().data<Bits>();
    auto* const positions = positions_.data<uint32_t>();
    // Up to all 32 bits, and down to none.
    const uint64_t range = ((uint64_t{1} << bits.end) - 1) >> bits.first
                                                                  << bits.first;
    RETURN_IF_ERROR(
        MakeRanks(*backend(), keys, ranks, n, map, static_cast<Bits>(range)));
    RETURN_IF_ERROR(MakePositions(*backend(), positions, n));
    WithThrustPolicy(*backend(), [&](const auto& policy) {
      thrust::stable_sort_by_key(policy, ranks, ranks + n, positions);
    });
    status = FetchByPosition(*backend(), keys, positions, out, n);
    DispatchValueWidth(call.values_out, [&](auto value) {
      using Value = decltype(value);
      if constexpr (kHasValues<Value>) {
        // With argsort there are none: the positions are the values.
        const Value* const values =
            call.options.argsort ? nullptr : call.values_in.data<Value>();
        status.Update(FetchByPosition(*backend(), values, positions,
                                      call.values_out.data<Value>(), n));
      }
    });
    return status;
  }

  Scratch positions_{backend()};
};

const bool kRegistered = RegisterOnCuda<RadixSortThrust>(
    "thrust", /*rank=*/4, "stable_sort and stable_sort_by_key of Thrust",
    RadixSortContract()
        // Others would take the compiler minutes and tell nothing that CUB does
        // not.
        .Types(
            {ElementType::kInt32, ElementType::kUInt32, ElementType::kFloat32})
        .AtMost(kMostElements)
        .Notes("keys of 4 bytes only, to spare compiling; allocates in every "
               "call"));

}  // namespace
}  // namespace concord::radix_sort
