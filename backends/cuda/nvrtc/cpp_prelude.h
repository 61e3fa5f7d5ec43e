// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// What stands before printed functions.

#ifndef CONCORD_BACKENDS_CUDA_NVRTC_CPP_PRELUDE_H_
#define CONCORD_BACKENDS_CUDA_NVRTC_CPP_PRELUDE_H_

#include "absl/strings/string_view.h"

namespace concord::nvrtc {

// Types, and how values come and go.
absl::string_view CppValues();

// Every operation of core/expression/operations.h, with its bits. Stands behind
// CppValues.
absl::string_view CppOperations();

}  // namespace concord::nvrtc

#endif  // CONCORD_BACKENDS_CUDA_NVRTC_CPP_PRELUDE_H_
