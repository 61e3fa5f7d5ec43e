// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Stands in for mpi_backend.cc in a program that is built without MPI.

#include "concord/core/absent_backend.h"

namespace concord {
namespace {

const bool kRegistered = RegisterAbsentBackend(
    "mpi", /*rank=*/-5,
    "this program was built without MPI; install Open MPI (libopenmpi-dev, "
    "openmpi-bin) and build it again");

}  // namespace
}  // namespace concord
