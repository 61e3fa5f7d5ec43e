// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/core/expression/expression.h"

#include "concord/core/expression/notation.h"

namespace concord::expression {
namespace {

// An operation on values of one function. Numbers and constants are of none: it
// then works in a function of its own, and gives a number or a constant again,
// or an error that stays with it.
class Operation {
 public:
  explicit Operation(const std::vector<Expression>& operands) {
    for (const Expression& operand : operands) {
      if (symbols_ == nullptr) symbols_ = operand.symbols();
    }
    constant_ = symbols_ == nullptr;
    if (constant_) symbols_ = std::make_shared<Symbols>(Scope{});
    for (const Expression& operand : operands) {
      terms_.push_back(operand.TermIn(symbols_));
    }
  }

  Builder& builder() { return symbols_->builder; }
  std::vector<Term>& terms() { return terms_; }

  Expression Result(Term term) && {
    if (symbols_->error.ok() && !term.typed()) {
      // A choice between numbers has a condition in the function.
      return Expression(constant_ ? nullptr : std::move(symbols_),
                        std::move(term));
    }
    if (symbols_->error.ok() && constant_) {
      const Node& node = builder()[term.node];
      return Expression(Expression::TypedConstant{node.type, node.bits});
    }
    return Expression(std::move(symbols_), std::move(term));
  }

 private:
  std::shared_ptr<Symbols> symbols_;
  bool constant_;
  std::vector<Term> terms_;
};

Expression ApplyTo(const Notation& notation,
                   const std::vector<Expression>& operands) {
  Operation operation(operands);
  Term term = operation.builder().Apply(notation, std::move(operation.terms()));
  return std::move(operation).Result(std::move(term));
}

}  // namespace

Term Expression::TermIn(const std::shared_ptr<Symbols>& symbols) const {
  if (constant_.has_value()) {
    return symbols->builder.Constant(constant_->type, constant_->value);
  }
  if (symbols_ != nullptr && symbols_ != symbols) {
    symbols->error.Set(0, symbols_->error.ok()
                              ? "an expression of another function"
                              : symbols_->error.message());
  }
  return term_;
}

Expression Unary(absl::string_view notation, const Expression& a) {
  return ApplyTo(*FindNotation(UnaryOperators(), notation), {a});
}

Expression Binary(absl::string_view notation, const Expression& a,
                  const Expression& b) {
  return ApplyTo(*FindNotation(BinaryOperators(), notation), {a, b});
}

Expression Call(absl::string_view name, std::vector<Expression> arguments) {
  if (const Notation* function = FindNotation(NamedFunctions(), name)) {
    return ApplyTo(*function, arguments);
  }
  Operation operation(arguments);
  std::vector<Term>& terms = operation.terms();
  Term term = name == kClamp ? operation.builder().Clamp(std::move(terms))
                             : operation.builder().CastTo(*TypeNamed(name),
                                                          std::move(terms[0]));
  return std::move(operation).Result(std::move(term));
}

Expression IndexOf(const Expression& x) {
  if (x.symbols() == nullptr) {
    auto symbols = std::make_shared<Symbols>(Scope{});
    symbols->error.Set(0, "a number has no index");
    return Expression(std::move(symbols), {});
  }
  return Expression(x.symbols(), x.symbols()->builder.Index());
}

Expression TableSymbol::operator[](const Expression& index) const {
  return Expression(symbols_,
                    symbols_->builder.Gather(number_, index.TermIn(symbols_)));
}

}  // namespace concord::expression
