// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include <memory>
#include <utility>

#include "algorithms/radix_sort/radix_sort_cuda_cub.cuh"
#include "core/registry.h"

namespace concord {
namespace {

class RadixSortCub : public RadixSort {
 public:
  explicit RadixSortCub(std::shared_ptr<Backend> backend)
      : backend_(AsCuda(std::move(backend))), scratch_(backend_) {}

  absl::Status Run(ConstArrayView keys_in, ConstArrayView values_in,
                   ArrayView keys_out, ArrayView values_out,
                   const Options& options) override {
    absl::Status status = CheckRadixSortArguments(
        keys_in, values_in, keys_out, values_out, options, backend_->memory(),
        "radix_sort/cuda/cub");
    if (!status.ok() || keys_in.empty()) return status;
    status = backend_->Activate();
    if (!status.ok()) return status;
    const CubCall call = {keys_in, values_in, keys_out, values_out, options};
    return DispatchValueWidth(values_out, [&](auto value) {
      return RunCub<decltype(value)>(call, *backend_, scratch_);
    });
  }

 private:
  std::shared_ptr<CudaBackend> backend_;
  CubScratch scratch_;
};

Contract MakeContract() {
  Contract contract;
  contract.special_values =
      "IEEE 754 total order: -NaN < -inf < ... < -0.0 < +0.0 < ... < +inf < "
      "+NaN, NaNs by payload; all bits are kept";
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
}  // namespace concord
