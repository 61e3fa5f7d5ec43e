// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/backends/cuda/interpreter/encode.h"

#include <algorithm>

#include "concord/core/expression/accumulator_code.h"

namespace concord::interpreter {
namespace {

using expression::Instruction;
using expression::Op;
using expression::Operand;
using expression::Type;

// The code of an operation on operands of a type; kEnd where there is none.
Code CodeOf(Op op, Type type) {
#define CONCORD_IF(name, enumerator, cpp_type)         \
  if (op == Op::k##name && type == Type::enumerator) { \
    return Code::name##_##enumerator;                  \
  }
  CONCORD_FOR_EACH_UNARY_STEP(CONCORD_IF)
  CONCORD_FOR_EACH_BINARY_STEP(CONCORD_IF)
#undef CONCORD_IF
  if (op == Op::kFma) {
    return type == Type::kFloat32 ? Code::kFmaFloat32 : Code::kFmaFloat64;
  }
  return Code::kEnd;
}

Code CastCode(Type from, Type to) {
#define CONCORD_IF(from_enumerator, enumerator, cpp_type)        \
  if (from == Type::from_enumerator && to == Type::enumerator) { \
    return Code::Cast_##from_enumerator##_##enumerator;          \
  }
  CONCORD_FOR_EACH_CAST_STEP(CONCORD_IF)
#undef CONCORD_IF
  return Code::kEnd;
}

class Encoder {
 public:
  explicit Encoder(const Places& places) : places_(places) {}

  Encoded Run(const expression::Function& function) {
    for (const expression::Node& node : function.nodes()) {
      encoded_.wide = encoded_.wide || IsWide(node.type);
    }
    const expression::AccumulatorCode code = CompileForAccumulator(function);
    for (const Instruction& instruction : code.instructions) Add(instruction);
    const auto count = [](Places::Of of, int first, std::size_t values) {
      return of == Places::Of::kSlots ? first + static_cast<int>(values) : 0;
    };
    encoded_.slots = std::max({places_.free_slot + code.slots,
                               count(places_.parameters, places_.parameter_slot,
                                     function.parameters().size()),
                               count(places_.results, places_.result_slot,
                                     function.results().size())});
    return std::move(encoded_);
  }

 private:
  Step& Add(Code code) {
    encoded_.steps.emplace_back();
    encoded_.steps.back().code = code;
    return encoded_.steps.back();
  }

  // Makes the operand, a value of the type, what the step fetches.
  void SetSource(Step& step, const Operand& operand, Type type) const {
    step.type = type;
    switch (operand.kind) {
      case Operand::Kind::kNone:
        break;
      case Operand::Kind::kSlot:
        step.source = Source::kSlot;
        step.number = static_cast<std::uint16_t>(
            places_.free_slot + static_cast<int>(operand.value));
        break;
      case Operand::Kind::kConstant:
        step.source = Source::kConstant;
        step.constant = operand.value;
        break;
      case Operand::Kind::kParameter:
        if (places_.parameters == Places::Of::kColumns) {
          step.source = Source::kColumn;
          step.number = static_cast<std::uint16_t>(operand.value);
        } else {
          step.source = Source::kSlot;
          step.number = static_cast<std::uint16_t>(
              places_.parameter_slot + static_cast<int>(operand.value));
        }
    }
  }

  // C = the operand.
  void LoadC(const Operand& operand, Type type) {
    Step& step = Add(Code::kLoad);
    SetSource(step, operand, type);
    step.on_c = true;
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
    if (places_.results == Places::Of::kSlots) {
      Add(Code::kPut).number =
          static_cast<std::uint16_t>(places_.result_slot + instruction.number);
      return;
    }
    const bool at_places = places_.results == Places::Of::kPlaces;
    Step& step = Add(at_places ? Code::kStoreAt : Code::kStore);
    step.type = instruction.type;
    step.number =
        static_cast<std::uint16_t>(places_.first_output + instruction.number);
    if (at_places) step.constant = static_cast<unsigned>(places_.result_slot);
  }

  void AddApply(const Instruction& instruction) {
    if (instruction.op == Op::kGather) {
      Step& step = Add(Code::kGather);
      step.type = instruction.other_type;
      step.number = static_cast<std::uint16_t>(instruction.number);
      return;
    }
    if (instruction.op == Op::kCast) {
      Add(CastCode(instruction.type, instruction.other_type));
      return;
    }
    if (instruction.op == Op::kFma) LoadC(instruction.third, instruction.type);
    AddOperation(instruction.op, instruction.type, instruction.operand,
                 instruction.reversed);
  }

  Step& AddOperation(Op op, Type type, const Operand& operand, bool reversed) {
    Step& step = Add(CodeOf(op, type));
    SetSource(step, operand, type);
    step.reversed = reversed;
    const bool reads_it = !reversed && op != Op::kFma &&
                          SizeOf(StoredAs(type)) == sizeof(std::uint32_t);
    if (step.source == Source::kConstant && reads_it) {
      step.source = Source::kImmediate;
    }
    return step;
  }

  void AddChoose(const Instruction& instruction) {
    const bool compares = instruction.op != Op::kSelect;
    LoadC(instruction.left, compares ? instruction.other_type : Type::kBool);
    if (compares) {
      AddOperation(instruction.op, instruction.other_type, instruction.right,
                   false)
          .on_c = true;
    }
    Step& choose = Add(Code::kChoose);
    SetSource(choose, instruction.operand, instruction.type);
    choose.reversed = instruction.reversed;
  }

  const Places places_;
  Encoded encoded_;
};

}  // namespace

bool IsWide(Type type) { return SizeOf(StoredAs(type)) == 8; }

Encoded Encode(const expression::Function& function, const Places& places) {
  return Encoder(places).Run(function);
}

Step CombineWithSlot(Op op, Type type, int slot) {
  Step step;
  step.code = CodeOf(op, type);
  step.source = Source::kSlot;
  step.type = type;
  step.number = static_cast<std::uint16_t>(slot);
  return step;
}

}  // namespace concord::interpreter
