// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The kernels with words of 32 bits.

#include <cstdint>

#include "concord/algorithms/sequence/interpreted/launchers.cuh"

namespace concord::sequence {

template struct Launchers<std::uint32_t>;

}  // namespace concord::sequence
