// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_SEQUENCE_LAZY_WRITER_H_
#define CONCORD_ALGORITHMS_SEQUENCE_LAZY_WRITER_H_

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "concord/algorithms/sequence/lazy_run.h"
#include "concord/algorithms/sequence/sequence.h"
#include "concord/core/array.h"
#include "concord/core/backend.h"
#include "concord/core/expression/function.h"

namespace concord {

// An array, or a stage of a program on the results of others.
struct Sequence::Node {
  std::shared_ptr<Backend> backend;
  absl::Status status;
  std::vector<expression::Type> types;
  // Of an array.
  ConstArrayView array;
  std::shared_ptr<const void> owner;
  // Of a stage: its word, what it reads, and the rest of its text.
  std::string word;
  std::vector<std::shared_ptr<const Node>> inputs;
  std::optional<expression::Function> function;
  // What the function's tables are.
  std::vector<std::shared_ptr<const Node>> tables;
  std::string rest;
  int steps = 1;
  // What the last who asked for results left.
  mutable IdleRun idle = {};
};

// Writes the program of a sequence. What is read more than once, or by zip and
// concat, has a name. Arrays are columns in the order that Text() promises.
class Sequence::Writer {
 public:
  using Ptr = std::shared_ptr<const Node>;

  absl::StatusOr<std::string> Program(const Ptr& node);

  // Of the arrays that the program reads, in the order of its columns.
  const std::vector<const Node*>& columns() const { return columns_; }

 private:
  void CountReaders(const Ptr& node);
  absl::StatusOr<std::string> NameOfArray(const Node* node);
  // A name for what the node gives.
  absl::StatusOr<std::string> NameOf(const Ptr& node);
  // What the node gives, as a chain of stages.
  absl::StatusOr<std::string> Chain(const Ptr& node);
  absl::StatusOr<std::string> Stage(const Node& node);
  // The node's function, with the names that its tables have as columns. A
  // parameter of such a name would hide one.
  absl::StatusOr<expression::Function> WithColumnNames(const Node& node);

  std::map<const Node*, int> readers_;
  std::map<const Node*, std::string> names_;
  std::vector<const Node*> columns_;
  std::string definitions_;
};

}  // namespace concord

#endif  // CONCORD_ALGORITHMS_SEQUENCE_LAZY_WRITER_H_
