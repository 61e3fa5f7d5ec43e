// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include <memory>
#include <utility>

#include "concord/algorithms/radix_sort/cuda/cub.cuh"
#include "concord/core/registry.h"

namespace concord::radix_sort {
namespace {

class RadixSortCub : public RadixSortOnCuda {
 public:
  explicit RadixSortCub(std::shared_ptr<Backend> backend)
      : RadixSortOnCuda(std::move(backend), "radix_sort/cuda/cub"),
        memory_(this->backend()) {}

 private:
  absl::Status Sort(const RadixSortCall& call) override {
    return DispatchValueWidth(call.values_out, [&](auto value) {
      return RunCub<decltype(value)>(call, *backend(), memory_);
    });
  }

  CubScratch memory_;
};

Contract MakeContract() {
  Contract contract = RadixSortContract();
  contract.notes =
      "CUB takes -0.0 and +0.0 for equal, so it is given unsigned keys: all "
      "but unsigned keys in ascending order are mapped before and after, in "
      "passes of their own";
  return contract;
}

const bool kRegistered = Registry<RadixSort>::Get().Add(
    "cuda", "cub", /*rank=*/5, "DeviceRadixSort of CUB", MakeContract(),
    [](std::shared_ptr<Backend> backend) {
      return std::make_unique<RadixSortCub>(std::move(backend));
    });

}  // namespace
}  // namespace concord::radix_sort
