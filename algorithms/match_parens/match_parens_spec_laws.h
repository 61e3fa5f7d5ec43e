// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_MATCH_PARENS_MATCH_PARENS_SPEC_LAWS_H_
#define CONCORD_ALGORITHMS_MATCH_PARENS_MATCH_PARENS_SPEC_LAWS_H_

#include <vector>

#include "core/spec.h"

namespace concord {

// brute_force, concatenation, enclosure, mirror.
std::vector<Law> MatchParensLaws();

}  // namespace concord

#endif  // CONCORD_ALGORITHMS_MATCH_PARENS_MATCH_PARENS_SPEC_LAWS_H_
