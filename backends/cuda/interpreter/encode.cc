// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/backends/cuda/interpreter/encode.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include "concord/backends/cuda/interpreter/operation_steps.h"
#include "concord/backends/cuda/interpreter/short_steps.h"
#include "concord/core/expression/accumulator_code.h"

namespace concord::machine {
namespace {

using expression::Instruction;
using expression::Op;
using expression::Operand;
using expression::Type;

class Encoder {
 public:
  Encoder(const Places& places, bool wide) : places_(places), wide_(wide) {}

  Encoded Run(const expression::Function& function) {
    const expression::AccumulatorCode code = CompileForAccumulator(function);
    next_slot_ = places_.free_slot + code.slots;
    for (const Instruction& instruction : code.instructions) Add(instruction);
    const auto count = [](Places::Of of, int first, std::size_t values) {
      return of == Places::Of::kSlots ? first + static_cast<int>(values) : 0;
    };
    Encoded encoded;
    encoded.slots = std::max({next_slot_,
                              count(places_.parameters, places_.parameter_slot,
                                    function.parameters().size()),
                              count(places_.results, places_.result_slot,
                                    function.results().size())});
    before_.insert(before_.end(), steps_.begin(), steps_.end());
    encoded.steps = Shortened(before_, wide_);
    return encoded;
  }

 private:
  Step& Add(Code code) {
    steps_.emplace_back();
    steps_.back().code = code;
    return steps_.back();
  }

  // The slot that has the operand, if one does.
  std::optional<int> SlotOf(const Operand& operand) const {
    if (operand.kind == Operand::Kind::kSlot) {
      return places_.free_slot + static_cast<int>(operand.value);
    }
    if (operand.kind == Operand::Kind::kParameter &&
        places_.parameters == Places::Of::kSlots) {
      return places_.parameter_slot + static_cast<int>(operand.value);
    }
    return std::nullopt;
  }

  // Makes the operand, a value of the type, what the step fetches.
  void SetSource(Step& step, const Operand& operand, Type type) const {
    if (operand.kind == Operand::Kind::kNone) return;
    step.type = type;
    if (operand.kind == Operand::Kind::kConstant) {
      step.source = Source::kConstant;
      step.constant = operand.value;
    } else if (const std::optional<int> slot = SlotOf(operand)) {
      step.source = Source::kSlot;
      step.number = static_cast<std::uint16_t>(*slot);
    } else {
      step.source = Source::kColumn;
      step.number = static_cast<std::uint16_t>(operand.value);
    }
  }

  // A slot that has the operand: a new one, filled before all other steps, if
  // there is none.
  std::uint16_t InSlot(const Operand& operand, Type type) {
    std::optional<int> slot = SlotOf(operand);
    if (!slot.has_value()) {
      int& filled = filled_[{operand.kind, operand.value}];
      if (filled == 0) {
        filled = ++next_slot_;
        Step load, put;
        load.code = Code::kLoad;
        SetSource(load, operand, type);
        put.code = Code::kPut;
        put.number = static_cast<std::uint16_t>(filled - 1);
        before_.insert(before_.end(), {load, put});
      }
      slot = filled - 1;
    }
    return static_cast<std::uint16_t>(*slot);
  }

  // Makes the operand the step's second.
  void SetSecond(Step& step, const Operand& operand, Type type) {
    if (operand.kind == Operand::Kind::kConstant) {
      step.constant = operand.value;
    } else {
      step.second = InSlot(operand, type);
    }
  }

  // Makes it what the step fetches, even if it is a constant.
  void SetFetched(Step& step, const Operand& operand, Type type) {
    if (operand.kind != Operand::Kind::kConstant) {
      return SetSource(step, operand, type);
    }
    step.source = Source::kSlot;
    step.number = InSlot(operand, type);
  }

  void Add(const Instruction& instruction) {
    switch (instruction.kind) {
      case Instruction::Kind::kLoad:
        SetSource(Add(Code::kLoad), instruction.operand, instruction.type);
        break;
      case Instruction::Kind::kIndex:
        Add(Code::kIndex);
        break;
      case Instruction::Kind::kPut:
        Add(Code::kPut).number =
            static_cast<std::uint16_t>(places_.free_slot + instruction.number);
        break;
      case Instruction::Kind::kResult:
        AddResult(instruction);
        break;
      case Instruction::Kind::kApply:
        AddApply(instruction);
        break;
      case Instruction::Kind::kChoose:
        AddChoose(instruction);
    }
  }

  void AddResult(const Instruction& instruction) {
    if (places_.results == Places::Of::kAccumulator) return;
    if (places_.results == Places::Of::kSlots) {
      Add(Code::kPut).number =
          static_cast<std::uint16_t>(places_.result_slot + instruction.number);
      return;
    }
    if (IsFloat(instruction.type)) {
      Add(instruction.type == Type::kFloat32 ? Code::kCanonical32
                                             : Code::kCanonical64);
    }
    Step& step = Add(places_.results == Places::Of::kKept ? Code::kStoreKept
                                                          : Code::kStore);
    step.type = instruction.type;
    step.number =
        static_cast<std::uint16_t>(places_.first_output + instruction.number);
  }

  void AddApply(const Instruction& instruction) {
    const Type type = instruction.type;
    switch (instruction.op) {
      case Op::kGather: {
        Step& step = Add(Code::kGather);
        step.type = instruction.other_type;
        step.number = static_cast<std::uint16_t>(instruction.number);
        return;
      }
      case Op::kCast:
        return Append(CastSteps(type, instruction.other_type, wide_));
      case Op::kFma: {
        Step& step =
            Add(type == Type::kFloat32 ? Code::kFmaFloat32 : Code::kFmaFloat64);
        SetFetched(step, instruction.operand, type);
        return SetSecond(step, instruction.third, type);
      }
      default:
        break;
    }
    Step operand;
    SetSource(operand, instruction.operand, type);
    Append(OperationSteps(instruction.op, type, operand, instruction.reversed,
                          wide_));
  }

  void Append(const std::vector<Step>& steps) {
    steps_.insert(steps_.end(), steps.begin(), steps.end());
  }

  void AddChoose(const Instruction& instruction) {
    const bool compares = instruction.op != Op::kSelect;
    Step test;
    if (compares) {
      const Type type = instruction.other_type;
      test.code = TestCode(instruction.op, type, wide_);
      SetFetched(test, instruction.left, type);
      SetSecond(test, instruction.right, type);
    } else {
      // Whether the condition is 0, so that the two change places.
      test.code = Code::Test_Equal_Signed;
      SetFetched(test, instruction.left, Type::kBool);
    }
    steps_.push_back(test);
    Step& choose = Add(instruction.reversed == compares ? Code::kChooseOther
                                                        : Code::kChoose);
    SetSource(choose, instruction.operand, instruction.type);
  }

  const Places places_;
  const bool wide_;
  std::vector<Step> before_, steps_;
  int next_slot_ = 0;
  // One more than the slot of what had none.
  std::map<std::pair<Operand::Kind, expression::Word>, int> filled_;
};

}  // namespace

bool IsWide(Type type) { return BytesOf(type) == 8; }

bool NeedsWideWords(const expression::Function& function) {
  return std::any_of(
      function.nodes().begin(), function.nodes().end(),
      [](const expression::Node& node) { return IsWide(node.type); });
}

Encoded Encode(const expression::Function& function, const Places& places,
               bool wide) {
  return Encoder(places, wide).Run(function);
}

Code CombiningCode(Op op, Type type, bool wide) {
  return OperationSteps(op, type, Step(), false, wide)[0].code;
}

}  // namespace concord::machine
