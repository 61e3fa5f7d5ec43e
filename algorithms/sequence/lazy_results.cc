// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// What sequences give when they are asked for it.

#include <algorithm>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "concord/algorithms/sequence/lazy_writer.h"
#include "concord/algorithms/sequence/pass_compiler.h"
#include "concord/algorithms/sequence/plan.h"
#include "concord/algorithms/sequence/program_cache.h"
#include "concord/algorithms/sequence/sequence.h"
#include "concord/core/errors.h"
#include "concord/core/guarded.h"

namespace concord {

using expression::Type;
using sequence::kColumnNames;
using sequence::kMostColumns;
using sequence::kOutputNames;

namespace {

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

absl::StatusOr<std::string> Sequence::Text() const {
  return Guarded([&]() -> absl::StatusOr<std::string> {
    RETURN_IF_ERROR(status());
    return Writer().Program(node_);
  });
}

absl::StatusOr<ExplainedCall> Sequence::Explain() const {
  return Guarded([&]() -> absl::StatusOr<ExplainedCall> {
    RETURN_IF_ERROR(status());
    Writer writer;
    ASSIGN_OR_RETURN(const std::string program, writer.Program(node_));
    Inputs columns;
    for (std::size_t k = 0; k < writer.columns().size(); ++k) {
      columns.emplace(kColumnNames[k], writer.columns()[k]->array);
    }
    return ExplainCall(SequenceProgram::kName, {{"program", program}}, columns);
  });
}

absl::Status Sequence::Run(const Sinks& sinks) const {
  RETURN_IF_ERROR(status());
  std::unique_ptr<ReadyRun> run = node_->idle.Take();
  if (run == nullptr) {
    ASSIGN_OR_RETURN(run, ReadyRun::Make(node_));
  }
  RETURN_IF_ERROR((*run)(sinks));
  node_->idle.Give(std::move(run));
  return absl::OkStatus();
}

absl::Status Sequence::Prepare() const {
  return Guarded([&]() -> absl::Status {
    RETURN_IF_ERROR(status());
    Writer writer;
    ASSIGN_OR_RETURN(const std::string text, writer.Program(node_));
    std::vector<ConstArrayView> columns(kMostColumns);
    for (std::size_t k = 0; k < writer.columns().size(); ++k) {
      columns[k] = writer.columns()[k]->array;
    }
    ASSIGN_OR_RETURN(const std::shared_ptr<const sequence::Program> program,
                     sequence::ProgramOf(text, columns));
    ASSIGN_OR_RETURN(const sequence::Plan plan, sequence::MakePlan(*program));
    for (const sequence::PassCompiler& compiler : sequence::PassCompilers()) {
      if (compiler.backend != node_->backend->info().name) continue;
      RETURN_IF_ERROR(compiler.prepare(node_->backend, plan));
    }
    return absl::OkStatus();
  });
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
        ", not ",
        absl::StrJoin(wanted, ", ", [](std::string* out, ElementType type) {
          absl::StrAppend(out, Name(type));
        }));
  }
  std::vector<HostArraySink> columns(stored.size());
  if (stored.size() > kMostColumns) {
    return InvalidArgumentError("a result has at most ", kMostColumns,
                                " columns, not ", stored.size());
  }
  Sinks sinks;
  for (std::size_t k = 0; k < columns.size(); ++k) {
    sinks[kOutputNames[k]] = &columns[k];
  }
  RETURN_IF_ERROR(Run(sinks));
  std::vector<HostArray> values;
  for (HostArraySink& column : columns) {
    values.push_back(std::move(column.value()));
  }
  return values;
}

absl::StatusOr<std::vector<HostArray>> Sequence::OneElement(
    const std::vector<ElementType>& types) const {
  ASSIGN_OR_RETURN(std::vector<HostArray> columns, Columns(types));
  const std::int64_t size = columns.front().size();
  if (size == 1) return columns;
  return InvalidArgumentError("there are ", size,
                              " elements; Get is for a sequence of one");
}

absl::Status Sequence::Into(absl::Span<const ArrayView> columns,
                            std::int64_t* count) const {
  return Guarded([&]() -> absl::Status {
    RETURN_IF_ERROR(status());
    if (columns.size() != types().size() || columns.size() > kMostColumns) {
      return InvalidArgumentError(
          "the result has ", types().size(), " columns, arrays are given for ",
          columns.size(), "; there can be ", kMostColumns);
    }
    for (std::size_t k = 0; k < columns.size(); ++k) {
      // Where it lies, the run looks at.
      RETURN_IF_ERROR(
          CheckArray(kOutputNames[k], columns[k], columns[k].memory(), "Into"));
    }
    std::vector<ViewSink> places(columns.begin(), columns.end());
    Sinks sinks;
    for (std::size_t k = 0; k < places.size(); ++k) {
      sinks[kOutputNames[k]] = &places[k];
    }
    RETURN_IF_ERROR(Run(sinks));
    if (count != nullptr) *count = places.front().size();
    return absl::OkStatus();
  });
}

}  // namespace concord
