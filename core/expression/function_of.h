// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_CORE_EXPRESSION_FUNCTION_OF_H_
#define CONCORD_CORE_EXPRESSION_FUNCTION_OF_H_

#include <cstddef>
#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "concord/core/expression/expression.h"
#include "concord/core/expression/function.h"
#include "concord/core/expression/value_type.h"
#include "concord/core/guarded.h"

namespace concord::expression {
namespace function_of_internal {

inline std::vector<Expression> Results(std::vector<Expression> results) {
  return results;
}
inline std::vector<Expression> Results(Expression result) {
  return {std::move(result)};
}
// A tuple, a pair or an array.
template <typename Tuple, typename = decltype(std::tuple_size<Tuple>::value)>
std::vector<Expression> Results(const Tuple& tuple) {
  return std::apply(
      [](const auto&... results) {
        return std::vector<Expression>{Expression(results)...};
      },
      tuple);
}

template <std::size_t>
using ExpressionAt = Expression;
template <std::size_t>
using TableAt = TableSymbol;

// Calls f with as many symbols as the scope has; f takes kParameters and
// kTables of them.
template <typename F, std::size_t... p, std::size_t... t>
std::vector<Expression> CallWith(const std::shared_ptr<Symbols>& symbols, F& f,
                                 std::index_sequence<p...>,
                                 std::index_sequence<t...>) {
  return Results(
      f(Expression(symbols, symbols->builder.Parameter(static_cast<int>(p)))...,
        TableSymbol(symbols, static_cast<int>(t))...));
}

template <typename F, std::size_t... p, std::size_t... t>
constexpr bool Takes(std::index_sequence<p...>, std::index_sequence<t...>) {
  return std::is_invocable_v<F&, ExpressionAt<p>..., TableAt<t>...>;
}

inline constexpr std::size_t kMostSymbols = 16;
inline constexpr std::size_t kMostTableSymbols = 4;

// Whether f takes values only. Asked first, because a lambda that takes
// anything may not compile with a table.
template <typename F, std::size_t... n>
constexpr bool TakesValuesOnly(std::index_sequence<n...>) {
  return (Takes<F>(std::make_index_sequence<n>(), std::index_sequence<>()) ||
          ...);
}
template <typename F>
inline constexpr bool kTakesValuesOnly =
    TakesValuesOnly<F>(std::make_index_sequence<kMostSymbols + 1>());
template <typename F>
inline constexpr std::size_t kTablesOf =
    kTakesValuesOnly<F> ? 0 : kMostTableSymbols;

template <typename F>
constexpr bool TakesVector() {
  if constexpr (kTakesValuesOnly<F>) {
    return false;
  } else {
    return std::is_invocable_v<F&, std::vector<Expression>>;
  }
}
template <typename F>
inline constexpr bool kTakesVector = TakesVector<F>();

template <typename F>
std::vector<Expression> CallWithVector(const std::shared_ptr<Symbols>& symbols,
                                       F& f) {
  Builder& builder = symbols->builder;
  std::vector<Expression> values;
  for (std::size_t k = 0; k < builder.scope().parameters.size(); ++k) {
    values.emplace_back(symbols, builder.Parameter(static_cast<int>(k)));
  }
  return Results(f(std::move(values)));
}

// Looks for the numbers of symbols that the scope has among those that f takes.
template <std::size_t kParameters, std::size_t kTables, typename F>
bool TryCall(const std::shared_ptr<Symbols>& symbols, F& f,
             std::vector<Expression>* results) {
  using P = std::make_index_sequence<kParameters>;
  using T = std::make_index_sequence<kTables>;
  const Scope& scope = symbols->builder.scope();
  if constexpr (Takes<F>(P(), T())) {
    if (scope.parameters.size() == kParameters &&
        scope.tables.size() == kTables) {
      *results = CallWith(symbols, f, P(), T());
      return true;
    }
  }
  if constexpr (kTables < kTablesOf<F>) {
    return TryCall<kParameters, kTables + 1>(symbols, f, results);
  } else if constexpr (kParameters < kMostSymbols) {
    return TryCall<kParameters + 1, 0>(symbols, f, results);
  } else {
    return false;
  }
}

// The function of these results. Numbers among them are of the types `wanted`,
// as far as there are any.
absl::StatusOr<Function> Finish(const std::shared_ptr<Symbols>& symbols,
                                const std::vector<Expression>& results,
                                absl::Span<const Type> wanted);

// Of a lambda that takes other numbers of symbols.
absl::Status WrongArity(const Scope& scope);

template <typename F>
absl::StatusOr<Function> Make(Scope scope, F& f,
                              absl::Span<const Type> wanted) {
  auto symbols = std::make_shared<Symbols>(std::move(scope));
  std::vector<Expression> results;
  if constexpr (kTakesVector<F>) {
    results = CallWithVector(symbols, f);
  } else if (!TryCall<0, 0>(symbols, f, &results)) {
    return WrongArity(symbols->builder.scope());
  }
  return Finish(symbols, results, wanted);
}

}  // namespace function_of_internal

// The function that `f` computes from an Expression for each parameter and then
// a TableSymbol for each table, or from all values as one vector. It is called
// once, and gives an Expression, or a tuple, pair, array or vector of them.
// What it throws becomes the status.
//
// Example:
//   absl::StatusOr<Function> f = FunctionOf(
//       {Type::kInt32}, [](Expression x) { return Select(x < 0, -x, 2 * x); });
template <typename F>
absl::StatusOr<Function> FunctionOf(Scope scope, F&& f) {
  return Guarded(
      [&] { return function_of_internal::Make(std::move(scope), f, {}); });
}
template <typename F>
absl::StatusOr<Function> FunctionOf(std::vector<Type> types, F&& f) {
  return Guarded(
      [&] { return FunctionOf(Scope::OfColumns(types), std::forward<F>(f)); });
}

// A function of two tuples of these types to a third: `f` takes the values of
// both, one after the other.
//
// Example:
//   absl::StatusOr<Function> longest = OperatorOf(
//       {Type::kInt32, Type::kInt32},
//       [](Expression s, Expression m, Expression t, Expression n) {
//         return std::make_tuple(s + t, Max(m, n));
//       });
template <typename F>
absl::StatusOr<Function> OperatorOf(const std::vector<Type>& types, F&& f) {
  return Guarded([&] {
    std::vector<Type> both = types;
    both.insert(both.end(), types.begin(), types.end());
    return function_of_internal::Make(Scope::OfColumns(both), f, types);
  });
}

}  // namespace concord::expression

#endif  // CONCORD_CORE_EXPRESSION_FUNCTION_OF_H_
