// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_SEQUENCE_PLANNER_H_
#define CONCORD_ALGORITHMS_SEQUENCE_PLANNER_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "concord/algorithms/sequence/plan.h"
#include "concord/algorithms/sequence/program.h"
#include "concord/core/expression/compose.h"
#include "concord/core/expression/graph.h"

namespace concord::sequence {

// Makes the plan of a program, stage by stage. All functions are parts of one
// graph, whose parameters are inputs of passes and results of operators, and
// whose tables belong to a stage each.
class Planner {
 public:
  Planner(const Program& program, Fusion fusion);

  absl::StatusOr<Plan> Run();

 private:
  // What a stage gives, as far as it has not been stored.
  struct Value {
    // Of each element: over inputs, or over results of `pending`.
    std::vector<int> nodes = {};
    int extent = 0;
    // A filter that has not run: a node that says which elements are there.
    std::optional<int> keep = std::nullopt;
    // A reduction or scan without its epilogue.
    std::optional<Pass> pending = std::nullopt;
    // The graph's parameter that is the first value of its result; the others
    // follow.
    int first_result = 0;
    // The last stage in it.
    int stage = 0;

    bool lazy() const { return !keep.has_value() && !pending.has_value(); }
  };

  absl::StatusOr<Value> ValueOf(int stage);
  absl::StatusOr<Value> Column(int stage);
  absl::StatusOr<Value> Zip(int stage);
  absl::StatusOr<Value> Concat(int stage);
  absl::StatusOr<Value> Map(int stage);
  absl::StatusOr<Value> Filter(int stage);
  absl::StatusOr<Value> Reduce(int stage);
  absl::StatusOr<Value> Scan(int stage);
  absl::StatusOr<Value> Count(int stage);
  absl::StatusOr<Value> Last(int stage);
  absl::StatusOr<Value> Slice(int stage);
  absl::StatusOr<Value> SortBy(int stage);
  absl::StatusOr<Value> Histogram(int stage);
  absl::StatusOr<Value> GroupReduce(int stage);
  absl::Status Finish();

  // --- Keys (planner_groups.cc) ---

  // Nodes of sorted keys, and of the positions that they had, if anything else
  // goes with them.
  struct Sorted {
    int keys;
    std::optional<int> positions = std::nullopt;
  };
  // `key` is of the extent's elements, and reads no tables of the program.
  absl::StatusOr<Sorted> SortKeys(int stage, int extent, int key,
                                  bool with_positions);
  // These nodes in the order of sorted keys; what is the key itself is there.
  std::vector<int> InOrder(const std::vector<int>& nodes, int key,
                           const Sorted& sorted);
  // What the stage's function gives, with the elements behind a key that is
  // alone where `with_elements` is set. It reads no tables of the program.
  absl::StatusOr<std::vector<int>> KeyedValues(int stage, bool with_elements);
  // Whether the sorted key is the first, or the last, of its group.
  int IsFirstOfGroup(int keys);
  int IsLastOfGroup(int stage, int keys, int extent);
  // start op each of the totals, to go with the flag `is_last` and a key.
  absl::StatusOr<std::vector<int>> FromStart(int stage, int extent,
                                             const std::vector<int>& totals,
                                             int is_last);

  // The value of the stage's first input.
  Value& InputOf(int stage);
  // Whether what the stage gives is left to whoever reads it.
  bool StaysUnstored(int stage, const Value& value) const;

  // The results of the stage's function on these values.
  std::vector<int> Apply(int stage, const std::vector<int>& values);
  // The same values with other nodes for inputs, and for the index.
  std::vector<int> Replaced(const std::vector<int>& nodes,
                            const std::function<int(const Input&)>& of_input,
                            int index);
  // The same values from element `first` on.
  std::vector<int> Shifted(const std::vector<int>& nodes, std::int64_t first);
  // Element `index` of the array, from the input's first on; outside of it 0.
  int Gather(const Input& input, int index);
  // Chooses what counts as nothing where an element is not kept.
  int OrIdentity(int keep, int node, expression::Word identity);

  // Nodes that read tables of the program.
  std::vector<int> ReadsOf(absl::Span<const int> nodes) const;
  bool ReadsTables(const Value& value) const;
  // Whether all that `from` reads from tables is read by `to`, too.
  bool KeepsReads(absl::Span<const int> from, absl::Span<const int> to) const;
  // Whether fusion makes one function of these.
  bool Fits(absl::Span<const int> nodes) const;
  // Whether a function can have all that these need.
  bool CanBeFunction(absl::Span<const int> nodes) const;
  // Whether backends can have these for the pass's epilogue, with start op the
  // result before them (EpilogueFromStart).
  bool CanBeEpilogue(const Pass& pass, absl::Span<const int> nodes) const;
  // Whether the value is in arrays, and needs no computation.
  bool IsView(const Value& value) const;
  // Whether it is better computed twice than stored.
  bool IsCheap(const Value& value) const;

  // Makes a view of the value.
  absl::Status Store(Value& value);
  absl::Status StoreKept(Value& value);
  // Makes it a value of inputs alone: neither a filter nor an operator that has
  // not run, nor one that reads tables.
  absl::Status StoreUnlessPlain(Value& value);
  // Nodes of buffers that a pass of the stage writes these to.
  absl::StatusOr<std::vector<int>> Stored(int stage, int extent,
                                          absl::Span<const int> nodes);
  // A pass whose prologue gives these.
  absl::StatusOr<Pass> PassOf(Pass::Kind kind, int stage, int extent,
                              absl::Span<const int> nodes);
  absl::StatusOr<Pass> CombiningPass(int stage, Pass::Kind kind,
                                     absl::Span<const int> nodes, int extent);
  // The operator's result, still without an epilogue.
  Value Pending(Pass pass, int extent);
  // New buffers for the pass's results; adds it. Returns nodes that read them.
  std::vector<int> Add(Pass pass, const std::vector<expression::Type>& types,
                       int extent);

  int NumberOf(const Extent& extent);
  int Constant(std::int64_t count);
  // A parameter of the graph.
  int InputNode(const Input& input);
  std::vector<expression::Type> TypesOf(absl::Span<const int> nodes) const;

  // A parameter of the graph: an input, or a result of an operator.
  struct Leaf {
    std::optional<Input> input;
  };
  // Of the plan's own, if there is no stage.
  struct TableOfStage {
    int stage;
    int array;
    std::vector<int> arguments;
  };
  int NumberOf(TableOfStage table);

  const Program& program_;
  const Fusion fusion_;
  Plan plan_;
  expression::Graph graph_;
  std::vector<Leaf> leaves_;
  std::vector<TableOfStage> tables_;
  std::vector<Value> values_;
  // How many stages read each; the result is read once more.
  std::vector<int> readers_;
};

}  // namespace concord::sequence

#endif  // CONCORD_ALGORITHMS_SEQUENCE_PLANNER_H_
