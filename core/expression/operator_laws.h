// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_CORE_EXPRESSION_OPERATOR_LAWS_H_
#define CONCORD_CORE_EXPRESSION_OPERATOR_LAWS_H_

#include "absl/status/status.h"
#include "concord/core/expression/operator.h"

namespace concord::expression {

// Ok if the laws of operator.h held for all tuples that were tried, otherwise
// InvalidArgument with the first for which they did not. Numbers grow from
// trial to trial, so that is one of small numbers.
absl::Status TryLaws(const Operator& op);

}  // namespace concord::expression

#endif  // CONCORD_CORE_EXPRESSION_OPERATOR_LAWS_H_
