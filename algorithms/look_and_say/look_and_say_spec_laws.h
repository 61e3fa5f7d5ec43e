// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_LOOK_AND_SAY_LOOK_AND_SAY_SPEC_LAWS_H_
#define CONCORD_ALGORITHMS_LOOK_AND_SAY_LOOK_AND_SAY_SPEC_LAWS_H_

#include <vector>

#include "core/spec.h"

namespace concord {

// What is true of every look-and-say result, whoever computed it.
std::vector<Law> LookAndSayLaws();

}  // namespace concord

#endif  // CONCORD_ALGORITHMS_LOOK_AND_SAY_LOOK_AND_SAY_SPEC_LAWS_H_
