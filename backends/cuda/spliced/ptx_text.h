// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_BACKENDS_CUDA_SPLICED_PTX_TEXT_H_
#define CONCORD_BACKENDS_CUDA_SPLICED_PTX_TEXT_H_

#include "absl/strings/string_view.h"

namespace concord::spliced {

// Kernels that this program carries, and what stands for them in keys: their
// SHA-256, in hexadecimal digits. Both are empty where there are none.
struct PtxText {
  absl::string_view ptx;
  absl::string_view sha256;
};

}  // namespace concord::spliced

#endif  // CONCORD_BACKENDS_CUDA_SPLICED_PTX_TEXT_H_
