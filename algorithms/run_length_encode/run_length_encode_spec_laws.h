// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_RUN_LENGTH_ENCODE_RUN_LENGTH_ENCODE_SPEC_LAWS_H_
#define CONCORD_ALGORITHMS_RUN_LENGTH_ENCODE_RUN_LENGTH_ENCODE_SPEC_LAWS_H_

#include <vector>

#include "core/spec.h"

namespace concord {

// restoration, maximality, concatenation.
std::vector<Law> RunLengthEncodeLaws();

}  // namespace concord

#endif  // CONCORD_ALGORITHMS_RUN_LENGTH_ENCODE_RUN_LENGTH_ENCODE_SPEC_LAWS_H_
