// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/algorithms/radix_sort/cuda/cub.cuh"

namespace concord::radix_sort {
namespace {

class RadixSortCub : public RadixSortOnCuda {
 public:
  using RadixSortOnCuda::RadixSortOnCuda;

 private:
  absl::Status Sort(const RadixSortCall& call) override {
    return DispatchValueWidth(call.values_out, [&](auto value) {
      return RunCubSort<decltype(value)>(call, *backend(), memory_);
    });
  }

  CubScratch memory_{backend()};
};

const bool kRegistered = RegisterOnCuda<RadixSortCub>(
    "cub", /*rank=*/5, "DeviceRadixSort of CUB",
    RadixSortContract().Notes(
        "CUB takes -0.0 and +0.0 for equal, so it is given unsigned keys: all "
        "but unsigned keys in ascending order are mapped before and after, in "
        "passes of their own"));

}  // namespace
}  // namespace concord::radix_sort
