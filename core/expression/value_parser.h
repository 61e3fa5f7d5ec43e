// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_CORE_EXPRESSION_VALUE_PARSER_H_
#define CONCORD_CORE_EXPRESSION_VALUE_PARSER_H_

#include <map>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "concord/core/expression/builder.h"
#include "concord/core/expression/token.h"

namespace concord::expression {

// The part of the parser below functions: values, and names for them. Recursive
// only where the text is nested, and that is limited.
class ValueParser {
 public:
  // Both must outlive it.
  ValueParser(Cursor* cursor, Builder* builder)
      : cursor_(*cursor), builder_(*builder) {}

  // Makes the name stand for the value; an error at `place` if it cannot.
  void Declare(absl::string_view name, std::size_t place, Term value);

  Term Value();

 private:
  Term Binary(int level);
  Term Unary();
  Term Primary();
  Term Named();
  Term Call(const Token& name);
  Term Gather(const Token& name, int table);
  // -1 if the name is none of a table.
  int TableNamed(absl::string_view name) const;
  std::string KnownNames() const;
  Term Fail(std::size_t place, std::string message);

  Cursor& cursor_;
  Builder& builder_;
  std::map<std::string, Term, std::less<>> names_;
  int depth_ = 0;
};

}  // namespace concord::expression

#endif  // CONCORD_CORE_EXPRESSION_VALUE_PARSER_H_
