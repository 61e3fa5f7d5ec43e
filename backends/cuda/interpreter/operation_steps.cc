// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/backends/cuda/interpreter/operation_steps.h"

#include <cstdint>
#include <limits>

#include "concord/core/element_type.h"

namespace concord::machine {
namespace {

using expression::Op;
using expression::Type;

// What a fast step takes values of a type as.
enum class Kind { kSigned, kUnsigned, kFloat32, kFloat64 };

bool IsWholeWord(Type type, bool wide) {
  return BytesOf(type) == (wide ? 8 : 4);
}

// Unsigned values of fewer bits than a word are no negative signed ones.
Kind KindOf(Type type, bool wide) {
  if (type == Type::kFloat32) return Kind::kFloat32;
  if (type == Type::kFloat64) return Kind::kFloat64;
  return IsSigned(type) || !IsWholeWord(type, wide) ? Kind::kSigned
                                                    : Kind::kUnsigned;
}

// Those that compute the same of words with and without sign.
bool IgnoresSign(Op op) {
  switch (op) {
    case Op::kAdd:
    case Op::kSubtract:
    case Op::kMultiply:
    case Op::kAnd:
    case Op::kOr:
    case Op::kXor:
    case Op::kShiftLeft:
    case Op::kEqual:
      return true;
    default:
      return false;
  }
}

// Of operands in their order; kEnd if there is no fast step.
Code FastCode(Op op, Kind kind) {
#define CONCORD_IF(name, the_kind)                    \
  if (op == Op::k##name && kind == Kind::k##the_kind) \
    return Code::name##_##the_kind;
#define CONCORD_FOR_EACH_IN_ORDER(X, kind) \
  X(Minimum, kind) X(Maximum, kind) X(Less, kind) X(LessEqual, kind)
#define CONCORD_FOR_EACH_OF_NUMBERS(X, kind) \
  X(Add, kind)                               \
  X(Subtract, kind)                          \
  X(Multiply, kind) X(Equal, kind) CONCORD_FOR_EACH_IN_ORDER(X, kind)
  CONCORD_FOR_EACH_OF_NUMBERS(CONCORD_IF, Signed)
  CONCORD_FOR_EACH_OF_NUMBERS(CONCORD_IF, Float32)
  CONCORD_FOR_EACH_OF_NUMBERS(CONCORD_IF, Float64)
  CONCORD_FOR_EACH_IN_ORDER(CONCORD_IF, Unsigned)
  CONCORD_IF(And, Signed)
  CONCORD_IF(Or, Signed)
  CONCORD_IF(Xor, Signed)
  CONCORD_IF(ShiftLeft, Signed)
  CONCORD_IF(ShiftRight, Signed)
  CONCORD_IF(ShiftRight, Unsigned)
#undef CONCORD_FOR_EACH_OF_NUMBERS
#undef CONCORD_FOR_EACH_IN_ORDER
#undef CONCORD_IF
  return Code::kEnd;
}

// Of operands that have changed places; kEnd if there is no fast step.
Code ReversedCode(Op op, Kind kind) {
  switch (FastCode(op, kind)) {
#define CONCORD_CASES(kind)      \
  case Code::Less_##kind:        \
    return Code::Greater_##kind; \
  case Code::LessEqual_##kind:   \
    return Code::GreaterEqual_##kind;
    CONCORD_CASES(Signed)
    CONCORD_CASES(Unsigned)
    CONCORD_CASES(Float32)
    CONCORD_CASES(Float64)
#undef CONCORD_CASES
    case Code::Subtract_Signed:
      return Code::SubtractFrom_Signed;
    case Code::Subtract_Float32:
      return Code::SubtractFrom_Float32;
    case Code::Subtract_Float64:
      return Code::SubtractFrom_Float64;
    default:
      return Code::kEnd;
  }
}

// Of values of the type itself.
Code RareCode(Op op, Type type) {
#define CONCORD_IF(name, enumerator, cpp_type)         \
  if (op == Op::k##name && type == Type::enumerator) { \
    return Code::name##_##enumerator;                  \
  }
  CONCORD_FOR_EACH_RARE_UNARY_STEP(CONCORD_IF)
  CONCORD_FOR_EACH_RARE_BINARY_STEP(CONCORD_IF)
#undef CONCORD_IF
  return Code::kEnd;
}

Code RareCast(Type from, Type to) {
#define CONCORD_IF(from_enumerator, enumerator, cpp_type)        \
  if (from == Type::from_enumerator && to == Type::enumerator) { \
    return Code::Cast_##from_enumerator##_##enumerator;          \
  }
  CONCORD_FOR_EACH_RARE_CAST(CONCORD_IF)
#undef CONCORD_IF
  return Code::kEnd;
}

Step StepOf(Code code) {
  Step step;
  step.code = code;
  return step;
}

Step StepWith(Code code, std::uint64_t constant) {
  Step step = StepOf(code);
  step.source = Source::kConstant;
  step.constant = constant;
  return step;
}

// Makes a value of the type of the word's low bits.
std::vector<Step> Wrapped(Type type, bool wide) {
  if (IsWholeWord(type, wide)) return {};
  switch (type) {
    case Type::kInt8:
      return {StepOf(Code::kWrapInt8)};
    case Type::kUInt8:
      return {StepOf(Code::kWrapUInt8)};
    case Type::kInt32:
      return {StepOf(Code::kWrapInt32)};
    case Type::kUInt32:
      return {StepOf(Code::kWrapUInt32)};
    default:
      return {};
  }
}

std::vector<Step> WithWrap(const Step& step, Type type, bool wide) {
  std::vector<Step> steps = Wrapped(type, wide);
  steps.insert(steps.begin(), step);
  return steps;
}

// All bits of values of a type, as they are in a word.
std::uint64_t AllBits(Type type) {
  switch (type) {
    case Type::kBool:
      return 1;
    case Type::kUInt8:
      return std::numeric_limits<std::uint8_t>::max();
    case Type::kUInt32:
      return std::numeric_limits<std::uint32_t>::max();
    default:
      return ~std::uint64_t{0};
  }
}

std::uint64_t SignBit(Type type) {
  return std::uint64_t{1} << (type == Type::kFloat32 ? 31 : 63);
}

std::vector<Step> UnarySteps(Op op, Type type, bool wide) {
  if (op == Op::kNegate) {
    return IsFloat(type)
               ? std::vector<Step>{StepWith(Code::Xor_Signed, SignBit(type))}
               : WithWrap(StepWith(Code::SubtractFrom_Signed, 0), type, wide);
  }
  if (op == Op::kNot) return {StepWith(Code::Xor_Signed, AllBits(type))};
  if (op == Op::kAbs) {
    if (IsFloat(type)) return {StepWith(Code::And_Signed, SignBit(type) - 1)};
    if (!IsSigned(type)) return {};
    return WithWrap(StepOf(Code::kAbs), type, wide);
  }
  return {StepOf(RareCode(op, type))};
}

// Shifts take their count modulo the width, which is that of words only for
// some types.
bool IsFastShift(Type type, Step& operand, bool reversed, bool wide) {
  if (reversed) return false;
  if (operand.source != Source::kConstant) return IsWholeWord(type, wide);
  operand.constant &= 8 * BytesOf(type) - 1;
  return true;
}

}  // namespace

std::vector<Step> OperationSteps(Op op, Type type, const Step& operand,
                                 bool reversed, bool wide) {
  if (expression::OperandsOf(op) == 1) return UnarySteps(op, type, wide);
  Step step = operand;
  const Kind kind =
      IgnoresSign(op) && !IsFloat(type) ? Kind::kSigned : KindOf(type, wide);
  step.code = reversed ? ReversedCode(op, kind) : FastCode(op, kind);
  const bool shifts = op == Op::kShiftLeft || op == Op::kShiftRight;
  if (step.code == Code::kEnd ||
      (shifts && !IsFastShift(type, step, reversed, wide))) {
    step = operand;
    step.code = RareCode(op, type);
    step.reversed = reversed;
    return {step};
  }
  const bool grows = op == Op::kAdd || op == Op::kSubtract ||
                     op == Op::kMultiply || op == Op::kShiftLeft;
  return grows ? WithWrap(step, type, wide) : std::vector<Step>{step};
}

std::vector<Step> CastSteps(Type from, Type to, bool wide) {
  if (from == to) return {};
  if (!IsFloat(from) && !IsFloat(to)) {
    if (to == Type::kBool) return {StepOf(Code::kIsNotZero)};
    return from == Type::kBool ? std::vector<Step>{} : Wrapped(to, wide);
  }
  const bool is_signed = KindOf(from, wide) == Kind::kSigned;
  if (to == Type::kFloat32 && is_signed) return {StepOf(Code::kSignedTo32)};
  if (to == Type::kFloat64 && is_signed) return {StepOf(Code::kSignedTo64)};
  if (IsFloat(from) && IsFloat(to)) {
    return {
        StepOf(to == Type::kFloat64 ? Code::kFloat32To64 : Code::kFloat64To32)};
  }
  if (to == (wide ? Type::kInt64 : Type::kInt32)) {
    return {StepOf(from == Type::kFloat32 ? Code::kSignedFrom32
                                          : Code::kSignedFrom64)};
  }
  return {StepOf(RareCast(from, to))};
}

Code TestCode(Op op, Type type, bool wide) {
  const Kind kind =
      op == Op::kEqual && !IsFloat(type) ? Kind::kSigned : KindOf(type, wide);
#define CONCORD_IF(name, the_kind)                      \
  if (op == Op::k##name && kind == Kind::k##the_kind) { \
    return Code::Test_##name##_##the_kind;              \
  }
  CONCORD_FOR_EACH_TEST(CONCORD_IF)
#undef CONCORD_IF
  return Code::kEnd;
}

}  // namespace concord::machine
