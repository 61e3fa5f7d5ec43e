// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <map>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "concord/algorithms/sequence/sequence.h"
#include "concord/core/errors.h"
#include "concord/core/expression/operator.h"
#include "concord/core/expression/parser.h"
#include "concord/core/expression/printer.h"
#include "concord/core/signature.h"

namespace concord {

using expression::Function;
using expression::OperatorClaims;
using expression::ParseConstants;
using expression::ParseFunction;
using expression::Scope;
using expression::Table;
using expression::Type;

namespace {

// As many stages as a program has: nodes go from one to the next by recursion.
constexpr int kMostSteps = 256;

constexpr std::size_t kMostColumns = SequenceProgram::kMostColumns;

absl::Status TooManyStages() {
  return InvalidArgumentError("a sequence has at most ", kMostSteps, " stages");
}

// What the signature calls the columns of a program, and of its result.
const std::string& ColumnName(std::size_t k) {
  return SequenceProgram::GetSignature().data().inputs[k].name;
}
const std::string& OutputName(std::size_t k) {
  return SequenceProgram::GetSignature().data().outputs[k].name;
}

// An array of the caller's as the place for a result.
class ViewSink : public Sink {
 public:
  explicit ViewSink(ArrayView view) : view_(view) {}

  absl::StatusOr<ArrayView> Room(
      ElementType type, const std::vector<std::int64_t>& shape) override {
    if (type != view_.type()) {
      return InvalidArgumentError("the result is of type ", Name(type),
                                  ", the array for it of type ",
                                  Name(view_.type()));
    }
    const std::int64_t size = Shape(shape).size();
    if (size > view_.size()) {
      return InvalidArgumentError("the result may have ", size,
                                  " elements, the array for it has room for ",
                                  view_.size());
    }
    return view_.Slice(0, size);
  }
  absl::Status Take(const std::vector<std::int64_t>& shape) override {
    size_ = Shape(shape).size();
    return absl::OkStatus();
  }
  std::int64_t size() const { return size_; }

 private:
  ArrayView view_;
  std::int64_t size_ = 0;
};

}  // namespace

// An array, or a stage of a program on the results of others.
struct Sequence::Node {
  std::shared_ptr<Backend> backend;
  absl::Status status;
  std::vector<Type> types;
  // Of an array.
  ConstArrayView array;
  std::shared_ptr<const void> owner;
  // Of a stage: its word, what it reads, and the rest of its text.
  std::string word;
  std::vector<std::shared_ptr<const Node>> inputs;
  std::optional<Function> function;
  // What the function's tables are.
  std::vector<std::shared_ptr<const Node>> tables;
  std::string rest;
  int steps = 1;
};

// Writes the program of a sequence. What is read more than once, or by zip and
// concat, has a name.
struct Sequence::Writer {
  using Ptr = std::shared_ptr<const Node>;

  std::map<const Node*, int> readers;
  std::map<const Node*, std::string> names;
  std::vector<const Node*> columns;
  std::string definitions;

  void CountReaders(const Ptr& node) {
    if (++readers[node.get()] > 1) return;
    for (const Ptr& input : node->inputs) CountReaders(input);
  }

  absl::StatusOr<std::string> NameOfArray(const Node* node) {
    const auto found = std::find(columns.begin(), columns.end(), node);
    const std::size_t number = found - columns.begin();
    if (number == kMostColumns) {
      return InvalidArgumentError("a program reads at most ", kMostColumns,
                                  " arrays");
    }
    if (found == columns.end()) columns.push_back(node);
    return ColumnName(number);
  }

  // A name for what the node gives.
  absl::StatusOr<std::string> NameOf(const Ptr& node) {
    if (node->word.empty()) return NameOfArray(node.get());
    const auto found = names.find(node.get());
    if (found != names.end()) return found->second;
    ASSIGN_OR_RETURN(const std::string chain, Chain(node));
    const std::string name = absl::StrCat("s", names.size() + 1);
    absl::StrAppend(&definitions, name, " = ", chain, ";\n");
    names.emplace(node.get(), name);
    return name;
  }

  // What the node gives, as a chain of stages.
  absl::StatusOr<std::string> Chain(const Ptr& node) {
    if (node->word.empty()) return NameOfArray(node.get());
    ASSIGN_OR_RETURN(const std::string stage, Stage(*node));
    if (node->word == "tabulate") return stage;
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
                     readers[input.get()] > 1 ? NameOf(input) : Chain(input));
    return absl::StrCat(before, " |> ", stage);
  }

  absl::StatusOr<std::string> Stage(const Node& node) {
    if (!node.function.has_value()) return absl::StrCat(node.word, node.rest);
    ASSIGN_OR_RETURN(const Function function, WithColumnNames(node));
    return absl::StrCat(node.word, " ", expression::ToText(function),
                        node.rest);
  }

  // The node's function, with the names that its tables have as columns. A
  // parameter of such a name would hide one.
  absl::StatusOr<Function> WithColumnNames(const Node& node) {
    if (node.tables.empty()) return *node.function;
    Scope scope = node.function->scope();
    for (std::size_t k = 0; k < node.tables.size(); ++k) {
      ASSIGN_OR_RETURN(scope.tables[k].name, NameOfArray(node.tables[k].get()));
    }
    for (std::size_t k = 0; k < scope.parameters.size(); ++k) {
      scope.parameters[k].name = absl::StrCat("p", k + 1);
    }
    return Function::Create(std::move(scope), node.function->form());
  }

  absl::StatusOr<std::string> Program(const Ptr& node) {
    CountReaders(node);
    ASSIGN_OR_RETURN(const std::string chain, Chain(node));
    return definitions + chain;
  }
};

Sequence Sequence::Column(std::shared_ptr<Backend> backend,
                          ConstArrayView array,
                          std::shared_ptr<const void> owner) {
  Node node;
  node.backend = std::move(backend);
  node.types = {expression::ValueTypeOf(array.type())};
  node.array = array;
  node.owner = std::move(owner);
  return Sequence(std::make_shared<const Node>(std::move(node)));
}

Sequence Sequence::Borrow(std::shared_ptr<Backend> backend,
                          ConstArrayView array) {
  return Column(std::move(backend), array, nullptr);
}

Sequence Sequence::Tabulate(std::shared_ptr<Backend> backend,
                            absl::string_view f, std::int64_t count) {
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
}

Sequence Sequence::Range(std::shared_ptr<Backend> backend, std::int64_t first,
                         std::int64_t count) {
  return Tabulate(std::move(backend), absl::StrCat("i + ", first), count);
}

Sequence Sequence::Then(Node node) const {
  node.backend = node_->backend;
  node.inputs = {node_};
  node.steps = node_->steps + 1;
  if (!node_->status.ok()) {
    node.status = node_->status;
  } else if (node.status.ok() && node.steps > kMostSteps) {
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
  if (f.ok()) {
    const std::vector<Type> results = f->ResultTypes();
    if (word == "map") {
      node.types = results;
    } else if (results == std::vector<Type>{Type::kBool}) {
      node.types = types();
    } else {
      node.status = InvalidArgumentError("a filter gives a bool");
    }
    node.function = *std::move(f);
  } else {
    node.status = f.status();
  }
  return Then(std::move(node));
}

Sequence Sequence::Map(absl::string_view f, const Tables& tables) const {
  if (!status().ok()) return *this;
  std::vector<Table> scope;
  for (const auto& [name, sequence] : tables) {
    if (!sequence.node_->word.empty()) {
      return Apply("map", InvalidArgumentError("'", name,
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
}

Sequence Sequence::Filter(absl::string_view f) const {
  return status().ok() ? Apply("filter", ParseFunction(f, types())) : *this;
}

Sequence Sequence::operator[](int number) const {
  if (!status().ok()) return *this;
  if (number < 0 || number >= static_cast<int>(types().size())) {
    return Apply("map",
                 InvalidArgumentError("there is no column ", number, "; of ",
                                      types().size(), " the first is 0"));
  }
  return Map([number](std::vector<Expression> values) {
    return values[static_cast<std::size_t>(number)];
  });
}

Sequence Sequence::Combine(absl::string_view word,
                           absl::StatusOr<expression::Operator> op,
                           absl::string_view start) const {
  Node node;
  node.word = std::string(word);
  node.types = types();
  absl::StatusOr<std::vector<expression::Word>> constants =
      start.empty() ? std::vector<expression::Word>()
                    : ParseConstants(start, types());
  if (!status().ok()) return *this;
  if (!op.ok()) {
    node.status = op.status();
  } else if (!constants.ok()) {
    node.status = constants.status();
  } else if (word == "scan_before" && start.empty() &&
             !op->identity().has_value()) {
    node.status = InvalidArgumentError(
        "the identity of this operator is not known; say what to begin with");
  } else {
    // Its laws have been tried.
    node.rest = absl::StrCat(
        " ", expression::OperatorToText(op->function()),
        start.empty() ? ""
                      : absl::StrCat(" from ", ToString(types(), *constants)),
        " unchecked");
  }
  return Then(std::move(node));
}

Sequence Sequence::Reduce(absl::string_view op, absl::string_view start) const {
  return Combine("reduce", expression::Operator::Parse(op, types()), start);
}

Sequence Sequence::Scan(absl::string_view op, absl::string_view start) const {
  return Combine("scan", expression::Operator::Parse(op, types()), start);
}

Sequence Sequence::ScanBefore(absl::string_view op,
                              absl::string_view start) const {
  return Combine("scan_before", expression::Operator::Parse(op, types()),
                 start);
}

Sequence Sequence::Count() const {
  Node node;
  node.word = "count";
  node.types = {Type::kInt64};
  return Then(std::move(node));
}

Sequence Sequence::Last() const {
  Node node;
  node.word = "last";
  node.types = types();
  return Then(std::move(node));
}

Sequence Sequence::Take(std::int64_t count) const { return Slice(0, count); }

Sequence Sequence::Slice(std::int64_t first, std::int64_t count) const {
  Node node;
  node.word = "slice";
  node.types = types();
  node.rest = absl::StrCat(" ", first, ", ", count);
  if (first < 0 || count < 0) {
    node.status = InvalidArgumentError("there is no slice of ", count,
                                       " elements from ", first, " on");
  }
  return Then(std::move(node));
}

Sequence Sequence::Together(absl::string_view word,
                            absl::Span<const Sequence> sequences) {
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
}

Sequence Zip(absl::Span<const Sequence> sequences) {
  return Sequence::Together("zip", sequences);
}

Sequence Concat(absl::Span<const Sequence> sequences) {
  return Sequence::Together("concat", sequences);
}

const std::vector<Type>& Sequence::types() const { return node_->types; }
const absl::Status& Sequence::status() const { return node_->status; }

absl::StatusOr<std::string> Sequence::Text() const {
  RETURN_IF_ERROR(status());
  return Writer().Program(node_);
}

absl::Status Sequence::Run(const Sinks& sinks) const {
  RETURN_IF_ERROR(status());
  Writer writer;
  ASSIGN_OR_RETURN(const std::string program, writer.Program(node_));
  Sources sources;
  for (std::size_t k = 0; k < writer.columns.size(); ++k) {
    sources[ColumnName(k)] = std::make_shared<ArraySource>(
        writer.columns[k]->array, writer.columns[k]->owner);
  }
  ASSIGN_OR_RETURN(const Algorithm* algorithm,
                   FindAlgorithm(SequenceProgram::kName));
  ASSIGN_OR_RETURN(Call call,
                   Call::Create(*algorithm, node_->backend, "",
                                {{"program", program}}, sources, sinks));
  RETURN_IF_ERROR(call.Launch());
  return call.Finish();
}

absl::StatusOr<std::vector<HostArray>> Sequence::Columns(
    const std::vector<ElementType>& wanted) const {
  RETURN_IF_ERROR(status());
  std::vector<ElementType> stored;
  for (const Type type : types()) stored.push_back(StoredAs(type));
  if (!wanted.empty() && stored != wanted) {
    return InvalidArgumentError(
        "elements are of type ",
        absl::StrJoin(types(), ", ",
                      [](std::string* out, Type type) {
                        absl::StrAppend(out, expression::Name(type));
                      }),
        ", not ", Name(wanted.front()));
  }
  std::vector<HostArraySink> columns(stored.size());
  if (stored.size() > kMostColumns) {
    return InvalidArgumentError("a result has at most ", kMostColumns,
                                " columns, not ", stored.size());
  }
  Sinks sinks;
  for (std::size_t k = 0; k < columns.size(); ++k) {
    sinks[OutputName(k)] = &columns[k];
  }
  RETURN_IF_ERROR(Run(sinks));
  std::vector<HostArray> values;
  for (HostArraySink& column : columns) {
    values.push_back(std::move(column.value()));
  }
  return values;
}

absl::Status Sequence::Into(absl::Span<const ArrayView> columns,
                            std::int64_t* count) const {
  RETURN_IF_ERROR(status());
  if (columns.size() != types().size() || columns.size() > kMostColumns) {
    return InvalidArgumentError(
        "the result has ", types().size(), " columns, arrays are given for ",
        columns.size(), "; there can be ", kMostColumns);
  }
  std::vector<ViewSink> places(columns.begin(), columns.end());
  Sinks sinks;
  for (std::size_t k = 0; k < places.size(); ++k) {
    sinks[OutputName(k)] = &places[k];
  }
  RETURN_IF_ERROR(Run(sinks));
  if (count != nullptr) *count = places.front().size();
  return absl::OkStatus();
}

absl::Status Sequence::NotOne(std::size_t size) {
  return InvalidArgumentError("there are ", size,
                              " elements; Get is for a sequence of one");
}

}  // namespace concord
