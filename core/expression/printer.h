// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_CORE_EXPRESSION_PRINTER_H_
#define CONCORD_CORE_EXPRESSION_PRINTER_H_

#include <string>

#include "concord/core/expression/function.h"

namespace concord::expression {

// The function as text that is parsed as the same function, for its parameter
// types and tables: "x, y -> { v1 = x - y; v1 < 0 ? -v1 : v1 }". What is used
// more than once has a name, and so have parts of what would be long or deep.
// Equal functions with equal names give equal texts.
std::string ToText(const Function& function);

// An operator, that is a function of two tuples: "(s, m), (t, n) -> ...".
std::string OperatorToText(const Function& function);

}  // namespace concord::expression

#endif  // CONCORD_CORE_EXPRESSION_PRINTER_H_
