// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_MATCH_PARENS_SPEC_LAWS_H_
#define CONCORD_ALGORITHMS_MATCH_PARENS_SPEC_LAWS_H_

#include <vector>

#include "concord/core/spec.h"

namespace concord::match_parens {

// brute_force, concatenation, enclosure, mirror.
std::vector<Law> MatchParensLaws();

}  // namespace concord::match_parens

#endif  // CONCORD_ALGORITHMS_MATCH_PARENS_SPEC_LAWS_H_
