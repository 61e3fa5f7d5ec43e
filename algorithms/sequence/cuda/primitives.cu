// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Nothing is fused: each stage of the program is a pass of its own, or several,
// which reads arrays and writes its result to an array, as a library of
// primitives would run it. Passes are those of `spliced`; scans of a column by
// built-in operators are those of `scan`, and sorts those of `radix_sort`. What
// the other variants are faster by is what fusion saves.

#include "concord/algorithms/sequence/cuda/pass_splicer.h"
#include "concord/algorithms/sequence/cuda/sequence_on_cuda.cuh"
#include "concord/algorithms/sequence/plan.h"
#include "concord/algorithms/sequence/sequence_program.h"

namespace concord::sequence {
namespace {

const bool kRegistered =
    RegisterOnCuda<SequenceOnCuda<PassSplicer, Fusion::kNone>>(
        "primitives", /*rank=*/2,
        "a pass for each stage, nothing fused: what fusion is compared with",
        SequenceContract()
            .Keeps("the passes of the last 32 programs, which the first call "
                   "of each compiles")
            .Notes("stores the result of every stage"),
        SplicingRequirement());

}  // namespace
}  // namespace concord::sequence
