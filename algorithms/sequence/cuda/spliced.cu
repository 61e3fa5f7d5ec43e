// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The passes of the program's plan (plan.h), in kernels into which the driver's
// compiler has put the program's functions (spliced/pass.h). Scans of a column
// by built-in operators are those of `scan`.

#include <memory>
#include <utility>

#include "concord/algorithms/sequence/cuda/pass_splicer.h"
#include "concord/algorithms/sequence/cuda/sequence_on_cuda.cuh"
#include "concord/algorithms/sequence/spliced/pass.h"
#include "concord/core/errors.h"
#include "concord/core/expression/parser.h"

namespace concord::sequence {
namespace {

// Tries the smallest kernel, which the cache on the disk has from then on.
Requirement SplicingRequirement() {
  return {
      "compute capability 8.0 or later, and a driver with its compiler "
      "(libnvidia-ptxjitcompiler.so.1) that is not older than the CUDA toolkit "
      "of this program",
      [](Backend& backend) {
        const std::shared_ptr<CudaBackend> not_owned(
            std::shared_ptr<void>(), static_cast<CudaBackend*>(&backend));
        absl::StatusOr<expression::Function> same =
            expression::ParseFunction("x", {expression::Type::kInt32});
        return same.ok() && SplicedPass::Map(not_owned, *std::move(same)).ok();
      }};
}

const bool kRegistered = RegisterOnCuda<SequenceOnCuda<PassSplicer>>(
    "spliced", /*rank=*/10,
    "fused passes, in kernels that the driver compiles with the functions in "
    "them",
    SequenceContract().Keeps(
        "the passes of the last 32 programs, which the first call of each "
        "compiles, unless Sequence::Prepare has"),
    SplicingRequirement());

}  // namespace
}  // namespace concord::sequence
