// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_BACKENDS_CUDA_NVRTC_PRINTER_VERSION_H_
#define CONCORD_BACKENDS_CUDA_NVRTC_PRINTER_VERSION_H_

#include "absl/strings/string_view.h"

namespace concord::nvrtc {

// The SHA-256 of this folder's sources, which print functions and make bodies
// of what NVRTC gives. It was computed when they were compiled.
absl::string_view PrinterVersion();

}  // namespace concord::nvrtc

#endif  // CONCORD_BACKENDS_CUDA_NVRTC_PRINTER_VERSION_H_
