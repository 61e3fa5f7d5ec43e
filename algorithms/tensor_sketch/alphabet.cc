// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/algorithms/tensor_sketch/alphabet.h"

#include <cstring>

#include "absl/strings/ascii.h"
#include "absl/strings/str_format.h"
#include "concord/core/errors.h"

namespace concord::tensor_sketch {

absl::Status CheckAlphabet(absl::string_view alphabet) {
  if (alphabet.empty()) {
    return absl::InvalidArgumentError("the alphabet has no letters");
  }
  for (std::size_t i = 0; i < alphabet.size(); ++i) {
    const char c = alphabet[i];
    if (!absl::ascii_isgraph(static_cast<unsigned char>(c)) ||
        std::strchr(">@+", c) != nullptr) {
      return InvalidArgumentError(
          DescribeByte(c), " cannot be a letter of the alphabet ", alphabet);
    }
    for (std::size_t j = 0; j < i; ++j) {
      if (absl::ascii_toupper(alphabet[j]) == absl::ascii_toupper(c)) {
        return InvalidArgumentError(DescribeByte(c),
                                    " stands twice in the alphabet ", alphabet);
      }
    }
  }
  return absl::OkStatus();
}

std::string DescribeByte(char c) {
  if (absl::ascii_isprint(static_cast<unsigned char>(c))) {
    return absl::StrFormat("'%c'", c);
  }
  return absl::StrFormat("the byte 0x%02x", static_cast<unsigned char>(c));
}

}  // namespace concord::tensor_sketch
