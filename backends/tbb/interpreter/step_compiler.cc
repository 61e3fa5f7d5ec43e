// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/backends/tbb/interpreter/step_compiler.h"

#include <algorithm>
#include <cstdlib>

#include "concord/core/element_type.h"

namespace concord::interpreter {
namespace {

using expression::Instruction;
using expression::IsFloat;
using expression::Operand;
using expression::Word;

// Unsigned, of that size.
Type UnsignedOf(Type type) {
  switch (BytesOf(type)) {
    case 1:
      return Type::kUInt8;
    case 4:
      return Type::kUInt32;
    default:
      return Type::kUInt64;
  }
}

// What steps tell apart, where the sign does not matter.
Type Signless(Type type) { return IsFloat(type) ? type : UnsignedOf(type); }

Type WithoutBool(Type type) {
  return type == Type::kBool ? Type::kUInt8 : type;
}

bool LooksAtSign(Op op) {
  switch (op) {
    case Op::kAbs:
    case Op::kDivide:
    case Op::kRemainder:
    case Op::kMinimum:
    case Op::kMaximum:
    case Op::kShiftRight:
    case Op::kLess:
    case Op::kLessEqual:
      return true;
    default:
      return false;
  }
}

// The shift that is this product, or -1: products take several times as long.
int ShiftOf(const Instruction& instruction) {
  const Word factor = instruction.operand.value;
  if (instruction.op != Op::kMultiply || IsFloat(instruction.type) ||
      instruction.operand.kind != Operand::Kind::kConstant || factor == 0 ||
      (factor & (factor - 1)) != 0) {
    return -1;
  }
  const int shift = __builtin_ctzll(factor);
  return shift < 8 * BytesOf(instruction.type) ? shift : -1;
}

// Of those whose operand may be a constant.
StepFunction FindVectorStep(const StepForm& form) {
  const StepFunction step =
      form.width == 8 ? FindIntegerStep8(form) : FindIntegerStep4(form);
  return step != nullptr ? step : FindFloatStep(form);
}

StepFunction FindLoop(const StepForm& form) {
  const StepFunction step = FindIntegerLoop(form);
  return step != nullptr ? step : FindFloatLoop(form);
}

}  // namespace

int StepCompiler::PlaceOf(const Operand& operand, Type type) {
  const bool constant = operand.kind == Operand::Kind::kConstant;
  const int bytes = constant ? BytesOf(type) : 0;
  const auto same = [&](const Place& place) {
    return place.operand.kind == operand.kind &&
           place.operand.value == operand.value && place.bytes == bytes;
  };
  const auto found = std::find_if(places_.begin(), places_.end(), same);
  const int number = static_cast<int>(found - places_.begin());
  if (found == places_.end()) places_.push_back({operand, bytes});
  return number;
}

void StepCompiler::Add(const Instruction& instruction) {
  const auto number = static_cast<Word>(instruction.number);
  switch (instruction.kind) {
    case Instruction::Kind::kLoad: {
      const bool bytes = instruction.type == Type::kBool &&
                         instruction.operand.kind == Operand::Kind::kParameter;
      Move(bytes ? StepForm::Kind::kLoadBool : StepForm::Kind::kLoad,
           instruction.type, instruction.operand);
      break;
    }
    case Instruction::Kind::kIndex:
      Move(StepForm::Kind::kIndex, instruction.type, {});
      break;
    case Instruction::Kind::kPut:
      Move(StepForm::Kind::kPut, instruction.type,
           {Operand::Kind::kSlot, number});
      break;
    case Instruction::Kind::kResult:
      Move(IsFloat(instruction.type) ? StepForm::Kind::kPutFloat
                                     : StepForm::Kind::kPut,
           instruction.type, {kResult, number});
      break;
    case Instruction::Kind::kApply:
      Apply(instruction);
      break;
    case Instruction::Kind::kChoose:
      Choose(instruction);
      break;
  }
}

void StepCompiler::End() {
  steps_.push_back({FindMove({StepForm::Kind::kEnd})});
}

void StepCompiler::Move(StepForm::Kind kind, Type type, Operand where) {
  Step step;
  step.run = FindMove({kind, Op::kSelect, type, type, width_});
  if (kind != StepForm::Kind::kIndex) step.operand = PlaceOf(where, type);
  steps_.push_back(step);
}

void StepCompiler::AddBinary(StepForm form, Operand operand, Operand third) {
  Step step;
  form.constant = operand.kind == Operand::Kind::kConstant;
  step.constant = operand.value;
  step.run = FindVectorStep(form);
  if (step.run == nullptr) {
    form.constant = false;
    step.run = FindLoop(form);
  }
  if (!form.constant) step.operand = PlaceOf(operand, form.type);
  if (third.kind != Operand::Kind::kNone) {
    step.third = PlaceOf(third, form.type);
  }
  steps_.push_back(step);
}

void StepCompiler::Apply(const Instruction& instruction) {
  const Type type = instruction.type;
  StepForm form{StepForm::Kind::kApply, instruction.op, type, type, width_};
  form.reversed = instruction.reversed;
  form.type = LooksAtSign(form.op) ? WithoutBool(type) : Signless(type);
  const bool integer = !IsFloat(type);
  if (form.op == Op::kCast) return ApplyCast(instruction);
  if (const int shift = ShiftOf(instruction); shift >= 0) {
    form.op = Op::kShiftLeft;
    return AddBinary(form,
                     {Operand::Kind::kConstant, static_cast<Word>(shift)});
  }
  if (form.op == Op::kNot) {
    form.op = Op::kXor;
    const Word ones = type == Type::kBool ? 1 : ~Word{0};
    return AddBinary(form, {Operand::Kind::kConstant, ones});
  }
  if (form.op == Op::kNegate && integer) {
    form.op = Op::kSubtract;
    form.reversed = true;
    return AddBinary(form, {Operand::Kind::kConstant, 0});
  }
  if (form.op == Op::kAbs && integer && !IsSigned(type)) return;
  if (form.op == Op::kGather) {
    Step step;
    form.type = UnsignedOf(instruction.other_type);
    step.run = FindIntegerLoop(form);
    step.table = instruction.number;
    steps_.push_back(step);
    return;
  }
  if (OperandsOf(form.op) > 1) {
    return AddBinary(form, instruction.operand, instruction.third);
  }
  Step step;
  step.run = FindVectorStep(form);
  if (step.run == nullptr) step.run = FindLoop(form);
  steps_.push_back(step);
}

void StepCompiler::ApplyCast(const Instruction& instruction) {
  StepForm form{StepForm::Kind::kApply, Op::kCast,
                WithoutBool(instruction.type), instruction.other_type, width_};
  const bool integers = !IsFloat(form.type) && !IsFloat(form.to);
  if (form.to == Type::kBool) {
    form.type = Signless(form.type);
  } else if (integers) {
    form.to = UnsignedOf(form.to);
    if (BytesOf(form.type) == BytesOf(form.to)) return;
    if (BytesOf(form.type) > BytesOf(form.to)) form.type = Signless(form.type);
  }
  Step step;
  step.run = FindCast(form);
  steps_.push_back(step);
}

void StepCompiler::Choose(const Instruction& instruction) {
  StepForm form{StepForm::Kind::kChoose, instruction.op};
  form.width = width_;
  form.reversed = instruction.reversed;
  Step step;
  if (instruction.op == Op::kSelect) {
    form.type = UnsignedOf(instruction.type);
    step.run = FindIntegerLoop(form);
    step.left = PlaceOf(instruction.left, Type::kBool);
  } else {
    form.type = WithoutBool(instruction.other_type);
    form.constant = instruction.right.kind == Operand::Kind::kConstant;
    step.constant = instruction.right.value;
    step.run = FindVectorStep(form);
    step.left = PlaceOf(instruction.left, form.type);
    if (!form.constant) step.right = PlaceOf(instruction.right, form.type);
  }
  step.operand = PlaceOf(instruction.operand, instruction.type);
  steps_.push_back(step);
}

}  // namespace concord::interpreter
