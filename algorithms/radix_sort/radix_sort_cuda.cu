// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The default on GPUs: Onesweep (A. Adinets, D. Merrill, 2022). One launch
// reads the keys and counts all digits; then each launch sorts by one digit,
// from the lowest to the highest, reading and writing the elements once. Few
// elements are sorted by one block in one launch.

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>

#include "algorithms/radix_sort/radix_sort.h"
#include "algorithms/radix_sort/radix_sort_cuda_arrays.cuh"
#include "algorithms/radix_sort/radix_sort_cuda_onesweep.cuh"
#include "backends/cuda/cuda_backend.h"
#include "core/registry.h"

namespace concord {
namespace {

class RadixSortOnesweep : public RadixSort {
 public:
  explicit RadixSortOnesweep(std::shared_ptr<Backend> backend)
      : backend_(AsCuda(std::move(backend))), scratch_(backend_) {}

  absl::Status Run(ConstArrayView keys_in, ConstArrayView values_in,
                   ArrayView keys_out, ArrayView values_out,
                   const Options& options) override {
    absl::Status status = CheckRadixSortArguments(
        keys_in, values_in, keys_out, values_out, options, backend_->memory(),
        "radix_sort/cuda/onesweep");
    if (!status.ok() || keys_in.empty()) return status;
    status = backend_->Activate();
    if (!status.ok()) return status;
    const OnesweepCall call = {keys_in, values_in, keys_out, values_out,
                               options};
    return DispatchValueWidth(values_out, [&](auto value) {
      return RunOnesweep<decltype(value)>(call, *backend_, scratch_);
    });
  }

 private:
  std::shared_ptr<CudaBackend> backend_;
  OnesweepScratch scratch_;
};

Contract MakeContract() {
  Contract contract;
  contract.max_size = kMostOnesweepElements;
  contract.special_values =
      "IEEE 754 total order: -NaN < -inf < ... < -0.0 < +0.0 < ... < +inf < "
      "+NaN, NaNs by payload; all bits are kept";
  contract.boundaries = {kTileElements,
                         PassPolicyFor<uint32_t, NoValue>::type::kTile,
                         PassPolicyFor<uint64_t, NoValue>::type::kTile,
                         PassPolicyFor<uint32_t, uint32_t>::type::kTile,
                         PassPolicyFor<uint64_t, uint32_t>::type::kTile,
                         PassPolicyFor<uint32_t, uint64_t>::type::kTile};
  contract.notes = "keeps memory of the size of the input between calls";
  return contract;
}

const bool kRegistered = Registry<RadixSort>::Get().Add(
    "cuda", "onesweep", /*rank=*/10,
    "8 bits a pass, which reads and writes each element once", MakeContract(),
    [](std::shared_ptr<Backend> backend) {
      return std::make_unique<RadixSortOnesweep>(std::move(backend));
    });

}  // namespace
}  // namespace concord
