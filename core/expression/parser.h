// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_CORE_EXPRESSION_PARSER_H_
#define CONCORD_CORE_EXPRESSION_PARSER_H_

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "concord/core/expression/function.h"
#include "concord/core/expression/token.h"
#include "concord/core/expression/value_type.h"

namespace concord::expression {

// Functions as text. README.md has the language; the grammar is
//
//   function := [ names '->' ] body
//   names    := name { ',' name } | '(' name { ',' name } ')'
//   operator := [ operands '->' ] body
//   operands := name ',' name | tuple ',' tuple     tuple := '(' names ')'
//   body     := '{' { name '=' value ';' } result '}'
//             | { name '=' value ';' } result
//   result   := value | '(' value { ',' value } ')'
//   value    := binary [ '?' value ':' value ]
//   binary   := unary { operator unary }            by levels (notation.h)
//   unary    := { '-' | '!' | '~' } primary
//   primary  := number | 'true' | 'false' | 'inf' | 'nan' | name | 'i'
//             | table '[' value ']' | '(' value ')'
//             | callable '(' value { ',' value } ')'
//
// Any text gives a function or an InvalidArgument with its line, its column and
// a caret (text_error.h), in time that grows as the text does.

// How deep parentheses, calls, indices and choices can be inside each other.
inline constexpr int kMostNesting = 200;

// A function of parameters of these types, which are called x, y, z, w if the
// text does not name them.
//
// Example:
//   absl::StatusOr<Function> f =
//       ParseFunction("d = x - y; d < 0 ? -d : d", {Type::kInt32,
//       Type::kInt32});
absl::StatusOr<Function> ParseFunction(absl::string_view text,
                                       absl::Span<const Type> types,
                                       absl::Span<const Table> tables = {});

// A function of two tuples of these types to a third: "a + b" of scalars, or
// "(s, m), (t, n) -> (s + t, min(m, s + n))". There is no index in it.
absl::StatusOr<Function> ParseOperator(absl::string_view text,
                                       absl::Span<const Type> types);

// Values of these types: "0", "(1, -inf)".
absl::StatusOr<std::vector<Word>> ParseConstants(absl::string_view text,
                                                 absl::Span<const Type> types);

// --- For texts of which functions are a part ---

struct FunctionForm {
  // What a text of this form may be: of these types, of two tuples of these
  // types, without parameters and index.
  static FunctionForm Map(std::vector<Type> types);
  static FunctionForm Operator(std::vector<Type> types);
  static FunctionForm Constants(std::vector<Type> types);

  std::vector<Type> parameters;
  // Without those whose names the parameters have.
  std::vector<Table> tables = {};
  // As many values in each of two tuples; 0 if there is no operator.
  std::size_t tuple_size = 0;
  bool has_index = false;
  // Of results, whose numbers may then be without a type; empty for any.
  std::vector<Type> results = {};
  // Whether "name = ..." is allowed in braces only.
  bool braces = false;
};

// The function that begins at the cursor, which then stands after it; nothing
// if the cursor has an error.
std::optional<Function> ParseFunctionAt(Cursor& cursor,
                                        const FunctionForm& form);

// The values of a function of the form Constants.
std::vector<Word> ValuesOf(const Function& constants);

}  // namespace concord::expression

#endif  // CONCORD_CORE_EXPRESSION_PARSER_H_
