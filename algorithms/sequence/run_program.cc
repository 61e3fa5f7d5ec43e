// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/algorithms/sequence/run_program.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "concord/algorithms/sequence/groups.h"
#include "concord/algorithms/sequence/sizes.h"
#include "concord/core/errors.h"
#include "concord/core/expression/evaluate.h"
#include "concord/core/memory.h"

namespace concord::sequence {
namespace {

using expression::Function;
using expression::Parameter;
using expression::Type;
using expression::Word;
using Kind = Stage::Kind;
using Tuples = std::vector<Tuple>;

absl::Status CheckColumns(const Program& program,
                          absl::Span<const ConstArrayView> columns) {
  if (columns.size() != program.columns().size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("the program has ", program.columns().size(),
                     " columns, not ", columns.size()));
  }
  for (std::size_t k = 0; k < columns.size(); ++k) {
    const Parameter& column = program.columns()[k];
    absl::Status status =
        CheckType(column.name, columns[k], StoredAs(column.type));
    if (status.ok()) {
      status =
          CheckArray(column.name, columns[k], Memory::Host(), "RunProgram");
    }
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

// A stage's function, with the columns that it reads.
class Applier {
 public:
  Applier(const Stage& stage, absl::Span<const ConstArrayView> columns)
      : function_(*stage.function) {
    for (int column : stage.tables) tables_.push_back(columns[column]);
  }

  Tuple operator()(const Tuple& x, std::int64_t index) {
    expression::Evaluated evaluated =
        expression::Evaluate(function_, x, index, tables_);
    if (evaluated.outside.has_value() && status_.ok()) {
      const auto& [table, at] = *evaluated.outside;
      const std::string& name = function_.tables()[table].name;
      status_ = absl::OutOfRangeError(
          absl::StrCat("element ", index, " reads ", name, "[", at, "], and ",
                       name, " has ", tables_[table].size(), " elements"));
    }
    return std::move(evaluated.results);
  }

  // These results, if all reads were inside.
  absl::StatusOr<Tuples> Checked(Tuples results) const {
    if (!status_.ok()) return status_;
    return results;
  }

 private:
  const Function& function_;
  std::vector<ConstArrayView> tables_;
  absl::Status status_;
};

// With the quiet NaN for any other: what is only moved has it in results, too.
Tuples Column(const Parameter& column, const ConstArrayView& array) {
  Tuples elements;
  for (std::int64_t i = 0; i < array.size(); ++i) {
    elements.push_back({expression::Canonical(
        column.type, expression::LoadValue(column.type, array.data(), i))});
  }
  return elements;
}

absl::StatusOr<Tuples> Tabulated(const Stage& stage, Applier apply) {
  if (stage.count > kMostElements) {
    return absl::ResourceExhaustedError(absl::StrCat(
        "tabulate makes at most ", kMostElements, " elements here"));
  }
  Tuples elements;
  for (std::int64_t i = 0; i < stage.count; ++i) {
    elements.push_back(apply({}, i));
  }
  return apply.Checked(std::move(elements));
}

absl::StatusOr<Tuples> Zipped(const std::vector<const Tuples*>& inputs) {
  Tuples zipped = *inputs[0];
  for (const Tuples* input : absl::MakeSpan(inputs).subspan(1)) {
    if (input->size() != zipped.size()) {
      return UnequalZip(static_cast<std::int64_t>(zipped.size()),
                        static_cast<std::int64_t>(input->size()));
    }
    for (std::size_t i = 0; i < zipped.size(); ++i) {
      zipped[i].insert(zipped[i].end(), (*input)[i].begin(), (*input)[i].end());
    }
  }
  return zipped;
}

absl::StatusOr<Tuples> Concatenated(const std::vector<const Tuples*>& inputs) {
  Tuples all;
  for (const Tuples* input : inputs) {
    if (all.size() + input->size() > static_cast<std::size_t>(kMostElements)) {
      return absl::ResourceExhaustedError(absl::StrCat(
          "concat makes at most ", kMostElements, " elements here"));
    }
    all.insert(all.end(), input->begin(), input->end());
  }
  return all;
}

absl::StatusOr<Tuples> Mapped(Applier apply, const Tuples& x) {
  Tuples results;
  for (std::size_t i = 0; i < x.size(); ++i) {
    results.push_back(apply(x[i], static_cast<std::int64_t>(i)));
  }
  return apply.Checked(std::move(results));
}

absl::StatusOr<Tuples> Filtered(Applier keep, const Tuples& x) {
  Tuples kept;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (keep(x[i], static_cast<std::int64_t>(i))[0] != 0) kept.push_back(x[i]);
  }
  return keep.Checked(std::move(kept));
}

absl::StatusOr<Tuples> Reduced(const Stage& stage, const Tuples& x) {
  std::optional<Tuple> total = Reduce(*stage.op, x, stage.start);
  if (total.has_value()) return Tuples{*std::move(total)};
  return absl::InvalidArgumentError(
      "reduce of nothing, by an operator whose identity is not known; say "
      "after 'from' what to begin with");
}

absl::StatusOr<Tuples> LastOf(const Tuples& x) {
  if (x.empty()) return absl::InvalidArgumentError("last of nothing");
  return Tuples{x.back()};
}

Tuples Slice(const Tuples& x, std::int64_t first, std::int64_t count) {
  const auto size = static_cast<std::int64_t>(x.size());
  const std::int64_t begin = std::min(first, size);
  const std::int64_t end = begin + std::min(count, size - begin);
  return Tuples(x.begin() + begin, x.begin() + end);
}

// What the stage's function gives for each element: keys, and values.
struct Keyed {
  std::vector<Word> keys;
  Tuples values;
};

absl::StatusOr<Keyed> KeysOf(const Applier& apply, const Tuples& x) {
  Keyed keyed;
  ASSIGN_OR_RETURN(keyed.values, Mapped(apply, x));
  for (Tuple& tuple : keyed.values) {
    keyed.keys.push_back(tuple[0]);
    tuple.erase(tuple.begin());
  }
  return keyed;
}

absl::StatusOr<Tuples> Sorted(const Applier& apply, Type key, const Tuples& x) {
  ASSIGN_OR_RETURN(const Keyed keyed, KeysOf(apply, x));
  Tuples sorted;
  for (const std::size_t position : PositionsByKey(key, keyed.keys)) {
    sorted.push_back(x[position]);
  }
  return sorted;
}

absl::StatusOr<Tuples> Grouped(const Stage& stage, const Applier& apply,
                               const Tuples& x) {
  ASSIGN_OR_RETURN(const Keyed keyed, KeysOf(apply, x));
  const Type key = stage.types[0];
  if (stage.kind == Kind::kHistogram) return Histogram(key, keyed.keys);
  const bool keys_alone = stage.function->results().size() == 1;
  return GroupReduce(key, keyed.keys, keys_alone ? x : keyed.values, *stage.op,
                     stage.start);
}

absl::StatusOr<Tuples> RunStage(const Program& program, const Stage& stage,
                                absl::Span<const ConstArrayView> columns,
                                const std::vector<const Tuples*>& inputs) {
  switch (stage.kind) {
    case Kind::kColumn:
      return Column(program.columns()[stage.first], columns[stage.first]);
    case Kind::kTabulate:
      return Tabulated(stage, Applier(stage, columns));
    case Kind::kZip:
      return Zipped(inputs);
    case Kind::kConcat:
      return Concatenated(inputs);
    case Kind::kMap:
      return Mapped(Applier(stage, columns), *inputs[0]);
    case Kind::kFilter:
      return Filtered(Applier(stage, columns), *inputs[0]);
    case Kind::kReduce:
      return Reduced(stage, *inputs[0]);
    case Kind::kScan:
      return InclusiveScan(*stage.op, *inputs[0], stage.start);
    case Kind::kScanBefore:
      return ExclusiveScan(*stage.op, *inputs[0], stage.start);
    case Kind::kCount:
      return Tuples{{static_cast<Word>(inputs[0]->size())}};
    case Kind::kLast:
      return LastOf(*inputs[0]);
    case Kind::kSlice:
      return Slice(*inputs[0], stage.first, stage.count);
    case Kind::kSortBy:
      return Sorted(Applier(stage, columns), stage.function->ResultTypes()[0],
                    *inputs[0]);
    case Kind::kHistogram:
    case Kind::kGroupReduce:
      return Grouped(stage, Applier(stage, columns), *inputs[0]);
  }
  return absl::InternalError("no such stage");
}

}  // namespace

absl::StatusOr<std::vector<Tuple>> RunProgram(
    const Program& program, absl::Span<const ConstArrayView> columns) {
  absl::Status status = CheckColumns(program, columns);
  if (!status.ok()) return status;
  std::vector<Tuples> results;
  results.reserve(program.stages().size());
  for (const Stage& stage : program.stages()) {
    std::vector<const Tuples*> inputs;
    for (int input : stage.inputs) inputs.push_back(&results[input]);
    absl::StatusOr<Tuples> result = RunStage(program, stage, columns, inputs);
    if (!result.ok()) return result.status();
    results.push_back(*std::move(result));
  }
  return std::move(results.back());
}

}  // namespace concord::sequence
