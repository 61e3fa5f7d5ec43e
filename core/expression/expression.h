// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The values of functions in C++. Operators and functions are those of the
// text, with the same rules for types; function_of.h makes functions of them.

#ifndef CONCORD_CORE_EXPRESSION_EXPRESSION_H_
#define CONCORD_CORE_EXPRESSION_EXPRESSION_H_

#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "concord/core/expression/builder.h"
#include "concord/core/expression/function.h"
#include "concord/core/expression/literal.h"
#include "concord/core/expression/value_type.h"

namespace concord::expression {

// The function that a lambda is making.
struct Symbols {
  explicit Symbols(Scope scope) : builder(std::move(scope), &error) {}

  FirstError error;
  Builder builder;
};

// A value in a function, or a number that takes its type from what it meets.
// The first error stays with the function and comes out where that is made.
class Expression {
 public:
  template <typename T, typename = std::enable_if_t<std::is_arithmetic_v<T>>>
  Expression(T value) {  // NOLINT: a literal is an expression
    if constexpr (std::is_same_v<T, bool>) {
      constant_ = TypedConstant{Type::kBool, ToWord(value)};
    } else {
      term_ = {0, -1, {{0, Literal::FromNumber(value)}}};
    }
  }

  // --- For the functions below ---

  // A constant whose type is known, of no function.
  struct TypedConstant {
    Type type;
    Word value;
  };

  explicit Expression(TypedConstant constant) : constant_(constant) {}
  Expression(std::shared_ptr<Symbols> symbols, Term term)
      : symbols_(std::move(symbols)), term_(std::move(term)) {}

  // Null for numbers and constants.
  const std::shared_ptr<Symbols>& symbols() const { return symbols_; }
  // As part of that function; an error if it is one of another.
  Term TermIn(const std::shared_ptr<Symbols>& symbols) const;

 private:
  std::shared_ptr<Symbols> symbols_;
  Term term_;
  std::optional<TypedConstant> constant_;
};

// What is written so in text (notation.h), applied to operands.
Expression Unary(absl::string_view notation, const Expression& a);
Expression Binary(absl::string_view notation, const Expression& a,
                  const Expression& b);
Expression Call(absl::string_view name, std::vector<Expression> arguments);

inline Expression operator-(const Expression& a) { return Unary("-", a); }
inline Expression operator!(const Expression& a) { return Unary("!", a); }
inline Expression operator~(const Expression& a) { return Unary("~", a); }

// && and || look at both sides, as in text.
inline Expression operator+(const Expression& a, const Expression& b) {
  return Binary("+", a, b);
}
inline Expression operator-(const Expression& a, const Expression& b) {
  return Binary("-", a, b);
}
inline Expression operator*(const Expression& a, const Expression& b) {
  return Binary("*", a, b);
}
inline Expression operator/(const Expression& a, const Expression& b) {
  return Binary("/", a, b);
}
inline Expression operator%(const Expression& a, const Expression& b) {
  return Binary("%", a, b);
}
inline Expression operator&(const Expression& a, const Expression& b) {
  return Binary("&", a, b);
}
inline Expression operator|(const Expression& a, const Expression& b) {
  return Binary("|", a, b);
}
inline Expression operator^(const Expression& a, const Expression& b) {
  return Binary("^", a, b);
}
inline Expression operator<<(const Expression& a, const Expression& b) {
  return Binary("<<", a, b);
}
inline Expression operator>>(const Expression& a, const Expression& b) {
  return Binary(">>", a, b);
}
inline Expression operator==(const Expression& a, const Expression& b) {
  return Binary("==", a, b);
}
inline Expression operator!=(const Expression& a, const Expression& b) {
  return Binary("!=", a, b);
}
inline Expression operator<(const Expression& a, const Expression& b) {
  return Binary("<", a, b);
}
inline Expression operator<=(const Expression& a, const Expression& b) {
  return Binary("<=", a, b);
}
inline Expression operator>(const Expression& a, const Expression& b) {
  return Binary(">", a, b);
}
inline Expression operator>=(const Expression& a, const Expression& b) {
  return Binary(">=", a, b);
}
inline Expression operator&&(const Expression& a, const Expression& b) {
  return Binary("&&", a, b);
}
inline Expression operator||(const Expression& a, const Expression& b) {
  return Binary("||", a, b);
}

inline Expression Abs(const Expression& a) { return Call("abs", {a}); }
inline Expression Sqrt(const Expression& a) { return Call("sqrt", {a}); }
inline Expression Floor(const Expression& a) { return Call("floor", {a}); }
inline Expression Ceil(const Expression& a) { return Call("ceil", {a}); }
inline Expression Trunc(const Expression& a) { return Call("trunc", {a}); }
inline Expression Round(const Expression& a) { return Call("round", {a}); }
inline Expression IsNan(const Expression& a) { return Call("isnan", {a}); }
inline Expression Popcount(const Expression& a) {
  return Call("popcount", {a});
}
inline Expression Clz(const Expression& a) { return Call("clz", {a}); }
inline Expression Ctz(const Expression& a) { return Call("ctz", {a}); }
inline Expression Min(const Expression& a, const Expression& b) {
  return Call("min", {a, b});
}
inline Expression Max(const Expression& a, const Expression& b) {
  return Call("max", {a, b});
}
inline Expression Clamp(const Expression& a, const Expression& low,
                        const Expression& high) {
  return Call("clamp", {a, low, high});
}
// a * b + c with one rounding.
inline Expression Fma(const Expression& a, const Expression& b,
                      const Expression& c) {
  return Call("fma", {a, b, c});
}
// condition ? a : b.
inline Expression Select(const Expression& condition, const Expression& a,
                         const Expression& b) {
  return Call("select", {condition, a, b});
}
inline Expression CastTo(Type type, const Expression& a) {
  return Call(Name(type), {a});
}
template <typename T>
Expression CastTo(const Expression& a) {
  return CastTo(ValueTypeOf<T>(), a);
}

// The index of the element that x is a value of.
Expression IndexOf(const Expression& x);

// An array that a function reads: table[index].
class TableSymbol {
 public:
  TableSymbol(std::shared_ptr<Symbols> symbols, int number)
      : symbols_(std::move(symbols)), number_(number) {}

  Expression operator[](const Expression& index) const;

 private:
  std::shared_ptr<Symbols> symbols_;
  int number_;
};

}  // namespace concord::expression

#endif  // CONCORD_CORE_EXPRESSION_EXPRESSION_H_
