// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_SEQUENCE_SEQUENCE_H_
#define CONCORD_ALGORITHMS_SEQUENCE_SEQUENCE_H_

#include "concord/algorithms/sequence/sequence_program.h"

#endif  // CONCORD_ALGORITHMS_SEQUENCE_SEQUENCE_H_
