// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_TENSOR_SKETCH_ALPHABET_H_
#define CONCORD_ALGORITHMS_TENSOR_SKETCH_ALPHABET_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace concord::tensor_sketch {

// Ok when the alphabet consists of 1 to 256 different letters; upper and lower
// case are the same letter.
absl::Status CheckAlphabet(absl::string_view alphabet);

// "'N'", "the byte 0x07"
std::string DescribeByte(char c);

}  // namespace concord::tensor_sketch

#endif  // CONCORD_ALGORITHMS_TENSOR_SKETCH_ALPHABET_H_
