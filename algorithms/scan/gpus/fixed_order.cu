// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The scan in the order of scan.h on a group's arrays: that of
// cuda/fixed_order, on one member. It keeps the promise that a scan with
// defined bits is there on every backend; the others of the group wait.

#include <memory>

#include "concord/algorithms/scan/cuda/run.cuh"
#include "concord/algorithms/scan/scan.h"
#include "concord/backends/gpus/on_gpus.cuh"
#include "concord/core/errors.h"

namespace concord::scan {
namespace {

class ScanFixedOrder : public OnGpus<Scan> {
 public:
  using OnGpus<Scan>::OnGpus;

 protected:
  absl::Status Compute(ConstArrayView in, ArrayView out,
                       const Options& options) override {
    if (on_one_member_ == nullptr) {
      ASSIGN_OR_RETURN(
          on_one_member_,
          Registry<Scan>::Get().Create(backend()->stand_in(), "fixed_order"));
    }
    return on_one_member_->Run(in, out, options);
  }

 private:
  std::unique_ptr<Scan> on_one_member_;
};

const bool kRegistered = RegisterOnGpus<ScanFixedOrder>(
    "fixed_order", /*rank=*/5, "that of cuda, on one member",
    ScanContract(Determinism::kBitwiseAcrossBackends, kOrderOfDefinition)
        .Notes("one GPU reads and writes all members' memory"));

}  // namespace
}  // namespace concord::scan
