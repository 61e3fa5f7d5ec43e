// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The frames with words of 64 bits, by themselves: the machine takes long to
// compile.

#include "concord/algorithms/sequence/interpreted/kernels.cuh"

namespace concord::sequence {

template absl::Status LaunchFrame<std::uint64_t>(const CudaBackend&,
                                                 const Arrays&,
                                                 const FrameCall&,
                                                 const SlotRoom&, std::int64_t);

}  // namespace concord::sequence
