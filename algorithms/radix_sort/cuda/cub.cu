// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include <cstdint>
#include <type_traits>

#include "absl/types/span.h"
#include "concord/algorithms/radix_sort/cuda/cub.cuh"

namespace concord::radix_sort {
namespace {

// On an H200 positions of 32 bits spare more than widening them costs from this
// size on: 2^20 uint32 take 94 us instead of 102, 2^18 73 instead of 65.
constexpr int64_t kLeastNarrowPositions = int64_t{1} << 20;

class RadixSortCub : public RadixSortOnCuda {
 public:
  using RadixSortOnCuda::RadixSortOnCuda;

 private:
  absl::Status Sort(const RadixSortCall& call) override {
    return DispatchValues(call, [&](auto value, auto out) {
      using Value = decltype(value);
      using Out = decltype(out);
      if constexpr (!std::is_same_v<Value, Out>) {
        if (call.keys_in.size() >= kLeastNarrowPositions) {
          return ArgsortNarrow(call);
        }
      }
      return RunCubSort<Out>(call, *backend(), memory_);
    });
  }

  // Sorts positions of 32 bits along, and widens them afterwards.
  absl::Status ArgsortNarrow(const RadixSortCall& call) {
    const int64_t n = call.keys_in.size();
    RETURN_IF_ERROR(positions_.Reserve<uint32_t>(n));
    const auto positions = absl::MakeSpan(positions_.data<uint32_t>(), n);
    RadixSortCall narrow = call;
    narrow.values_out = ArrayView(positions);
    RETURN_IF_ERROR(RunCubSort<uint32_t>(narrow, *backend(), memory_));
    return FetchByPosition<uint64_t>(*backend(), nullptr, positions.data(),
                                     call.values_out.data<uint64_t>(), n);
  }

  CubScratch memory_{backend()};
  Scratch positions_{backend()};
};

const bool kRegistered = RegisterOnCuda<RadixSortCub>(
    "cub", /*rank=*/5, "DeviceRadixSort of CUB",
    RadixSortContract()
        .Boundaries({kLeastNarrowPositions})
        .Notes("CUB takes -0.0 and +0.0 for equal, so it is given unsigned "
               "keys: all but unsigned keys in ascending order are mapped "
               "before and after, in passes of their own"));

}  // namespace
}  // namespace concord::radix_sort
