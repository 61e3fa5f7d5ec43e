// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <optional>

#include "absl/strings/str_cat.h"
#include "concord/algorithms/sequence/groups.h"
#include "concord/algorithms/sequence/lazy_writer.h"
#include "concord/algorithms/sequence/program_text.h"
#include "concord/algorithms/sequence/sequence.h"
#include "concord/core/errors.h"
#include "concord/core/expression/operator.h"
#include "concord/core/expression/parser.h"
#include "concord/core/expression/printer.h"
#include "concord/core/expression/token.h"

namespace concord {

using expression::Function;
using expression::FunctionForm;
using expression::ParseConstants;
using expression::ParseFunction;
using expression::Table;
using expression::Type;

namespace {

// As many stages as a program has: nodes go from one to the next by recursion.
constexpr int kMostSteps = 256;

absl::Status TooManyStages() {
  return InvalidArgumentError("a sequence has at most ", kMostSteps, " stages");
}

// An operator whose laws have been tried or are assumed, and its start. An
// identity that is claimed is the start, because a program cannot claim one.
absl::StatusOr<std::string> CombinationText(
    const absl::StatusOr<expression::Operator>& op, absl::string_view start,
    const expression::OperatorClaims& claims) {
  RETURN_IF_ERROR(op.status());
  std::optional<std::vector<expression::Word>> first = claims.identity;
  if (!start.empty()) {
    ASSIGN_OR_RETURN(first, ParseConstants(start, op->types()));
  }
  return sequence::OperatorText(*op, first);
}

}  // namespace

Sequence Sequence::Failed(const absl::Status& status) noexcept {
  // Made when the program starts, because later there is no memory for it.
  static const auto* const no_memory = new Sequence([] {
    Node node;
    node.status = OutOfHostMemory();
    return std::make_shared<const Node>(std::move(node));
  }());
  try {
    Node node;
    node.status = status;
    return Sequence(std::make_shared<const Node>(std::move(node)));
  } catch (const std::bad_alloc&) {
    return *no_memory;
  }
}

const bool Sequence::kCanFail =
    !Sequence::Failed(absl::UnknownError("")).status().ok();

Sequence Sequence::Column(std::shared_ptr<Backend> backend,
                          ConstArrayView array,
                          std::shared_ptr<const void> owner) {
  if (backend == nullptr) return Failed(NoBackendError());
  Node node;
  node.backend = std::move(backend);
  node.types = {expression::ValueTypeOf(array.type())};
  node.array = array;
  node.owner = std::move(owner);
  return Sequence(std::make_shared<const Node>(std::move(node)));
}

Sequence Sequence::Borrow(std::shared_ptr<Backend> backend,
                          ConstArrayView array) {
  return Made([&] { return Column(std::move(backend), array, nullptr); });
}

Sequence Sequence::Tabulate(std::shared_ptr<Backend> backend,
                            absl::string_view f, std::int64_t count) {
  return Made([&] {
    if (backend == nullptr) return Failed(NoBackendError());
    Node node;
    node.backend = std::move(backend);
    node.word = "tabulate";
    node.rest = absl::StrCat(", ", count);
    absl::StatusOr<Function> function = ParseFunction(f, {});
    if (!function.ok()) {
      node.status = function.status();
    } else if (count < 0) {
      node.status = InvalidArgumentError("a sequence of ", count, " elements");
    } else {
      node.types = function->ResultTypes();
      node.function = *std::move(function);
    }
    return Sequence(std::make_shared<const Node>(std::move(node)));
  });
}

Sequence Sequence::Range(std::shared_ptr<Backend> backend, std::int64_t first,
                         std::int64_t count) {
  return Made([&] {
    return Tabulate(std::move(backend), absl::StrCat("i + ", first), count);
  });
}

Sequence Sequence::Then(Node node) const {
  node.backend = node_->backend;
  node.inputs = {node_};
  node.steps = node_->steps + 1;
  if (node.status.ok() && node.steps > kMostSteps) {
    node.status = TooManyStages();
  }
  // A chain that has failed is let go: it would only grow.
  if (!node.status.ok()) node.inputs.clear();
  return Sequence(std::make_shared<const Node>(std::move(node)));
}

Sequence Sequence::Apply(absl::string_view word,
                         absl::StatusOr<Function> f) const {
  Node node;
  node.word = std::string(word);
  if (!f.ok()) {
    node.status = f.status();
    return Then(std::move(node));
  }
  const std::vector<Type> results = f->ResultTypes();
  node.types = types();
  if (word == "map") {
    node.types = results;
  } else if (word == "filter" && results != std::vector<Type>{Type::kBool}) {
    node.status = InvalidArgumentError("a filter gives a bool");
  } else if (results.size() != 1) {
    node.status = InvalidArgumentError("a key is one value");
  } else if (word == "histogram") {
    node.types = {results[0], Type::kInt64};
  }
  node.function = *std::move(f);
  return Then(std::move(node));
}

absl::StatusOr<std::vector<Table>> Sequence::ScopeOf(const Tables& tables) {
  std::vector<Table> scope;
  for (const auto& [name, sequence] : tables) {
    RETURN_IF_ERROR(sequence.status());
    if (!sequence.node_->word.empty()) {
      return InvalidArgumentError("'", name,
                                  "' does not come straight from an array");
    }
    scope.push_back({name, sequence.node_->array.type()});
  }
  return scope;
}

absl::StatusOr<Function> Sequence::FunctionBy(absl::string_view f,
                                              const Tables& tables) const {
  ASSIGN_OR_RETURN(const std::vector<Table> scope, ScopeOf(tables));
  return ParseFunction(f, types(), scope);
}

absl::StatusOr<expression::Operator> Sequence::OperatorOn(
    const std::vector<Type>& types, absl::string_view op,
    OperatorClaims claims) {
  expression::Cursor cursor(op);
  std::optional<Function> function =
      ParseFunctionAt(cursor, FunctionForm::Operator(types));
  if (cursor.Take("unchecked")) claims.associative_assumed = true;
  if (cursor.ok() && cursor.Peek().kind != expression::Token::kEnd) {
    cursor.FailExpecting("an operator, 'unchecked' or the end");
  }
  if (!cursor.ok()) return cursor.status();
  return expression::Operator::Create(*std::move(function), std::move(claims),
                                      "'unchecked'");
}

Sequence Sequence::Read(absl::StatusOr<Function> f,
                        const Tables& tables) const {
  const Sequence mapped = Apply("map", std::move(f));
  if (tables.empty() || !mapped.status().ok()) return mapped;
  // Those that the function has: a parameter's name hides a table.
  Node node = *mapped.node_;
  for (const Table& table : node.function->tables()) {
    for (const auto& [name, sequence] : tables) {
      if (name == table.name) node.tables.push_back(sequence.node_);
    }
  }
  return Sequence(std::make_shared<const Node>(std::move(node)));
}

Sequence Sequence::operator[](int number) const {
  return Next([&] {
    if (number < 0 || number >= static_cast<int>(types().size())) {
      return Apply("map",
                   InvalidArgumentError("there is no column ", number, "; of ",
                                        types().size(), " the first is 0"));
    }
    return Map([number](std::vector<Expression> values) {
      return values[static_cast<std::size_t>(number)];
    });
  });
}

Sequence Sequence::CombineBy(absl::string_view word,
                             absl::StatusOr<expression::Operator> op,
                             absl::string_view start,
                             const OperatorClaims& claims) const {
  Node node;
  node.word = std::string(word);
  node.types = types();
  absl::StatusOr<std::string> text = CombinationText(op, start, claims);
  if (!text.ok()) {
    node.status = text.status();
  } else if (word == "scan_before" && start.empty() &&
             !op->identity().has_value()) {
    node.status = InvalidArgumentError(
        "the identity of this operator is not known; say what to begin with");
  } else {
    node.rest = absl::StrCat(" ", *text);
  }
  return Then(std::move(node));
}

std::vector<Type> Sequence::GroupedTypes(const Function& f) const {
  return sequence::GroupedTypes(f, types());
}

Sequence Sequence::Group(absl::StatusOr<Function> f,
                         absl::StatusOr<expression::Operator> op,
                         absl::string_view start,
                         const OperatorClaims& claims) const {
  Node node;
  node.word = "group_reduce";
  absl::StatusOr<std::string> text = CombinationText(op, start, claims);
  if (!f.ok()) {
    node.status = f.status();
  } else if (!text.ok()) {
    node.status = text.status();
  } else if (op->types().size() > sequence::kMostGrouped) {
    node.status = InvalidArgumentError(
        "GroupReduce combines at most ", sequence::kMostGrouped,
        " values, these are ", op->types().size());
  } else {
    node.types = op->types();
    node.types.insert(node.types.begin(), f->ResultTypes()[0]);
    node.rest = absl::StrCat(" by ", *text);
    node.function = *std::move(f);
  }
  return Then(std::move(node));
}

Sequence Sequence::Count() const {
  return Next([&] {
    Node node;
    node.word = "count";
    node.types = {Type::kInt64};
    return Then(std::move(node));
  });
}

Sequence Sequence::Last() const {
  return Next([&] {
    Node node;
    node.word = "last";
    node.types = types();
    return Then(std::move(node));
  });
}

Sequence Sequence::Take(std::int64_t count) const { return Slice(0, count); }

Sequence Sequence::Slice(std::int64_t first, std::int64_t count) const {
  return Next([&] {
    Node node;
    node.word = "slice";
    node.types = types();
    node.rest = absl::StrCat(" ", first, ", ", count);
    if (first < 0 || count < 0) {
      node.status = InvalidArgumentError("there is no slice of ", count,
                                         " elements from ", first, " on");
    }
    return Then(std::move(node));
  });
}

Sequence Sequence::Together(absl::string_view word,
                            absl::Span<const Sequence> sequences) {
  return Made([&] {
    Node node;
    node.word = std::string(word);
    for (const Sequence& sequence : sequences) {
      const Node& input = *sequence.node_;
      if (node.backend == nullptr) node.backend = input.backend;
      if (node.status.ok()) node.status = input.status;
      if (node.status.ok() && input.backend != node.backend) {
        node.status = InvalidArgumentError(word, " of two backends' sequences");
      }
      if (word == "zip") {
        node.types.insert(node.types.end(), input.types.begin(),
                          input.types.end());
      } else if (node.inputs.empty()) {
        node.types = input.types;
      } else if (node.status.ok() && input.types != node.types) {
        node.status =
            InvalidArgumentError("sequences of different types cannot be one");
      }
      node.inputs.push_back(sequence.node_);
      node.steps = std::max(node.steps, input.steps + 1);
    }
    if (node.inputs.empty()) {
      node.status = InvalidArgumentError(word, " of no sequences");
    } else if (node.status.ok() && node.steps > kMostSteps) {
      node.status = TooManyStages();
    }
    if (!node.status.ok()) node.inputs.clear();
    return Sequence(std::make_shared<const Node>(std::move(node)));
  });
}

Sequence Zip(absl::Span<const Sequence> sequences) {
  return Sequence::Together("zip", sequences);
}

Sequence Concat(absl::Span<const Sequence> sequences) {
  return Sequence::Together("concat", sequences);
}

const std::vector<Type>& Sequence::types() const { return node_->types; }
const absl::Status& Sequence::status() const { return node_->status; }

}  // namespace concord
