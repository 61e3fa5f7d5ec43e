// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The passes of the program's plan (plan.h), in kernels into which the driver's
// compiler has put the program's functions (spliced/pass.h). Scans of a column
// by built-in operators are those of `scan`.

#include "concord/algorithms/sequence/cuda/pass_splicer.h"
#include "concord/algorithms/sequence/cuda/sequence_on_cuda.cuh"

namespace concord::sequence {
namespace {

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
