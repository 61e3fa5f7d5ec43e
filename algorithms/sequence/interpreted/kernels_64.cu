// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The kernels with words of 64 bits.

#include <cstdint>

#include "concord/algorithms/sequence/interpreted/launchers.cuh"

namespace concord::sequence {

template struct Launchers<std::uint64_t>;

}  // namespace concord::sequence
