// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Stands in for gpus_backend.cu in a program that is built without CUDA.

#include "concord/backends/cuda/without_cuda.h"
#include "concord/core/absent_backend.h"

namespace concord {
namespace {

const bool kRegistered =
    RegisterAbsentBackend("gpus", /*rank=*/-10, kWithoutCuda);

}  // namespace
}  // namespace concord
