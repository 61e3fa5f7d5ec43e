// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <optional>

#include "absl/strings/str_cat.h"
#include "concord/algorithms/sequence/groups.h"
#include "concord/algorithms/sequence/lazy_writer.h"
#include "concord/algorithms/sequence/sequence.h"
#include "concord/core/errors.h"
#include "concord/core/expression/operator.h"
#include "concord/core/expression/parser.h"
#include "concord/core/expression/printer.h"

namespace concord {

using expression::Function;
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

// An operator whose laws have been tried, and its start.
absl::StatusOr<std::string> CombinationText(
    const absl::StatusOr<expression::Operator>& op, absl::string_view start) {
  RETURN_IF_ERROR(op.status());
  std::string text = expression::OperatorToText(op->function());
  if (!start.empty()) {
    ASSIGN_OR_RETURN(const std::vector<expression::Word> constants,
                     ParseConstants(start, op->types()));
    absl::StrAppend(&text, " from ", ToString(op->types(), constants));
  }
  return text + " unchecked";
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

Sequence Sequence::Map(absl::string_view f, const Tables& tables) const {
  return Next([&]() -> Sequence {
    std::vector<Table> scope;
    for (const auto& [name, sequence] : tables) {
      if (!sequence.status().ok()) return sequence;
      if (!sequence.node_->word.empty()) {
        return Apply("map",
                     InvalidArgumentError("'", name,
                                          "' does not come straight from "
                                          "an array"));
      }
      scope.push_back({name, sequence.node_->array.type()});
    }
    const Sequence mapped = Apply("map", ParseFunction(f, types(), scope));
    if (tables.empty() || !mapped.status().ok()) return mapped;
    // The tables of the function are those that it reads.
    Node node = *mapped.node_;
    for (const Table& table : node.function->tables()) {
      for (const auto& [name, sequence] : tables) {
        if (name == table.name) node.tables.push_back(sequence.node_);
      }
    }
    return Sequence(std::make_shared<const Node>(std::move(node)));
  });
}

Sequence Sequence::Filter(absl::string_view f) const {
  return Next([&] { return Apply("filter", ParseFunction(f, types())); });
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

Sequence Sequence::Combine(absl::string_view word,
                           absl::StatusOr<expression::Operator> op,
                           absl::string_view start) const {
  Node node;
  node.word = std::string(word);
  node.types = types();
  absl::StatusOr<std::string> text = CombinationText(op, start);
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
                         absl::string_view start) const {
  Node node;
  node.word = "group_reduce";
  absl::StatusOr<std::string> text = CombinationText(op, start);
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

Sequence Sequence::SortBy(absl::string_view key) const {
  return Next([&] { return Apply("sort_by", ParseFunction(key, types())); });
}

Sequence Sequence::Histogram(absl::string_view key) const {
  return Next([&] { return Apply("histogram", ParseFunction(key, types())); });
}

Sequence Sequence::GroupReduce(absl::string_view key, absl::string_view op,
                               absl::string_view start) const {
  return Next([&] {
    absl::StatusOr<Function> f = ParseFunction(key, types());
    if (!f.ok()) return Group(f.status(), f.status(), start);
    auto combination = expression::Operator::Parse(op, GroupedTypes(*f));
    return Group(std::move(f), std::move(combination), start);
  });
}

Sequence Sequence::Reduce(absl::string_view op, absl::string_view start) const {
  return Next([&] {
    return Combine("reduce", expression::Operator::Parse(op, types()), start);
  });
}

Sequence Sequence::Scan(absl::string_view op, absl::string_view start) const {
  return Next([&] {
    return Combine("scan", expression::Operator::Parse(op, types()), start);
  });
}

Sequence Sequence::ScanBefore(absl::string_view op,
                              absl::string_view start) const {
  return Next([&] {
    return Combine("scan_before", expression::Operator::Parse(op, types()),
                   start);
  });
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
