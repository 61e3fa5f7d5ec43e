// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The suite as an algorithm's own test instantiates it, on an algorithm that
// needs no kernels. Its planted faults are the test of the engine.

#include "concord/testing/support/differential.h"

#include "concord/testing/support/fake_algorithm.h"

namespace concord {
const bool kDifferential = AddDifferentialSuite(FakeDifference::kName);

}  // namespace concord
