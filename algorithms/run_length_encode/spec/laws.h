// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_RUN_LENGTH_ENCODE_SPEC_LAWS_H_
#define CONCORD_ALGORITHMS_RUN_LENGTH_ENCODE_SPEC_LAWS_H_

#include <vector>

#include "concord/core/spec.h"

namespace concord::run_length_encode {

// restoration, maximality, concatenation.
std::vector<Law> RunLengthEncodeLaws();

}  // namespace concord::run_length_encode

#endif  // CONCORD_ALGORITHMS_RUN_LENGTH_ENCODE_SPEC_LAWS_H_
