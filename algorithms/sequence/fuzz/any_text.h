// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_SEQUENCE_FUZZ_ANY_TEXT_H_
#define CONCORD_ALGORITHMS_SEQUENCE_FUZZ_ANY_TEXT_H_

#include <string>

#include "absl/strings/string_view.h"

namespace concord::sequence {

// What is wrong with how programs are made of texts, as this one shows; "" if
// nothing. It is an error that says where, or a program on the columns of
// RandomProgramColumns that stays the same when it is printed and parsed again,
// has a plan, and runs as far as that does not take long.
std::string ComplaintAbout(absl::string_view text);

}  // namespace concord::sequence

#endif  // CONCORD_ALGORITHMS_SEQUENCE_FUZZ_ANY_TEXT_H_
