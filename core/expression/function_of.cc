// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/core/expression/function_of.h"

#include <optional>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace concord::expression::function_of_internal {

absl::StatusOr<Function> Finish(const std::shared_ptr<Symbols>& symbols,
                                const std::vector<Expression>& results,
                                absl::Span<const Type> wanted) {
  Builder& builder = symbols->builder;
  std::vector<int> nodes;
  for (std::size_t k = 0; k < results.size(); ++k) {
    const Term term = results[k].TermIn(symbols);
    nodes.push_back(builder.Resolve(term, k < wanted.size()
                                              ? std::optional<Type>(wanted[k])
                                              : std::nullopt));
  }
  absl::StatusOr<Function> function = builder.Build(std::move(nodes));
  if (!function.ok() || wanted.empty()) return function;
  const std::vector<Type> types = function->ResultTypes();
  if (absl::MakeSpan(types) == wanted) return function;
  const auto names = [](absl::Span<const Type> list) {
    std::string text;
    for (Type type : list) {
      absl::StrAppend(&text, text.empty() ? "" : ", ", Name(type));
    }
    return text;
  };
  return absl::InvalidArgumentError(absl::StrCat(
      "an operator on (", names(wanted), ") gives (", names(types), ")"));
}

absl::Status WrongArity(const Scope& scope) {
  return absl::InvalidArgumentError(
      absl::StrCat("the lambda does not take ", scope.parameters.size(),
                   " values and ", scope.tables.size(), " tables"));
}

}  // namespace concord::expression::function_of_internal
