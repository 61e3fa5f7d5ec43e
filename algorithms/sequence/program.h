// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_SEQUENCE_PROGRAM_H_
#define CONCORD_ALGORITHMS_SEQUENCE_PROGRAM_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "concord/core/expression/function.h"
#include "concord/core/expression/operator.h"
#include "concord/core/expression/value_type.h"

namespace concord::sequence {

// One step of a program: sequences of tuples -> a sequence of tuples. x are the
// elements of its first input, n how many there are.
//
//   kColumn            input number `first` of the program
//   kTabulate          f() at i = 0, ..., count - 1
//   kZip               tuples of the inputs' values; of equally many elements
//   kConcat            the inputs one after the other; of equal types
//   kMap               f(x[0]), ..., f(x[n - 1])
//   kFilter            the x with f(x), in order
//   kReduce            x[0] op ... op x[n - 1], one element; the identity if
//                      there are none
//   kScan              x[0], x[0] op x[1], ...
//   kScanBefore        the identity, x[0], x[0] op x[1], ..., n of them
//   kCount             n, one int64
//   kLast              x[n - 1], one element; there has to be one
//   kSlice             x[first], ..., x[first + count - 1], as far as they
//                      exist
//   kSortBy            the x, ascending by f(x); equal ones stay in order
//   kHistogram         for each of the f(x), ascending: it, and how many x
//                      have it, an int64
//   kGroupReduce       with (k, v) = f(x), for each of the k, ascending: k, and
//                      the v that come with it, combined in order; v is any
//                      number of values, or x where f gives k alone
//
// Where there is a `start`, those with an operator begin with it: start op x[0]
// op ..., and it stands for the identity, which it need not be. The order in
// which an operator is applied, and that of keys, is part of the meaning
// (order.h, groups.h).
struct Stage {
  enum class Kind : std::uint8_t {
    kColumn,
    kTabulate,
    kZip,
    kConcat,
    kMap,
    kFilter,
    kReduce,
    kScan,
    kScanBefore,
    kCount,
    kLast,
    kSlice,
    kSortBy,
    kHistogram,
    kGroupReduce,
  };

  Kind kind;
  // Numbers of stages before it.
  std::vector<int> inputs = {};
  // Of the tuples that it gives.
  std::vector<expression::Type> types = {};
  std::optional<expression::Function> function = std::nullopt;
  // Columns of the program that are the function's tables.
  std::vector<int> tables = {};
  std::optional<expression::Operator> op = std::nullopt;
  std::optional<std::vector<expression::Word>> start = std::nullopt;
  std::int64_t first = 0;
  std::int64_t count = 0;
};

// A graph of stages, each after those that it reads. The last one is the
// result.
class Program {
 public:
  // The program of a text, on columns of these names and types:
  //
  //   program := { name '=' chain ';' } chain
  //   chain   := [ source '|>' ] stage { '|>' stage } | source
  //   source  := name | 'zip' name { name } | 'concat' name { name }
  //            | 'tabulate' function ',' number
  //   stage   := 'map' function | 'filter' function | 'count' | 'last'
  //            | 'take' number | 'slice' number ',' number
  //            | ( 'reduce' | 'scan' | 'scan_before' ) op
  //            | ( 'sort_by' | 'histogram' ) function
  //            | 'group_reduce' function 'by' op
  //   op      := operator [ 'from' constants ] [ 'unchecked' ]
  //
  // `from` says the start. A chain without a source begins at the first column.
  // Functions, operators and constants are those of core/expression; a function
  // with names for its parts stands in braces. `unchecked` leaves out the trial
  // of the operator's laws. InvalidArgument has the line, the column and a
  // caret.
  static absl::StatusOr<Program> Parse(
      absl::string_view text, std::vector<expression::Parameter> columns);

  const std::vector<expression::Parameter>& columns() const { return columns_; }
  const std::vector<Stage>& stages() const { return stages_; }
  const std::vector<expression::Type>& types() const {
    return stages_.back().types;
  }
  // Another one for each program that is parsed; copies share it. What has been
  // made from a program can be found again by it.
  std::uint64_t id() const { return id_; }

 private:
  Program(std::vector<expression::Parameter> columns,
          std::vector<Stage> stages);

  std::uint64_t id_;
  std::vector<expression::Parameter> columns_;
  std::vector<Stage> stages_;
};

}  // namespace concord::sequence

#endif  // CONCORD_ALGORITHMS_SEQUENCE_PROGRAM_H_
