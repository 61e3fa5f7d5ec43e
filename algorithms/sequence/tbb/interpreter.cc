// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The passes of the program's plan (plan.h), each by all threads over chunks
// that stay in the cache, with functions run by the interpreter of vectors
// (backends/tbb/interpreter).

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "concord/algorithms/sequence/key_sorter.h"
#include "concord/algorithms/sequence/order.h"
#include "concord/algorithms/sequence/plan.h"
#include "concord/algorithms/sequence/program_cache.h"
#include "concord/algorithms/sequence/run_plan.h"
#include "concord/algorithms/sequence/sequence_program.h"
#include "concord/algorithms/sequence/tbb/ordered.h"
#include "concord/algorithms/sequence/tbb/passes.h"
#include "concord/algorithms/sequence/tbb/value_arrays.h"
#include "concord/backends/tbb/tbb_backend.h"
#include "concord/core/errors.h"
#include "concord/core/expression/evaluate.h"
#include "concord/core/registry.h"

namespace concord::sequence {
namespace {

using expression::Function;

// x -> x, on values of these types.
absl::StatusOr<Function> Identity(const std::vector<expression::Type>& types) {
  expression::Nodes nodes;
  for (std::size_t k = 0; k < types.size(); ++k) {
    nodes.results.push_back(static_cast<int>(k));
    nodes.nodes.push_back(
        {expression::Op::kParameter, types[k], -1, -1, -1, k});
  }
  return Function::Create(expression::Scope::OfColumns(types),
                          std::move(nodes));
}

class TbbPasses : public PassRunner {
 public:
  TbbPasses(TbbBackend& backend, KeySorter& sorter)
      : backend_(backend), sorter_(sorter) {}

  absl::StatusOr<PassOutcome> Run(const PassCall& call) override {
    OutsideReads outside(call);
    PassOutcome outcome;
    switch (call.pass.kind) {
      case Pass::Kind::kSort:
        RETURN_IF_ERROR(sorter_.Run(backend_, call));
        break;
      case Pass::Kind::kMap:
        RunMap(backend_, call, outside, call.outputs);
        break;
      case Pass::Kind::kFilter:
        outcome.kept.known = Filter(backend_, call, outside);
        break;
      default:
        RETURN_IF_ERROR(RunCombining(call, outside));
    }
    outcome.outside = outside.outside();
    return outcome;
  }

 private:
  // Rows of elements and nodes are computed from inputs that lie beside each
  // other, so that what reads tables, or many inputs, is stored before.
  static bool NeedsStore(const PassCall& call) {
    const std::size_t parameters =
        call.inputs.size() + 1 + call.pass.op->types().size();
    return !call.tables.empty() || parameters > expression::kMostParameters;
  }

  absl::Status RunCombining(const PassCall& call, OutsideReads& outside) {
    const bool exact = call.pass.order == Pass::Order::kAny;
    if (call.pass.kind == Pass::Kind::kReduce && exact) {
      StoreTotal(call, ReduceExactly(backend_, call, outside));
      return absl::OkStatus();
    }
    if (call.pass.order == Pass::Order::kTree) {
      StoreTotal(call, ReduceInTree(backend_, call, outside));
      return absl::OkStatus();
    }
    if (exact && CanScanByChunks(call.pass)) {
      ScanByChunks(backend_, call, outside);
      return absl::OkStatus();
    }
    // Prologue and operator may be too large for one function.
    if (!NeedsStore(call) && RunInOrder(call).ok()) return absl::OkStatus();
    const ValueArrays values(call.pass.op->types(), call.n);
    RunMap(backend_, call, outside, values.views());
    Pass pass = call.pass;
    ASSIGN_OR_RETURN(pass.prologue, Identity(values.types()));
    return RunInOrder(
        {pass, call.n, call.index, values.const_views(), {}, call.outputs});
  }

  // InvalidArgument: OrderedPass::Of the pass. Nothing has been written then.
  absl::Status RunInOrder(const PassCall& call) {
    if (call.pass.kind == Pass::Kind::kScan) {
      ScanInNodes(backend_, call);
      return absl::OkStatus();
    }
    ASSIGN_OR_RETURN(const OrderedPass functions, OrderedPass::Of(call.pass));
    StoreTotal(call, ReduceInRows(backend_, call, functions));
    return absl::OkStatus();
  }

  static void StoreTotal(const PassCall& call, Tuple total) {
    const Pass& pass = call.pass;
    if (pass.start.has_value()) total = pass.op->Apply(*pass.start, total);
    for (std::size_t k = 0; k < total.size(); ++k) {
      total[k] = expression::Canonical(pass.op->types()[k], total[k]);
    }
    if (pass.epilogue.has_value()) {
      total = expression::Evaluate(*pass.epilogue, total).results;
    }
    for (std::size_t k = 0; k < total.size(); ++k) {
      const ArrayView& out = call.outputs[k];
      expression::Store(out.type(), out.data(), 0, total[k]);
    }
  }

  TbbBackend& backend_;
  KeySorter& sorter_;
};

class SequenceTbb : public OnTbb<SequenceProgram> {
 public:
  absl::Status Compute(const Program& program, Views columns,
                       MutableViews outputs) override {
    ASSIGN_OR_RETURN(const std::shared_ptr<const Plan> plan, PlanOf(program));
    TbbPasses passes(backend(), sorter_);
    ASSIGN_OR_RETURN(
        const std::int64_t size,
        RunPlan(program, *plan, columns,
                outputs.subspan(0, program.types().size()), backend(), passes));
    const ArrayView& count = outputs[kMostColumns];
    if (count.given()) *count.data<std::int64_t>() = size;
    return absl::OkStatus();
  }

 private:
  KeySorter sorter_;
};

const bool kRegistered = Registry<SequenceProgram>::Get().Add<SequenceTbb>(
    "tbb", "interpreter", /*rank=*/10,
    "fused passes of an interpreter with vectors, threads over chunks",
    SequenceContract());

}  // namespace

std::unique_ptr<PassRunner> MakeTbbPasses(TbbBackend& backend,
                                          KeySorter& sorter) {
  return std::make_unique<TbbPasses>(backend, sorter);
}

}  // namespace concord::sequence
