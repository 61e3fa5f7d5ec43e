// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The passes of the program's plan (plan.h), whose functions kernels of this
// program interpret (interpreted/pass.h): nothing is compiled at run time.
// Scans by built-in operators are those of `scan`.

#include "concord/algorithms/sequence/cuda/pass_interpreter.h"
#include "concord/algorithms/sequence/cuda/sequence_on_cuda.cuh"
#include "concord/algorithms/sequence/sequence_program.h"

namespace concord::sequence {
namespace {

// Tiles of 8 or 16 lanes for each of 64 to 256 threads.
const bool kRegistered = RegisterOnCuda<SequenceOnCuda<PassInterpreter>>(
    "interpreter", /*rank=*/5,
    "fused passes, whose functions are interpreted by kernels that were "
    "compiled before",
    SequenceContract()
        .Boundaries({512, 1024, 2048, 4096, 8192})
        .Keeps("the passes of the last 32 programs, which the first call of "
               "each makes"));

}  // namespace
}  // namespace concord::sequence
