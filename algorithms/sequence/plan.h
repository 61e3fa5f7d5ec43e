// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// What a backend runs for a program: a few passes over arrays instead of a
// stage at a time. Fusion changes no bit:
//
//   - maps, zip, tabulate and slices go into the prologue of what reads them;
//     maps after a scan or a reduction into its epilogue;
//   - a filter that is read by an exact reduction or a count only is a choice
//     between the value and the identity;
//   - what several stages read is stored if it takes more than 16 operations or
//     more than one array to compute it, and else computed anew;
//   - keys are sorted by `radix_sort`. What goes with them is read where it
//     lies by whoever reads the sorted elements, at the positions that the sort
//     gives;
//   - groups are a filter of sorted elements: the last of each of them;
//   - everything else is stored, as is what would make a function too large.
//
// All reads of tables by the program stay: a function whose reads a later stage
// would drop is stored, too.
//
// Without fusion, what each stage computes is stored, by passes of its own.

#ifndef CONCORD_ALGORITHMS_SEQUENCE_PLAN_H_
#define CONCORD_ALGORITHMS_SEQUENCE_PLAN_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "concord/algorithms/sequence/program.h"
#include "concord/core/expression/function.h"
#include "concord/core/expression/operator.h"
#include "concord/core/expression/value_type.h"

namespace concord::sequence {

// Functions of more than this are not made by fusion.
inline constexpr int kMostFusedOperations = 256;
inline constexpr int kMostFusedInputs = 8;

// A number of elements, known when columns are, or when a filter has run.
struct Extent {
  enum class Kind : std::uint8_t {
    kColumn,    // of column `number`
    kConstant,  // `count`
    kKept,      // what pass `number`, a filter, keeps
    kSlice,     // of extent of[0], from `first` on, `count` at most
    kSum,       // of the extents `of`
  };

  Kind kind;
  int number = 0;
  std::int64_t first = 0;
  std::int64_t count = 0;
  // Numbers of extents before it.
  std::vector<int> of = {};

  friend bool operator==(const Extent& x, const Extent& y) {
    return x.kind == y.kind && x.number == y.number && x.first == y.first &&
           x.count == y.count && x.of == y.of;
  }
};

// An array that a pass makes and others read, or a result of the program.
struct Buffer {
  expression::Type type;
  // A number of elements; more may be needed while a filter runs.
  int extent;
  // The number of the program's result that it is, or -1.
  int result = -1;
};

// Where a pass reads an element for each of its own: element `first` + i.
struct Input {
  // A column of the program, if less than their number; otherwise a buffer,
  // counted from there.
  int array;
  std::int64_t first = 0;
  expression::Type type;

  friend bool operator==(const Input& x, const Input& y) {
    return x.array == y.array && x.first == y.first && x.type == y.type;
  }
};

// A table of a pass's prologue.
struct TableRead {
  // As that of an Input.
  int array;
  // Whose function it is that reads it, or -1 if the plan does, whose reads
  // outside are no errors and give 0. And the values of that function's
  // parameters, if it has any, from the same inputs, index and tables as the
  // prologue: enough for Evaluate to say which read is outside.
  int stage;
  std::optional<expression::Function> arguments = std::nullopt;
};

struct Pass {
  // With x = prologue(values of the inputs at first + i, i), for i from 0 on:
  //
  //   kMap      outputs[k][i] = x[k]
  //   kFilter   outputs[k] = those x[k + 1] where x[0], a bool, is true
  //   kReduce   outputs[k][0] = epilogue(start op x of 0 op x of 1 ...)[k]
  //   kScan     outputs[k][i] = epilogue(start op ... op x of i, i)[k]; where
  //             `before` is set, without x of i
  //   kCount    outputs[0][0] = the extent; there is no prologue
  //   kSort     outputs[0] = the input, ascending in the order of groups.h; any
  //             NaN in it is the quiet NaN. outputs[1][i], if there is one, is
  //             where in the input element i was, and equal ones stay in order;
  //             there is no prologue
  enum class Kind : std::uint8_t {
    kMap,
    kFilter,
    kReduce,
    kScan,
    kCount,
    kSort,
  };

  // How an operator combines elements (order.h).
  enum class Order : std::uint8_t {
    kAny,    // a built-in operator on single values that is exact
    kTree,   // sums and products of floats: the tree of reduce
    kRows,   // a reduction by a user's operator: rows of 128, then pairs
    kNodes,  // scans by a user's operator, and of sums and products of floats
  };

  Kind kind = Kind::kMap;
  // The stage of the program that it is, or ends with.
  int stage = 0;
  int extent = 0;
  // Only the last element of the extent; of nothing that is an error. A map.
  bool last = false;
  std::vector<Input> inputs = {};
  // In the order of the prologue's tables.
  std::vector<TableRead> reads = {};
  std::optional<expression::Function> prologue = std::nullopt;
  std::optional<expression::Operator> op = std::nullopt;
  std::optional<std::vector<expression::Word>> start = std::nullopt;
  Order order = Order::kAny;
  bool before = false;
  // Absent where it would change nothing. Its parameters are the values of a
  // result of the operator.
  std::optional<expression::Function> epilogue = std::nullopt;
  // Buffers, one for each value, into which the results go from the sum of the
  // extents `output_after` on.
  std::vector<int> outputs = {};
  std::vector<int> output_after = {};

  // For each element.
  int operations() const;
  int bytes_read() const;
};

struct Plan {
  std::vector<expression::Type> column_types;
  std::vector<Extent> extents;
  std::vector<Buffer> buffers;
  std::vector<Pass> passes;

  // Extents that have to be equal, or zip, a stage, is an error.
  struct SameSize {
    int stage;
    std::vector<int> extents;
  };
  std::vector<SameSize> zips;
};

enum class Fusion : std::uint8_t {
  kAll,
  // A stage that computes something has a pass, or several, and reads nothing
  // but columns and buffers. zip, slices, and maps that only choose among
  // values need none.
  kNone,
};

// The plan of a program. InvalidArgument if a function becomes too large for
// any plan.
absl::StatusOr<Plan> MakePlan(const Program& program,
                              Fusion fusion = Fusion::kAll);

// By buffer, the number of the last pass that reads or writes it.
std::vector<int> LastUsers(const Plan& plan);

// The epilogue, if there is one, of start op the operator's results, if there
// is a start.
absl::StatusOr<std::optional<expression::Function>> EpilogueFromStart(
    const expression::Operator& op,
    const std::optional<std::vector<expression::Word>>& start,
    const std::optional<expression::Function>& epilogue);

// A pass for people.
struct PassSummary {
  // "zip x p1 |> map x, y -> x - y |> reduce a, b -> max(a, b)": x is a column
  // of the program and p1 what the first pass gave. The parameters of a
  // function are called x, y, ... in the order of what is zipped. That of a
  // filter gives whether to keep an element, and what is kept of it. Where a
  // function reads a result of a pass that gives several, the second of them is
  // p1_2.
  std::string text;
  std::int64_t elements = 0;
  // So many or fewer: a filter or groups decide.
  bool at_most = false;
  // Of each element.
  int operations = 0;
  std::int64_t bytes_read = 0;
  std::int64_t bytes_written = 0;
};

// The passes for columns of these names and sizes, where filters keep
// everything.
std::vector<PassSummary> Summarize(
    const Plan& plan, const std::vector<expression::Parameter>& columns,
    absl::Span<const std::int64_t> sizes);

// What all of them read together. No lower bound of what a program must read is
// above it: a plan may need a part of a column only.
std::int64_t BytesRead(const std::vector<PassSummary>& passes);

// The values of extents, by number, for columns of these sizes; `kept` are the
// results of filters, by number of the pass. Without it, they keep everything.
std::vector<std::int64_t> ExtentValues(
    const Plan& plan, absl::Span<const std::int64_t> sizes,
    const std::optional<std::vector<std::int64_t>>& kept = std::nullopt);

}  // namespace concord::sequence

#endif  // CONCORD_ALGORITHMS_SEQUENCE_PLAN_H_
