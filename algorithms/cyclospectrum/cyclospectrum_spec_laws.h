// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_CYCLOSPECTRUM_CYCLOSPECTRUM_SPEC_LAWS_H_
#define CONCORD_ALGORITHMS_CYCLOSPECTRUM_CYCLOSPECTRUM_SPEC_LAWS_H_

#include <vector>

#include "core/spec.h"

namespace concord {

// What is true of every spectrum, whoever computed it.
std::vector<Law> CyclospectrumLaws();

}  // namespace concord

#endif  // CONCORD_ALGORITHMS_CYCLOSPECTRUM_CYCLOSPECTRUM_SPEC_LAWS_H_
