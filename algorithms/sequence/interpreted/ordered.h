// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Interpreted passes by operators whose order is defined level by level
// (algorithms/sequence/order.h). A level is a function of the one before,
// element by element: of its elements 2 i and 2 i + 1.

#ifndef CONCORD_ALGORITHMS_SEQUENCE_INTERPRETED_ORDERED_H_
#define CONCORD_ALGORITHMS_SEQUENCE_INTERPRETED_ORDERED_H_

#include <memory>
#include <optional>

#include "absl/status/statusor.h"
#include "concord/algorithms/sequence/interpreted/pass.h"
#include "concord/algorithms/sequence/plan.h"
#include "concord/backends/cuda/cuda_backend.h"
#include "concord/core/expression/function.h"
#include "concord/core/expression/operator.h"

namespace concord::sequence {

// A reduction by an operator of the user's. Keeps the state of each row of 128
// elements.
absl::StatusOr<std::unique_ptr<InterpretedPass>> InterpretedFold(
    std::shared_ptr<CudaBackend> backend, const expression::Function& prologue,
    const expression::Operator& op,
    const std::optional<expression::Function>& epilogue);

// A scan. Keeps up to four times as much as the states of all elements.
absl::StatusOr<std::unique_ptr<InterpretedPass>> InterpretedScan(
    std::shared_ptr<CudaBackend> backend, const Pass& pass);

}  // namespace concord::sequence

#endif  // CONCORD_ALGORITHMS_SEQUENCE_INTERPRETED_ORDERED_H_
