// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Which template a pass's functions go into.

#ifndef CONCORD_ALGORITHMS_SEQUENCE_SPLICED_PASS_TEMPLATE_H_
#define CONCORD_ALGORITHMS_SEQUENCE_SPLICED_PASS_TEMPLATE_H_

#include <optional>
#include <string>

#include "concord/algorithms/sequence/plan.h"
#include "concord/backends/cuda/cuda_backend.h"
#include "concord/backends/cuda/spliced/spliced_module.h"
#include "concord/core/expression/function.h"
#include "concord/core/expression/operator.h"

namespace concord::sequence {

// Whether what comes of it depends on the order, of a built-in operator.
bool OrderMatters(const expression::Operator& op);
// Whether a reduction by it is that of `reduce`, and no fold.
bool IsTree(const expression::Operator& op);
bool FilterRunsOnPipeline(const CudaBackend& backend,
                          const expression::Function& function);
bool ScanRunsOnPipeline(const CudaBackend& backend,
                        const expression::Function& prologue,
                        const expression::Operator& op,
                        const std::optional<expression::Function>& epilogue);
// Of elements, for each thread of a map.
int MapGroups(const expression::Function& function);

spliced::PassTemplate TemplateOfMap(const expression::Function& function);
spliced::PassTemplate TemplateOfReduce(const expression::Operator& op);
spliced::PassTemplate TemplateOfFilter(const CudaBackend& backend,
                                       const expression::Function& function);
spliced::PassTemplate TemplateOfScan(
    const CudaBackend& backend, const expression::Function& prologue,
    const expression::Operator& op,
    const std::optional<expression::Function>& epilogue);

// The name (templates.h) of that of a plan's pass; "" where it has no
// functions.
std::string TemplateNameOf(const CudaBackend& backend, const Pass& pass);

}  // namespace concord::sequence

#endif  // CONCORD_ALGORITHMS_SEQUENCE_SPLICED_PASS_TEMPLATE_H_
