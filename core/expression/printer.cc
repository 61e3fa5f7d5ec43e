// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/core/expression/printer.h"

#include <set>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "concord/core/expression/notation.h"

namespace concord::expression {
namespace {

// From here on a part gets a name of its own. So no part is as deep as the
// parser allows, either: each level takes two characters and more.
constexpr std::size_t kLongText = 200;

// The levels of what is no binary operator (notation.h).
constexpr int kChoiceLevel = 0;
constexpr int kUnaryLevel = 100;
constexpr int kPrimaryLevel = 101;

struct Part {
  std::string text;
  int level = kPrimaryLevel;
};

class Printer {
 public:
  explicit Printer(const Function& function)
      : function_(function), uses_(function.nodes().size()) {
    for (const Parameter& parameter : function.parameters()) {
      taken_.insert(parameter.name);
    }
    for (const Table& table : function.tables()) taken_.insert(table.name);
    for (int result : function.results()) ++uses_[result];
    for (const Node& node : function.nodes()) {
      for (int operand : {node.a, node.b, node.c}) {
        if (operand >= 0) ++uses_[operand];
      }
    }
  }

  std::string Body() {
    for (std::size_t k = 0; k < uses_.size(); ++k) {
      Part part = Print(function_.nodes()[k]);
      const bool shared = uses_[k] > 1 && !IsLeaf(function_.nodes()[k].op);
      if (shared || part.text.size() > kLongText) {
        const std::string name = NewName();
        absl::StrAppend(&names_, name, " = ", part.text, "; ");
        part = {name};
      }
      parts_.push_back(std::move(part));
    }
    std::vector<std::string> results;
    for (int result : function_.results()) {
      results.push_back(IsConstant(result) ? TypedConstant(result).text
                                           : parts_[result].text);
    }
    const std::string text =
        results.size() == 1
            ? results[0]
            : absl::StrCat("(", absl::StrJoin(results, ", "), ")");
    return names_.empty() ? text : absl::StrCat("{ ", names_, text, " }");
  }

 private:
  bool IsConstant(int number) const {
    return function_.nodes()[number].op == Op::kConstant;
  }

  // The type of a number follows from its surroundings, or else is written.
  Part TypedConstant(int number) const {
    const Node& node = function_.nodes()[number];
    if (node.type == Type::kBool) return parts_[number];
    return {absl::StrCat(Name(node.type), "(", parts_[number].text, ")")};
  }

  std::string NewName() {
    std::string name;
    do {
      name = absl::StrCat("v", ++names_made_);
    } while (taken_.count(name) != 0);
    return name;
  }

  static Part InParentheses(const Part& part) {
    return {absl::StrCat("(", part.text, ")")};
  }
  static Part AtLeast(const Part& part, int level) {
    return part.level < level ? InParentheses(part) : part;
  }

  Part Call(absl::string_view name, std::vector<int> operands) const {
    std::string text = absl::StrCat(name, "(");
    for (std::size_t k = 0; k < operands.size(); ++k) {
      absl::StrAppend(&text, k == 0 ? "" : ", ", parts_[operands[k]].text);
    }
    return {text + ")"};
  }

  Part Binary(const Notation& notation, int a, int b) const {
    // Operators of one level are taken from the left; comparisons do not chain.
    const bool chains = notation.level != kComparisonLevel;
    const Part left =
        AtLeast(parts_[a], chains ? notation.level : notation.level + 1);
    const Part right = AtLeast(parts_[b], notation.level + 1);
    return {absl::StrCat(left.text, " ", notation.text, " ", right.text),
            notation.level};
  }

  Part Unary(const Notation& notation, int a) const {
    const Part operand = AtLeast(parts_[a], kUnaryLevel);
    return {absl::StrCat(notation.text, operand.text), kUnaryLevel};
  }

  Part Choice(const Node& node) const {
    const bool typed = IsConstant(node.b) && IsConstant(node.c);
    const Part condition = AtLeast(parts_[node.a], kChoiceLevel + 1);
    const Part one = AtLeast(typed ? TypedConstant(node.b) : parts_[node.b],
                             kChoiceLevel + 1);
    const Part other = AtLeast(parts_[node.c], kChoiceLevel + 1);
    return {absl::StrCat(condition.text, " ? ", one.text, " : ", other.text),
            kChoiceLevel};
  }

  Part Print(const Node& node) const {
    switch (node.op) {
      case Op::kParameter:
        return {function_.parameters()[node.bits].name};
      case Op::kIndex:
        return {"i"};
      case Op::kConstant: {
        const std::string text = ToString(node.type, node.bits);
        return {text, text[0] == '-' ? kUnaryLevel : kPrimaryLevel};
      }
      case Op::kCast:
        return Call(Name(node.type), {node.a});
      case Op::kGather:
        return {absl::StrCat(function_.tables()[node.bits].name, "[",
                             parts_[node.a].text, "]")};
      case Op::kSelect:
        return Choice(node);
      default:
        return PrintOperation(node);
    }
  }

  Part PrintOperation(const Node& node) const {
    if (node.op == Op::kNot) {
      const Node& inner = function_.nodes()[node.a];
      if (inner.op == Op::kEqual && uses_[node.a] == 1) {
        return Binary(*FindNotation(BinaryOperators(), "!="), inner.a, inner.b);
      }
    }
    const Notation& notation =
        NotationOf(node.op, function_.nodes()[node.a].type);
    if (notation.level > 0) return Binary(notation, node.a, node.b);
    if (FindNotation(UnaryOperators(), notation.text) != nullptr) {
      return Unary(notation, node.a);
    }
    std::vector<int> operands;
    for (int operand : {node.a, node.b, node.c}) {
      if (operand >= 0) operands.push_back(operand);
    }
    return Call(notation.text, operands);
  }

  const Function& function_;
  std::vector<int> uses_;
  std::set<std::string> taken_;
  int names_made_ = 0;
  // "v1 = ...; v2 = ...; "
  std::string names_;
  std::vector<Part> parts_;
};

std::string NamesOf(const Function& function, std::size_t first,
                    std::size_t end) {
  std::string names;
  for (std::size_t k = first; k < end; ++k) {
    absl::StrAppend(&names, k == first ? "" : ", ",
                    function.parameters()[k].name);
  }
  return names;
}

}  // namespace

std::string ToText(const Function& function) {
  const std::size_t count = function.parameters().size();
  return absl::StrCat(NamesOf(function, 0, count), count == 0 ? "" : " -> ",
                      Printer(function).Body());
}

std::string OperatorToText(const Function& function) {
  const std::size_t count = function.parameters().size();
  if (count == 2) return ToText(function);
  return absl::StrCat("(", NamesOf(function, 0, count / 2), "), (",
                      NamesOf(function, count / 2, count), ") -> ",
                      Printer(function).Body());
}

}  // namespace concord::expression
