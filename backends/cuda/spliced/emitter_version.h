// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_BACKENDS_CUDA_SPLICED_EMITTER_VERSION_H_
#define CONCORD_BACKENDS_CUDA_SPLICED_EMITTER_VERSION_H_

#include "absl/strings/string_view.h"

namespace concord::spliced {

// The SHA-256 of this folder's sources, which turn functions into PTX. It was
// computed when they were compiled.
absl::string_view EmitterVersion();

}  // namespace concord::spliced

#endif  // CONCORD_BACKENDS_CUDA_SPLICED_EMITTER_VERSION_H_
