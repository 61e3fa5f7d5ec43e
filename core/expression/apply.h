// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_CORE_EXPRESSION_APPLY_H_
#define CONCORD_CORE_EXPRESSION_APPLY_H_

#include "concord/core/expression/operation.h"
#include "concord/core/expression/value_type.h"

namespace concord::expression {

// One operation of operations.h on operands that are known at run time only.
// `type` is that of the operands; of kSelect, of those that it chooses from.
// The operation must be for that type, and neither a leaf nor kCast nor
// kGather. Operands that it does not have are not looked at. A result that is
// a NaN is the quiet NaN.
Word Apply(Op op, Type type, Word a, Word b = 0, Word c = 0);

// `word`, a value of type `from`, as one of type `to`.
Word Cast(Type from, Type to, Word word);

}  // namespace concord::expression

#endif  // CONCORD_CORE_EXPRESSION_APPLY_H_
