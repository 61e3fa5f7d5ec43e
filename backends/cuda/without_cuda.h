// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_BACKENDS_CUDA_WITHOUT_CUDA_H_
#define CONCORD_BACKENDS_CUDA_WITHOUT_CUDA_H_

namespace concord {

// Why the backends of GPUs are not available in a program without them.
constexpr char kWithoutCuda[] =
    "this program was built without CUDA; install the CUDA toolkit and build "
    "it again";

}  // namespace concord

#endif  // CONCORD_BACKENDS_CUDA_WITHOUT_CUDA_H_
