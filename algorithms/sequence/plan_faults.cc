// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "concord/algorithms/sequence/compiler_faults.h"
#include "concord/algorithms/sequence/faulty_run.h"
#include "concord/algorithms/sequence/program_cache.h"
#include "concord/core/element_type.h"
#include "concord/core/errors.h"
#include "concord/core/host_array.h"

namespace concord::sequence {
namespace {

// Where a faulty pass is cut.
constexpr std::int64_t kPiece = 4;

// --- Plans ---

Fault PlanFault(std::string name, std::string what, void (*change)(Pass&)) {
  return {std::move(name), std::move(what), /*smallest_size=*/1,
          [change](const FaultyRun& run) {
            return RunPlanned(
                run,
                [change](const Program& program)
                    -> absl::StatusOr<std::shared_ptr<const Plan>> {
                  ASSIGN_OR_RETURN(Plan plan, MakePlan(program));
                  for (Pass& pass : plan.passes) change(pass);
                  return std::make_shared<const Plan>(std::move(plan));
                });
          }};
}

// Where the types are the same without it.
void DropEpilogue(Pass& pass) {
  if (pass.epilogue.has_value() &&
      pass.epilogue->ResultTypes() == pass.op->types()) {
    pass.epilogue.reset();
  }
}

void ReadFromStart(Pass& pass) {
  for (Input& input : pass.inputs) input.first = 0;
}

void CountElementItself(Pass& pass) { pass.before = false; }

// --- Passes ---

Fault PassFault(std::string name, std::string what, std::int64_t smallest_size,
                absl::StatusOr<PassOutcome> (*run_pass)(PassRunner&,
                                                        const PassCall&)) {
  return {
      std::move(name), std::move(what), smallest_size,
      [run_pass](const FaultyRun& run) { return RunPassing(run, run_pass); }};
}

// Elements of the call from `first` on, with results from `to` on.
PassCall Piece(const PassCall& call, std::int64_t first, std::int64_t to) {
  PassCall piece = call;
  piece.n = std::min(kPiece, call.n - first);
  piece.index += first;
  for (ConstArrayView& input : piece.inputs) {
    input = input.Slice(first, piece.n);
  }
  for (ArrayView& output : piece.outputs) output = output.Slice(to, piece.n);
  return piece;
}

// Of what reads no tables, whose reads would have to be put together.
absl::StatusOr<PassOutcome> DropCarry(PassRunner& right, const PassCall& call) {
  if (call.pass.kind != Pass::Kind::kScan || !call.tables.empty()) {
    return right.Run(call);
  }
  for (std::int64_t first = 0; first < call.n; first += kPiece) {
    RETURN_IF_ERROR(right.Run(Piece(call, first, first)).status());
  }
  return PassOutcome();
}

absl::StatusOr<PassOutcome> MisplaceKept(PassRunner& right,
                                         const PassCall& call) {
  if (call.pass.kind != Pass::Kind::kFilter || !call.tables.empty()) {
    return right.Run(call);
  }
  PassOutcome all;
  for (std::int64_t first = 0; first < call.n; first += kPiece) {
    const std::int64_t to = std::max<std::int64_t>(all.kept.known - 1, 0);
    ASSIGN_OR_RETURN(const PassOutcome piece,
                     right.Run(Piece(call, first, to)));
    all.kept.known = to + piece.kept.known;
  }
  return all;
}

// Neighbours of the last input change places.
absl::StatusOr<PassOutcome> ReadWrongLane(PassRunner& right,
                                          const PassCall& call) {
  if (call.inputs.empty()) return right.Run(call);
  const ConstArrayView& input = call.inputs.back();
  const auto width = static_cast<std::size_t>(SizeOf(input.type()));
  HostArray lanes(input.type(), {input.size()});
  char* const bytes = lanes.data<char>();
  std::memcpy(bytes, input.data(),
              static_cast<std::size_t>(input.size()) * width);
  for (std::int64_t i = 0; i + 1 < input.size(); i += 2) {
    char* const lane = bytes + static_cast<std::size_t>(i) * width;
    std::swap_ranges(lane, lane + width, lane + width);
  }
  PassCall wrong = call;
  wrong.inputs.back() = lanes.view();
  return right.Run(wrong);
}

// --- The cache ---

// All of a program but what its functions are: a plan can be run for any
// program that is the same so far.
std::string ShapeOf(const Program& program) {
  std::string shape;
  const auto add = [&](const auto& numbers) {
    absl::StrAppend(&shape, absl::StrJoin(numbers, ","), ";");
  };
  const auto add_types = [&](const std::vector<expression::Type>& types) {
    std::vector<std::string> names;
    for (expression::Type type : types) names.emplace_back(Name(type));
    add(names);
  };
  for (const expression::Parameter& column : program.columns()) {
    add_types({column.type});
  }
  for (const Stage& stage : program.stages()) {
    add(std::vector<std::int64_t>{static_cast<int>(stage.kind), stage.first,
                                  stage.count, stage.start.has_value()});
    add(stage.inputs);
    add(stage.tables);
    add_types(stage.types);
  }
  return shape;
}

// What is found stays, as in a cache; each list of faults has its own.
Fault StaleEntry() {
  auto plans =
      std::make_shared<std::map<std::string, std::shared_ptr<const Plan>>>();
  return {"stale_entry", "takes programs of one shape for the same",
          /*smallest_size=*/1, [plans](const FaultyRun& run) {
            return RunPlanned(
                run,
                [&](const Program& program)
                    -> absl::StatusOr<std::shared_ptr<const Plan>> {
                  std::shared_ptr<const Plan>& plan =
                      (*plans)[ShapeOf(program)];
                  if (plan == nullptr) {
                    ASSIGN_OR_RETURN(plan, PlanOf(program));
                  }
                  return plan;
                });
          }};
}

}  // namespace

std::vector<Fault> PlanFaults() {
  return {
      PlanFault("dropped_stage", "forgets the map after a scan or reduction",
                DropEpilogue),
      PlanFault("slice_from_start", "reads a slice from the first element on",
                ReadFromStart),
      PlanFault("scan_for_scan_before", "has each element in its own prefix",
                CountElementItself),
      PassFault("dropped_carry", "begins a scan anew in each piece", kPiece + 1,
                DropCarry),
      PassFault("misplaced_kept",
                "writes what a piece keeps an element too early", kPiece + 1,
                MisplaceKept),
      PassFault("wrong_lane", "reads a lane's neighbour", 2, ReadWrongLane),
      StaleEntry(),
  };
}

}  // namespace concord::sequence
