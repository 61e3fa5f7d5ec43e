// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// What a function is, one element at a time and plainly: the definition that
// everything which runs functions is compared with.

#ifndef CONCORD_CORE_EXPRESSION_EVALUATE_H_
#define CONCORD_CORE_EXPRESSION_EVALUATE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "concord/core/array.h"
#include "concord/core/expression/function.h"
#include "concord/core/expression/value_type.h"

namespace concord::expression {

// A read outside a table. It gives 0.
struct OutsideRead {
  int table;
  std::string index;  // in decimal digits
};

struct Evaluated {
  // Of the function's result types. A NaN is the quiet NaN.
  std::vector<Word> results;
  // The first one, in the order of nodes. All reads of a function count,
  // whether or not a choice takes what they give.
  std::optional<OutsideRead> outside;
};

// The results for one element: `arguments` are values of the parameters,
// `index` where the element stands, `tables` arrays in host memory of the
// function's tables. There must be as many as the function has, of its types.
Evaluated Evaluate(const Function& function, absl::Span<const Word> arguments,
                   std::int64_t index = 0,
                   absl::Span<const ConstArrayView> tables = {});

// The same for nodes that are not in canonical form.
Evaluated Evaluate(const Nodes& nodes, absl::Span<const Word> arguments,
                   std::int64_t index, absl::Span<const ConstArrayView> tables);

// For i = 0, ..., n - 1:  out[..][i] = function(columns[..][i]) at index i.
// Arrays are in host memory; an output may be exactly a column of its type, but
// must not overlap one otherwise. A bool column is uint8; what is not 0 is
// true, and true is written as 1.
//
// InvalidArgument: other numbers, types or sizes of arrays than the function
// has. OutOfRange names the first index at which a table was read outside; all
// results are there, too.
absl::Status EvaluateColumns(const Function& function, std::int64_t n,
                             absl::Span<const ConstArrayView> columns,
                             absl::Span<const ConstArrayView> tables,
                             absl::Span<const ArrayView> out);

// A value of a column, and into one: bools are uint8.
Word LoadValue(Type type, const void* elements, std::int64_t index);
void StoreValue(Type type, void* elements, std::int64_t index, Word value);

}  // namespace concord::expression

#endif  // CONCORD_CORE_EXPRESSION_EVALUATE_H_
