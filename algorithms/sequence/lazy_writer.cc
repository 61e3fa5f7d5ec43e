// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/algorithms/sequence/lazy_writer.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "concord/core/errors.h"
#include "concord/core/expression/printer.h"

namespace concord {

using expression::Function;
using expression::Scope;

void Sequence::Writer::CountReaders(const Ptr& node) {
  if (++readers_[node.get()] > 1) return;
  for (const Ptr& input : node->inputs) CountReaders(input);
}

absl::StatusOr<std::string> Sequence::Writer::NameOfArray(const Node* node) {
  const auto found = std::find(columns_.begin(), columns_.end(), node);
  const std::size_t number = found - columns_.begin();
  if (number == sequence::kMostColumns) {
    return InvalidArgumentError("a program reads at most ",
                                sequence::kMostColumns, " arrays");
  }
  if (found == columns_.end()) columns_.push_back(node);
  return std::string(sequence::kColumnNames[number]);
}

absl::StatusOr<std::string> Sequence::Writer::NameOf(const Ptr& node) {
  if (node->word.empty()) return NameOfArray(node.get());
  const auto found = names_.find(node.get());
  if (found != names_.end()) return found->second;
  ASSIGN_OR_RETURN(const std::string chain, Chain(node));
  const std::string name = absl::StrCat("s", names_.size() + 1);
  absl::StrAppend(&definitions_, name, " = ", chain, ";\n");
  names_.emplace(node.get(), name);
  return name;
}

absl::StatusOr<std::string> Sequence::Writer::Chain(const Ptr& node) {
  if (node->word.empty()) return NameOfArray(node.get());
  if (node->word == "tabulate") return Stage(*node);
  if (node->word == "zip" || node->word == "concat") {
    std::string text = node->word;
    for (const Ptr& input : node->inputs) {
      ASSIGN_OR_RETURN(const std::string name, NameOf(input));
      absl::StrAppend(&text, " ", name);
    }
    return text;
  }
  const Ptr& input = node->inputs.front();
  ASSIGN_OR_RETURN(const std::string before,
                   readers_[input.get()] > 1 ? NameOf(input) : Chain(input));
  // Names its tables, which come behind the arrays of what it reads.
  ASSIGN_OR_RETURN(const std::string stage, Stage(*node));
  return absl::StrCat(before, " |> ", stage);
}

absl::StatusOr<std::string> Sequence::Writer::Stage(const Node& node) {
  if (!node.function.has_value()) return absl::StrCat(node.word, node.rest);
  ASSIGN_OR_RETURN(const Function function, WithColumnNames(node));
  return absl::StrCat(node.word, " ", expression::ToText(function), node.rest);
}

absl::StatusOr<Function> Sequence::Writer::WithColumnNames(const Node& node) {
  if (node.tables.empty()) return *node.function;
  Scope scope = node.function->scope();
  expression::Nodes form = node.function->form();
  // An array may be a table under several names. It has one here.
  std::vector<expression::Table> tables;
  std::vector<std::size_t> numbers;
  for (std::size_t k = 0; k < node.tables.size(); ++k) {
    const auto reads = [k](const expression::Node& read) {
      return read.op == expression::Op::kGather && read.bits == k;
    };
    if (std::none_of(form.nodes.begin(), form.nodes.end(), reads)) {
      numbers.push_back(0);  // Nobody asks for it.
      continue;
    }
    ASSIGN_OR_RETURN(const std::string name, NameOfArray(node.tables[k].get()));
    std::size_t at = 0;
    while (at < tables.size() && tables[at].name != name) ++at;
    if (at == tables.size()) tables.push_back({name, scope.tables[k].type});
    numbers.push_back(at);
  }
  for (expression::Node& read : form.nodes) {
    if (read.op == expression::Op::kGather) read.bits = numbers[read.bits];
  }
  scope.tables = std::move(tables);
  for (std::size_t k = 0; k < scope.parameters.size(); ++k) {
    scope.parameters[k].name = absl::StrCat("p", k + 1);
  }
  return Function::Create(std::move(scope), std::move(form));
}

absl::StatusOr<std::string> Sequence::Writer::Program(const Ptr& node) {
  CountReaders(node);
  ASSIGN_OR_RETURN(const std::string chain, Chain(node));
  return definitions_ + chain;
}

}  // namespace concord
