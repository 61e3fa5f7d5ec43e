// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/core/expression/builder.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace concord::expression {
namespace {

// Whether `notation` is for operands of the type; what it is for otherwise is
// the operation's rule.
bool Allows(const Notation& notation, Type type) {
  switch (notation.only) {
    case Notation::kBools:
      return type == Type::kBool;
    case Notation::kIntegers:
      return IsInteger(type);
    default:
      return true;
  }
}

// Whether its result is of another type than its operands, so that these need
// one at once.
bool GivesBool(const Notation& notation) {
  return IsComparison(notation.op) || notation.op == Op::kIsNan;
}

}  // namespace

Term Builder::Fail(std::size_t place, absl::string_view message) {
  error_->Set(place, std::string(message));
  return {place};
}

int Builder::Add(const Node& node, std::size_t place) {
  if (!error_->ok()) return -1;
  const int added = graph_.Add(node);
  // Parameters and the index may be there without being needed.
  if (graph_.size() > kMostNodes + kMostParameters + 1)
    Fail(place, TooManyNodes().message());
  return added;
}

Term Builder::Parameter(int number, std::size_t place) {
  return TypedTerm(Add({Op::kParameter, scope_.parameters[number].type, -1, -1,
                        -1, static_cast<Word>(number)},
                       place),
                   place);
}

Term Builder::Index(std::size_t place) {
  return TypedTerm(Add({Op::kIndex, Type::kInt64}, place), place);
}

Term Builder::Constant(Type type, Word value, std::size_t place) {
  return TypedTerm(Add({Op::kConstant, type, -1, -1, -1, value}, place), place);
}

Term Builder::Number(Literal literal, std::size_t place) {
  return {place, -1, {{place, std::move(literal)}}};
}

int Builder::ApplyTyped(const Notation& notation, absl::string_view name,
                        absl::Span<const int> operands, std::size_t place) {
  std::vector<Type> types;
  for (int operand : operands) types.push_back(TypeOf(operand));
  absl::StatusOr<Type> type = ResultType(notation.op, name, types);
  if (type.ok() && !Allows(notation, types[0])) {
    type = absl::InvalidArgumentError(
        absl::StrCat("'", name, "' is not for ", Name(types[0])));
  }
  if (!type.ok()) {
    Fail(place, type.status().message());
    return -1;
  }
  Node node{notation.op, *type};
  int* const places[] = {&node.a, &node.b, &node.c};
  for (std::size_t k = 0; k < operands.size(); ++k) *places[k] = operands[k];
  if (notation.swap) std::swap(node.a, node.b);
  const int applied = Add(node, place);
  return notation.invert ? Add({Op::kNot, Type::kBool, applied}, place)
                         : applied;
}

Term Builder::JoinUntyped(const Notation& notation, absl::Span<Term> operands,
                          int condition, std::size_t place) {
  Term joined = std::move(operands[0]);
  for (Term& operand : operands.subspan(1)) {
    std::move(operand.untyped.begin(), operand.untyped.end(),
              std::back_inserter(joined.untyped));
  }
  joined.untyped.push_back({place, std::nullopt, &notation, condition});
  if (joined.untyped.size() > static_cast<std::size_t>(kMostNodes)) {
    return Fail(place, TooManyNodes().message());
  }
  return joined;
}

Term Builder::Apply(const Notation& notation, std::vector<Term> operands,
                    std::size_t place) {
  return ApplyAs(notation, notation.text, std::move(operands), place);
}

Term Builder::ApplyAs(const Notation& notation, absl::string_view name,
                      std::vector<Term> operands, std::size_t place) {
  if (!error_->ok()) return {place};
  const bool chooses = notation.op == Op::kSelect;
  const std::size_t begin = operands[0].place;
  std::vector<int> nodes;
  absl::Span<Term> alike = absl::MakeSpan(operands);
  if (chooses) {
    if (!alike[0].typed()) {
      return Fail(begin, "a condition is a bool, this is a number");
    }
    nodes.push_back(alike[0].node);
    if (TypeOf(nodes[0]) != Type::kBool) {
      return Fail(begin, absl::StrCat("a condition is a bool, this is ",
                                      WithArticle(TypeOf(nodes[0]))));
    }
    alike.remove_prefix(1);
  }
  const auto typed = std::find_if(alike.begin(), alike.end(),
                                  [](const Term& t) { return t.typed(); });
  if (typed == alike.end()) {
    if (GivesBool(notation)) {
      return TypedTerm(Resolve(alike[0], std::nullopt), begin);
    }
    // What is chosen is known, and the condition may have no other use.
    if (chooses && graph_[nodes[0]].op == Op::kConstant) {
      return std::move(alike[graph_[nodes[0]].bits != 0 ? 0 : 1]);
    }
    Term joined = JoinUntyped(notation, alike, chooses ? nodes[0] : -1, place);
    joined.place = begin;
    return joined;
  }
  const Type type = TypeOf(typed->node);
  for (const Term& term : alike) {
    nodes.push_back(ResolveAs(term, type, Reason::kMeets));
  }
  if (!error_->ok()) return {begin};
  return TypedTerm(ApplyTyped(notation, name, nodes, place), begin);
}

Term Builder::Clamp(std::vector<Term> operands, std::size_t place) {
  Term at_least =
      ApplyAs(NotationOf(Op::kMaximum, Type::kInt32), kClamp,
              {std::move(operands[0]), std::move(operands[1])}, place);
  return ApplyAs(NotationOf(Op::kMinimum, Type::kInt32), kClamp,
                 {std::move(at_least), std::move(operands[2])}, place);
}

Term Builder::Gather(int table, Term index, std::size_t place) {
  int at = ResolveAs(index, Type::kInt64, Reason::kIsAsked);
  if (!error_->ok()) return {place};
  if (!IsInteger(TypeOf(at))) {
    return Fail(index.place, absl::StrCat("an index is an integer, this is ",
                                          WithArticle(TypeOf(at))));
  }
  // What is no int64 is outside of every table, and so is what it wraps to.
  at = Add({Op::kCast, Type::kInt64, at}, place);
  return TypedTerm(Add({Op::kGather, ValueTypeOf(scope_.tables[table].type), at,
                        -1, -1, static_cast<Word>(table)},
                       place),
                   place);
}

Term Builder::CastTo(Type type, Term term, std::size_t place) {
  const int node = ResolveAs(term, type, Reason::kIsAsked);
  return TypedTerm(Add({Op::kCast, type, node}, place), place);
}

int Builder::Resolve(const Term& term, std::optional<Type> wanted) {
  if (term.typed() || wanted.has_value()) {
    return ResolveAs(term, wanted.value_or(Type::kBool), Reason::kIsAsked);
  }
  for (const Term::Untyped& item : term.untyped) {
    if (!item.literal.has_value()) continue;
    const std::string& text = item.literal->text();
    const absl::string_view type =
        item.literal->is_whole() ? "int32" : "float64";
    Fail(item.place, absl::StrCat("the type of ", text,
                                  " does not follow from anything; write ",
                                  type, "(", text, ") or the like"));
    break;
  }
  return -1;
}

int Builder::ResolveLiteral(const Term::Untyped& item, Type type,
                            Reason reason) {
  const absl::StatusOr<Word> word = item.literal->As(type);
  if (word.ok()) {
    return Constant(type, *word, item.place).node;
  }
  const bool wants_float =
      !item.literal->is_whole() && IsInteger(type) && reason == Reason::kMeets;
  const bool is_rounded = item.literal->is_whole() && IsFloat(type);
  Fail(item.place,
       absl::StrCat(
           word.status().message(),
           wants_float ? "; write float64(...) around the other side "
                         "for a float"
                       : "",
           is_rounded ? "; write it with a point for the nearest one" : ""));
  return -1;
}

int Builder::ResolveAs(const Term& term, Type type, Reason reason) {
  if (term.typed()) return term.node;
  std::vector<int> stack;
  for (const Term::Untyped& item : term.untyped) {
    int node = -1;
    if (item.literal.has_value()) {
      node = ResolveLiteral(item, type, reason);
    } else {
      const int count = OperandsOf(item.notation->op);
      std::vector<int> operands;
      if (item.condition >= 0) operands.push_back(item.condition);
      const auto first = stack.end() - (count - operands.size());
      operands.insert(operands.end(), first, stack.end());
      stack.erase(first, stack.end());
      node =
          ApplyTyped(*item.notation, item.notation->text, operands, item.place);
    }
    if (!error_->ok()) return -1;
    stack.push_back(node);
  }
  return stack.empty() ? -1 : stack.back();
}

absl::StatusOr<Function> Builder::Build(std::vector<int> results) const {
  if (!error_->ok()) return absl::InvalidArgumentError(error_->message());
  return Function::Create(scope_, {graph_.nodes(), std::move(results)});
}

}  // namespace concord::expression
