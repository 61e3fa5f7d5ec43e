// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_LOOK_AND_SAY_SPEC_LAWS_H_
#define CONCORD_ALGORITHMS_LOOK_AND_SAY_SPEC_LAWS_H_

#include <vector>

#include "concord/core/spec.h"

namespace concord::look_and_say {

// What is true of every look-and-say result, whoever computed it.
std::vector<Law> LookAndSayLaws();

}  // namespace concord::look_and_say

#endif  // CONCORD_ALGORITHMS_LOOK_AND_SAY_SPEC_LAWS_H_
