// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "concord/algorithms/sequence/interpreted/code_on_device.h"
#include "concord/algorithms/sequence/interpreted/level.h"
#include "concord/algorithms/sequence/interpreted/ordered.h"
#include "concord/algorithms/sequence/spliced/shapes.h"
#include "concord/core/errors.h"
#include "concord/core/expression/compose.h"

namespace concord::sequence {
namespace {

using expression::Function;
using expression::Operator;
using machine::Arrays;
using machine::Encoded;
using machine::Places;
using machine::Step;
using spliced::kFoldRow;

// The steps of a kernel that goes through rows.
struct RowCode {
  CodeOnDevice begin;
  CodeOnDevice step;
  int slots;
  bool wide;
};

// Puts values from slots on into others, in lanes that have an element.
std::vector<Step> MoveSlots(int from, int to, int count) {
  std::vector<Step> steps(static_cast<std::size_t>(2 * count));
  for (int k = 0; k < count; ++k) {
    Step& load = steps[static_cast<std::size_t>(2 * k)];
    load.code = machine::Code::kLoad;
    load.source = machine::Source::kSlot;
    load.number = static_cast<std::uint16_t>(from + k);
    Step& put = steps[static_cast<std::size_t>(2 * k + 1)];
    put.code = machine::Code::kPutPresent;
    put.number = static_cast<std::uint16_t>(to + k);
  }
  return steps;
}

// The state is in the first slots, the next element's behind it, and what the
// operator makes of both behind that. Its last value is put into the state at
// once: nothing reads the state after that.
absl::StatusOr<RowCode> RowCodeOf(CudaBackend& backend,
                                  const Function& prologue,
                                  const Operator& op) {
  const auto values = static_cast<int>(op.types().size());
  const bool wide = machine::NeedsWideWords(prologue) ||
                    machine::NeedsWideWords(op.function());
  Places into_state;
  into_state.results = Places::Of::kSlots;
  into_state.result_slot = 0;
  into_state.free_slot = 3 * values;
  Places into_next = into_state;
  into_next.result_slot = values;
  Places combine = into_state;
  combine.parameters = Places::Of::kSlots;
  combine.parameter_slot = 0;
  combine.result_slot = 2 * values;
  Encoded begin = Encode(prologue, into_state, wide);
  Encoded step = Encode(prologue, into_next, wide);
  const Encoded combined = Encode(op.function(), combine, wide);
  step.steps.insert(step.steps.end(), combined.steps.begin(),
                    combined.steps.end());
  step.steps.back().code = machine::Code::kPutPresent;
  step.steps.back().number = static_cast<std::uint16_t>(values - 1);
  const std::vector<Step> moves = MoveSlots(2 * values, 0, values - 1);
  step.steps.insert(step.steps.end(), moves.begin(), moves.end());
  const int slots = std::max({begin.slots, step.slots, combined.slots});
  ASSIGN_OR_RETURN(CodeOnDevice begin_code,
                   CodeOnDevice::Create(backend, std::move(begin.steps)));
  ASSIGN_OR_RETURN(CodeOnDevice step_code,
                   CodeOnDevice::Create(backend, std::move(step.steps)));
  return RowCode{std::move(begin_code), std::move(step_code), slots, wide};
}

class InterpretedFoldPass : public InterpretedPass {
 public:
  InterpretedFoldPass(std::shared_ptr<CudaBackend> backend, Level::Types types,
                      RowCode code, InterpretedFunction combine,
                      InterpretedFunction finish)
      : InterpretedPass(std::move(backend)),
        types_(std::move(types)),
        code_(std::move(code)),
        combine_(std::move(combine)),
        finish_(std::move(finish)) {}

 private:
  absl::Status Launch(const Call& call) override {
    std::int64_t count = (call.end + kFoldRow - 1) / kFoldRow;
    const std::int64_t bytes = Level::Bytes(types_, count);
    ASSIGN_OR_RETURN(char* const at, states_.Reserve(backend(), 2 * bytes));
    Level states = Level::At(at, types_, count);
    Level above = Level::At(at + bytes, types_, count);
    FoldCall fold{code_.begin.steps(),
                  code_.step.steps(),
                  static_cast<int>(types_.size()),
                  {}};
    std::copy(types_.begin(), types_.end(), fold.types);
    Arrays rows = call.arrays;
    states.SetOut(rows, 0);
    ASSIGN_OR_RETURN(const SlotRoom room,
                     RoomFor(backend(), code_.slots, 0, scratch_));
    RETURN_IF_ERROR(LaunchFoldRows(backend(), code_.wide, rows, fold, room));
    for (; count > 1; count = (count + 1) / 2) {
      Arrays pairs{};
      states.SetIn(pairs, 0, 0, 2);
      states.SetIn(pairs, types_.size(), 1, 2);
      above.SetOut(pairs, 0);
      pairs.end = count / 2;
      RETURN_IF_ERROR(combine_.Launch(backend(), pairs));
      if (count % 2 == 1) {
        RETURN_IF_ERROR(states.Copy(backend(), count - 1, above, count / 2));
      }
      std::swap(states, above);
    }
    Arrays last = call.arrays;
    states.SetIn(last, 0);
    last.end = 1;
    last.aligned = 0;
    return finish_.Launch(backend(), last);
  }

  const Level::Types types_;
  const RowCode code_;
  InterpretedFunction combine_, finish_;
  DeviceScratch states_, scratch_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<InterpretedPass>> InterpretedFold(
    std::shared_ptr<CudaBackend> backend, const Function& prologue,
    const Operator& op, const std::optional<Function>& epilogue) {
  ASSIGN_OR_RETURN(RowCode code, RowCodeOf(*backend, prologue, op));
  ASSIGN_OR_RETURN(InterpretedFunction combine,
                   InterpretedFunction::Create(*backend, op.function()));
  ASSIGN_OR_RETURN(const Function same,
                   FunctionOver(op.types(), [](expression::Graph&,
                                               const std::vector<int>& state) {
                     return state;
                   }));
  ASSIGN_OR_RETURN(
      InterpretedFunction finish,
      InterpretedFunction::Create(*backend, epilogue.value_or(same)));
  return std::unique_ptr<InterpretedPass>(
      new InterpretedFoldPass(std::move(backend), op.types(), std::move(code),
                              std::move(combine), std::move(finish)));
}

}  // namespace concord::sequence
