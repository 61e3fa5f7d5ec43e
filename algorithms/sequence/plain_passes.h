// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Passes for tests of plans.

#ifndef CONCORD_ALGORITHMS_SEQUENCE_PLAIN_PASSES_H_
#define CONCORD_ALGORITHMS_SEQUENCE_PLAIN_PASSES_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "concord/algorithms/sequence/groups.h"
#include "concord/algorithms/sequence/order.h"
#include "concord/algorithms/sequence/run_plan.h"
#include "concord/core/expression/evaluate.h"

namespace concord::sequence {

// Passes as plan.h defines them, one element at a time.
class PlainPasses : public PassRunner {
 public:
  absl::StatusOr<PassOutcome> Run(const PassCall& call) override {
    PassOutcome outcome;
    if (call.pass.kind == Pass::Kind::kSort) {
      Sort(call);
      return outcome;
    }
    outcome.outside.resize(call.tables.size());
    std::vector<Tuple> x;
    for (std::int64_t i = 0; i < call.n; ++i) {
      x.push_back(Prologue(call, i, outcome));
    }
    const Pass& pass = call.pass;
    if (pass.kind == Pass::Kind::kFilter) {
      std::vector<Tuple> kept;
      for (const Tuple& tuple : x) {
        if (tuple[0] != 0) kept.emplace_back(tuple.begin() + 1, tuple.end());
      }
      x = kept;
      outcome.kept.known = static_cast<std::int64_t>(kept.size());
    }
    if (pass.kind == Pass::Kind::kReduce) {
      x = {*Reduce(*pass.op, x, pass.start)};
    }
    if (pass.kind == Pass::Kind::kScan) {
      x = pass.before ? ExclusiveScan(*pass.op, x, pass.start)
                      : InclusiveScan(*pass.op, x, pass.start);
    }
    for (std::size_t i = 0; i < x.size(); ++i) {
      const auto at = static_cast<std::int64_t>(i);
      if (pass.epilogue.has_value()) {
        x[i] = expression::Evaluate(*pass.epilogue, x[i], at).results;
      }
      for (std::size_t k = 0; k < call.outputs.size(); ++k) {
        const ArrayView& out = call.outputs[k];
        EXPECT_LT(at, out.size());
        expression::Store(out.type(), out.data(), at, x[i][k]);
      }
    }
    return outcome;
  }

 private:
  static void Sort(const PassCall& call) {
    const expression::Type type = call.pass.inputs[0].type;
    std::vector<expression::Word> keys;
    for (std::int64_t i = 0; i < call.n; ++i) {
      keys.push_back(expression::LoadValue(type, call.inputs[0].data(), i));
    }
    std::int64_t i = 0;
    for (const std::size_t position : PositionsByKey(type, keys)) {
      expression::StoreValue(type, call.outputs[0].data(), i, keys[position]);
      if (call.outputs.size() > 1) {
        call.outputs[1].data<std::int64_t>()[i] =
            static_cast<std::int64_t>(position);
      }
      ++i;
    }
  }

  static Tuple Prologue(const PassCall& call, std::int64_t i,
                        PassOutcome& outcome) {
    Tuple arguments;
    for (std::size_t k = 0; k < call.inputs.size(); ++k) {
      arguments.push_back(expression::LoadValue(call.pass.inputs[k].type,
                                                call.inputs[k].data(), i));
    }
    NoteReads(call, arguments, i, outcome);
    return expression::Evaluate(*call.pass.prologue, arguments, call.index + i,
                                call.tables)
        .results;
  }

  // Of each read by itself: Evaluate tells of the first only.
  static void NoteReads(const PassCall& call, const Tuple& arguments,
                        std::int64_t i, PassOutcome& outcome) {
    expression::Nodes nodes = call.pass.prologue->form();
    for (const expression::Node& node : nodes.nodes) {
      if (node.op != expression::Op::kGather) continue;
      expression::Nodes index = nodes;
      index.results = {node.a};
      const auto at = static_cast<std::int64_t>(
          expression::Evaluate(index, arguments, call.index + i, call.tables)
              .results[0]);
      if (at >= 0 && at < call.tables[node.bits].size()) continue;
      std::optional<std::int64_t>& first = outcome.outside[node.bits];
      first = std::min(first.value_or(i), i);
    }
  }
};

// As they are on a GPU: a filter leaves how many it has kept in memory, where
// the number stands until the pass runs again.
class PassesThatLeaveCounts : public PlainPasses {
 public:
  absl::StatusOr<PassOutcome> Run(const PassCall& call) override {
    absl::StatusOr<PassOutcome> outcome = PlainPasses::Run(call);
    if (!outcome.ok() || call.pass.kind != Pass::Kind::kFilter) return outcome;
    std::int64_t& count = counts_[&call.pass];
    count = std::exchange(outcome->kept.known, -1);
    outcome->kept.there =
        ConstArrayView(absl::MakeConstSpan(&count, std::size_t{1}));
    return outcome;
  }

 private:
  std::map<const Pass*, std::int64_t> counts_;
};

}  // namespace concord::sequence

#endif  // CONCORD_ALGORITHMS_SEQUENCE_PLAIN_PASSES_H_
