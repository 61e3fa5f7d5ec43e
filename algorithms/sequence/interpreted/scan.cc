// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The nodes of an up- and downsweep (algorithms/scan/scan.h), one level of them
// after the other.

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "concord/algorithms/sequence/interpreted/code_on_device.h"
#include "concord/algorithms/sequence/interpreted/level.h"
#include "concord/algorithms/sequence/interpreted/ordered.h"
#include "concord/algorithms/sequence/order.h"
#include "concord/core/errors.h"
#include "concord/core/expression/compose.h"
#include "concord/core/expression/evaluate.h"

namespace concord::sequence {
namespace {

using expression::Function;
using expression::Graph;
using expression::Op;
using expression::Operator;
using expression::Type;
using machine::Arrays;

using Nodes = std::vector<int>;

// Of `count` operands from number `first` on.
Nodes Part(const Nodes& nodes, std::size_t first, std::size_t count) {
  return Nodes(nodes.begin() + static_cast<std::ptrdiff_t>(first),
               nodes.begin() + static_cast<std::ptrdiff_t>(first + count));
}

std::vector<Type> Twice(std::vector<Type> types) {
  const std::vector<Type> once = types;
  types.insert(types.end(), once.begin(), once.end());
  return types;
}

// The functions of a scan, of a tuple `before` and a tuple x.
struct ScanFunctions {
  Function pair;     // before op x
  Function down;     // (before, before op x)
  Function with;     // the result of before op x
  Function without;  // the result of before alone
};

absl::StatusOr<ScanFunctions> FunctionsOf(
    const Operator& op, const std::optional<Function>& epilogue) {
  const std::size_t values = op.types().size();
  const auto result = [&](Nodes state, Graph& graph) {
    return epilogue.has_value() ? Inline(*epilogue, {state}, graph) : state;
  };
  ASSIGN_OR_RETURN(
      Function down,
      FunctionOver(Twice(op.types()), [&](Graph& graph, const Nodes& operands) {
        Nodes both = Part(operands, 0, values);
        const Nodes all = Inline(op.function(), {operands}, graph);
        both.insert(both.end(), all.begin(), all.end());
        return both;
      }));
  ASSIGN_OR_RETURN(
      Function with,
      FunctionOver(Twice(op.types()), [&](Graph& graph, const Nodes& operands) {
        return result(Inline(op.function(), {operands}, graph), graph);
      }));
  ASSIGN_OR_RETURN(
      Function without,
      FunctionOver(op.types(), [&](Graph& graph, const Nodes& state) {
        return result(state, graph);
      }));
  return ScanFunctions{op.function(), std::move(down), std::move(with),
                       std::move(without)};
}

// Whether the results are parameters.
bool OnlySelects(const Function& function) {
  for (int result : function.results()) {
    if (function.nodes()[result].op != Op::kParameter) return false;
  }
  return true;
}

struct ScanKernels {
  InterpretedFunction prologue, pair, down, with, without;
};

class InterpretedScanPass : public InterpretedPass {
 public:
  InterpretedScanPass(std::shared_ptr<CudaBackend> backend, const Pass& pass,
                      std::optional<Tuple> beginning, bool begins,
                      ScanKernels kernels)
      : InterpretedPass(std::move(backend)),
        types_(pass.op->types()),
        prologue_(*pass.prologue),
        beginning_(std::move(beginning)),
        begins_(begins),
        before_(pass.before),
        kernels_(std::move(kernels)) {}

 private:
  std::int64_t Bytes(std::int64_t count) const {
    // A level is written up to a whole pair.
    return Level::Bytes(types_, count + 1);
  }
  Level Take(char*& at, std::int64_t count) const {
    const Level level = Level::At(at, types_, count + 1);
    at += Bytes(count);
    return level;
  }

  absl::Status Launch(const Call& call) override {
    // How many nodes each level has, up to one.
    std::vector<std::int64_t> counts = {call.end};
    while (counts.back() > 1) counts.push_back((counts.back() + 1) / 2);
    std::int64_t bytes = 0;
    for (std::int64_t count : counts) bytes += Bytes(count);
    bytes += Bytes(counts[0]) + Bytes((counts[0] + 1) / 2) + Bytes(1);
    ASSIGN_OR_RETURN(char* at, memory_.Reserve(backend(), bytes));
    std::vector<Level> totals;
    for (std::int64_t count : counts) totals.push_back(Take(at, count));
    Level before = Take(at, counts[0]);
    Level next = Take(at, (counts[0] + 1) / 2);
    const Level beginning = Take(at, 1);
    RETURN_IF_ERROR(GoUp(call, counts, totals));
    if (beginning_.has_value()) RETURN_IF_ERROR(Begin(beginning));
    // The last of the levels that take turns is to be the larger one.
    if (counts.size() % 2 == 0) std::swap(before, next);
    if (begins_) RETURN_IF_ERROR(beginning.Copy(backend(), 0, before, 0));
    for (std::size_t level = counts.size() - 1; level > 0; --level) {
      RETURN_IF_ERROR(GoDown(counts[level], totals[level - 1], before, next));
      std::swap(before, next);
    }
    return Finish(call, totals[0], before, beginning);
  }

  // The elements, then pairs of these, and so on; the last node of a level is
  // not needed.
  absl::Status GoUp(const Call& call, const std::vector<std::int64_t>& counts,
                    std::vector<Level>& totals) {
    if (OnlySelects(prologue_)) {
      totals[0] = Level();
      for (int result : prologue_.results()) {
        totals[0].Add(call.columns[prologue_.nodes()[result].bits]);
      }
    } else {
      Arrays arrays = call.arrays;
      arrays.aligned = 0;
      totals[0].SetOut(arrays, 0);
      RETURN_IF_ERROR(kernels_.prologue.Launch(backend(), arrays));
    }
    for (std::size_t level = 1; level < counts.size(); ++level) {
      Arrays pairs{};
      totals[level - 1].SetIn(pairs, 0, 0, 2);
      totals[level - 1].SetIn(pairs, types_.size(), 1, 2);
      totals[level].SetOut(pairs, 0);
      pairs.end = counts[level] - 1;
      if (pairs.end == 0) break;
      RETURN_IF_ERROR(kernels_.pair.Launch(backend(), pairs));
    }
    return absl::OkStatus();
  }

  // What the pass begins with, as an element.
  absl::Status Begin(const Level& beginning) {
    for (std::size_t k = 0; k < types_.size(); ++k) {
      alignas(8) char element[8] = {};
      expression::StoreValue(types_[k], element, 0, (*beginning_)[k]);
      RETURN_IF_ERROR(backend().Copy(
          ConstArrayView(element, StoredAs(types_[k]), 1, Memory::Host()),
          beginning.ElementOf(backend(), k, 0)));
    }
    return absl::OkStatus();
  }

  // What precedes the two halves of each of `count` nodes. Nothing precedes the
  // first half of the first, unless the pass begins with something.
  absl::Status GoDown(std::int64_t count, const Level& halves,
                      const Level& before, const Level& next) {
    if (!begins_) RETURN_IF_ERROR(halves.Copy(backend(), 0, next, 1));
    Arrays arrays{};
    before.SetIn(arrays, 0);
    halves.SetIn(arrays, types_.size(), 0, 2);
    next.SetOut(arrays, 0, 0, 2);
    next.SetOut(arrays, types_.size(), 1, 2);
    arrays.begin = begins_ ? 0 : 1;
    arrays.end = count;
    if (arrays.begin == arrays.end) return absl::OkStatus();
    return kernels_.down.Launch(backend(), arrays);
  }

  absl::Status Finish(const Call& call, const Level& x, const Level& before,
                      const Level& beginning) {
    Arrays arrays = call.arrays;
    arrays.aligned = 0;
    if (!begins_) {
      // The first by itself.
      (before_ ? beginning : x).SetIn(arrays, 0);
      arrays.end = 1;
      RETURN_IF_ERROR(kernels_.without.Launch(backend(), arrays));
      arrays.begin = 1;
      arrays.end = call.end;
      if (arrays.begin == arrays.end) return absl::OkStatus();
    }
    before.SetIn(arrays, 0);
    if (before_) return kernels_.without.Launch(backend(), arrays);
    x.SetIn(arrays, types_.size());
    return kernels_.with.Launch(backend(), arrays);
  }

  const std::vector<Type> types_;
  const Function prologue_;
  const std::optional<Tuple> beginning_;
  const bool begins_;
  const bool before_;
  ScanKernels kernels_;
  DeviceScratch memory_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<InterpretedPass>> InterpretedScan(
    std::shared_ptr<CudaBackend> backend, const Pass& pass) {
  const Operator& op = *pass.op;
  const bool begins = pass.start.has_value() || op.built_in().has_value();
  std::optional<Tuple> beginning =
      pass.start.has_value() ? pass.start : OfNothing(op);
  if (!beginning.has_value() && (begins || pass.before)) {
    return InvalidArgumentError(
        "an exclusive scan by an operator whose identity is not known");
  }
  ASSIGN_OR_RETURN(const ScanFunctions functions,
                   FunctionsOf(op, pass.epilogue));
  ASSIGN_OR_RETURN(InterpretedFunction prologue,
                   InterpretedFunction::Create(*backend, *pass.prologue));
  ASSIGN_OR_RETURN(InterpretedFunction pair,
                   InterpretedFunction::Create(*backend, functions.pair));
  ASSIGN_OR_RETURN(InterpretedFunction down,
                   InterpretedFunction::Create(*backend, functions.down));
  ASSIGN_OR_RETURN(InterpretedFunction with,
                   InterpretedFunction::Create(*backend, functions.with));
  ASSIGN_OR_RETURN(InterpretedFunction without,
                   InterpretedFunction::Create(*backend, functions.without));
  ScanKernels kernels{std::move(prologue), std::move(pair), std::move(down),
                      std::move(with), std::move(without)};
  return std::unique_ptr<InterpretedPass>(
      new InterpretedScanPass(std::move(backend), pass, std::move(beginning),
                              begins, std::move(kernels)));
}

}  // namespace concord::sequence
