// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_CYCLOSPECTRUM_SPEC_LAWS_H_
#define CONCORD_ALGORITHMS_CYCLOSPECTRUM_SPEC_LAWS_H_

#include <vector>

#include "concord/core/spec.h"

namespace concord::cyclospectrum {

// What is true of every spectrum, whoever computed it.
std::vector<Law> CyclospectrumLaws();

}  // namespace concord::cyclospectrum

#endif  // CONCORD_ALGORITHMS_CYCLOSPECTRUM_SPEC_LAWS_H_
