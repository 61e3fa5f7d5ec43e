// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/backends/cuda/spliced/ptx_operations.h"

#include "absl/strings/str_cat.h"
#include "concord/core/element_type.h"

namespace concord::spliced {
namespace {

using absl::StrCat;
using expression::IsFloat;
using expression::IsSigned;
using expression::Op;
using expression::Type;
using expression::Word;

constexpr auto kPredicate = Register::kPredicate;
constexpr auto kWord = Register::kWord;

bool IsNarrow(Type type) { return type == Type::kInt8 || type == Type::kUInt8; }
int WidthOf(Type type) { return 8 * BytesOf(type); }

// The type of instructions: "s32" for int8 and int32, and so on.
std::string InstructionType(Type type) {
  const char* const letter = IsFloat(type) ? "f" : IsSigned(type) ? "s" : "u";
  return StrCat(letter, BytesOf(type) == 8 ? 64 : 32);
}

// One operation on operands of one type.
class Emitter {
 public:
  Emitter(PtxWriter& ptx, Type type)
      : ptx_(ptx),
        type_(type),
        kind_(CarrierOf(type)),
        suffix_(StrCat(".", InstructionType(type))),
        bits_(StrCat(".", BitsOf(type))) {}

  std::string Emit(Op op, const std::string& a, const std::string& b,
                   const std::string& c);

 private:
  template <typename... Operands>
  std::string Let(absl::string_view instruction, const Operands&... operands) {
    return ptx_.Let(kind_, instruction, operands...);
  }
  template <typename... Operands>
  std::string Test(absl::string_view comparison, const Operands&... operands) {
    return ptx_.Let(kPredicate, StrCat("setp.", comparison, suffix_),
                    operands...);
  }
  std::string Choose(const std::string& yes, const std::string& no,
                     const std::string& condition) {
    return Let("selp" + bits_, yes, no, condition);
  }

  // What registers of narrow integers have above their bits.
  std::string Narrow(const std::string& value) {
    if (type_ == Type::kInt8) return Let("cvt.s32.s8", value);
    if (type_ == Type::kUInt8) return Let("and.b32", value, "255");
    return value;
  }
  // The bits of a narrow integer with zeros above them.
  std::string Unextended(const std::string& value) {
    return type_ == Type::kInt8 ? Let("and.b32", value, "255") : value;
  }

  std::string OfBools(Op op, const std::string& a, const std::string& b,
                      const std::string& c);
  std::string Arithmetic(Op op, const std::string& a, const std::string& b);
  std::string Negate(const std::string& a);
  std::string Absolute(const std::string& a);
  std::string Divide(const std::string& a, const std::string& b);
  std::string MinimumOrMaximum(Op op, const std::string& a,
                               const std::string& b);
  std::string Shift(Op op, const std::string& a, const std::string& b);
  std::string CountBits(Op op, const std::string& a);

  PtxWriter& ptx_;
  const Type type_;
  const Register kind_;
  const std::string suffix_;
  const std::string bits_;
};

std::string Emitter::OfBools(Op op, const std::string& a, const std::string& b,
                             const std::string& c) {
  const auto let = [this](absl::string_view instruction,
                          const auto&... operands) {
    return ptx_.Let(kPredicate, instruction, operands...);
  };
  switch (op) {
    case Op::kNot:
      return let("not.pred", a);
    case Op::kAnd:
      return let("and.pred", a, b);
    case Op::kOr:
      return let("or.pred", a, b);
    case Op::kXor:
      return let("xor.pred", a, b);
    case Op::kEqual:
      return let("not.pred", let("xor.pred", a, b));
    default:  // kSelect
      return let("or.pred", let("and.pred", a, b),
                 let("and.pred", let("not.pred", a), c));
  }
}

std::string Emitter::Arithmetic(Op op, const std::string& a,
                                const std::string& b) {
  const char* const name = op == Op::kAdd        ? "add"
                           : op == Op::kSubtract ? "sub"
                                                 : "mul";
  // Without .rn a product and a sum may be fused.
  const char* const mode = IsFloat(type_)        ? ".rn"
                           : op == Op::kMultiply ? ".lo"
                                                 : "";
  return Narrow(Let(StrCat(name, mode, suffix_), a, b));
}

std::string Emitter::Negate(const std::string& a) {
  if (IsFloat(type_)) return Let("neg" + suffix_, a);
  return Narrow(Let("sub" + suffix_, "0", a));
}

std::string Emitter::Absolute(const std::string& a) {
  if (IsFloat(type_)) return Let("abs" + suffix_, a);
  if (!IsSigned(type_)) return a;
  const std::string negative = Test("lt", a, "0");
  return Narrow(Choose(Let("sub" + suffix_, "0", a), a, negative));
}

// What the machine gives for a divisor of 0, and for the smallest integer
// divided by -1, is not defined: it divides by 1 then.
std::string Emitter::Divide(const std::string& a, const std::string& b) {
  const std::string by_zero = Test("eq", b, "0");
  std::string divisor = Choose("1", b, by_zero);
  if (!IsSigned(type_)) {
    return Choose("0", Let("div" + suffix_, a, divisor), by_zero);
  }
  const std::string by_minus_one = Test("eq", b, "-1");
  divisor = Choose("1", divisor, by_minus_one);
  const std::string quotient = Let("div" + suffix_, a, divisor);
  const std::string negative = Let("sub" + suffix_, "0", a);
  return Narrow(Choose("0", Choose(negative, quotient, by_minus_one), by_zero));
}

std::string Emitter::MinimumOrMaximum(Op op, const std::string& a,
                                      const std::string& b) {
  const bool minimum = op == Op::kMinimum;
  const char* const name = minimum ? "min" : "max";
  if (type_ != Type::kFloat64) {
    const char* const mode = type_ == Type::kFloat32 ? ".NaN" : "";
    return Let(StrCat(name, mode, suffix_), a, b);
  }
  // As core/operators.h has it: both selections, which agree but for NaNs and
  // the signs of zeros.
  const char* const before = minimum ? "lt" : "gt";
  const std::string first = Choose(a, b, Test(before, a, b));
  const std::string second = Choose(b, a, Test(before, b, a));
  const std::string either = Let("or.b64", first, second);
  if (minimum) return either;
  const std::string magnitude = Let("and.b64", either, "0x7fffffffffffffff");
  const std::string both = Let("and.b64", first, second);
  const std::string sign = Let("and.b64", both, "0x8000000000000000");
  return Let("or.b64", sign, magnitude);
}

std::string Emitter::Shift(Op op, const std::string& a, const std::string& b) {
  const std::string low =
      WidthOf(type_) == 64 ? ptx_.Let(kWord, "cvt.u32.u64", b) : b;
  const std::string count =
      ptx_.Let(kWord, "and.b32", low, StrCat(WidthOf(type_) - 1));
  if (op == Op::kShiftRight) return Let("shr" + suffix_, a, count);
  return Narrow(Let("shl" + bits_, a, count));
}

std::string Emitter::CountBits(Op op, const std::string& a) {
  const int width = WidthOf(type_);
  std::string of = Unextended(a);
  if (op == Op::kCtz) {
    // A bit past the last one, for 0.
    if (width == 8) of = Let("or.b32", of, "256");
    of = Let("brev" + bits_, of);
  }
  std::string count =
      ptx_.Let(kWord, (op == Op::kPopcount ? "popc" : "clz") + bits_, of);
  if (op == Op::kClz && width == 8) {
    count = ptx_.Let(kWord, "sub.s32", count, "24");
  }
  return width == 64 ? Let("cvt.u64.u32", count) : count;
}

std::string Emitter::Emit(Op op, const std::string& a, const std::string& b,
                          const std::string& c) {
  if (type_ == Type::kBool) return OfBools(op, a, b, c);
  switch (op) {
    case Op::kNegate:
      return Negate(a);
    case Op::kNot:
      return Narrow(Let("not" + bits_, a));
    case Op::kAbs:
      return Absolute(a);
    case Op::kSqrt:
      return Let("sqrt.rn" + suffix_, a);
    case Op::kFloor:
      return Let(StrCat("cvt.rmi", suffix_, suffix_), a);
    case Op::kCeil:
      return Let(StrCat("cvt.rpi", suffix_, suffix_), a);
    case Op::kTrunc:
      return Let(StrCat("cvt.rzi", suffix_, suffix_), a);
    case Op::kRound:
      return Let(StrCat("cvt.rni", suffix_, suffix_), a);
    case Op::kIsNan:
      return Test("nan", a, a);
    case Op::kPopcount:
    case Op::kClz:
    case Op::kCtz:
      return CountBits(op, a);
    case Op::kAdd:
    case Op::kSubtract:
    case Op::kMultiply:
      return Arithmetic(op, a, b);
    case Op::kDivide:
      return IsFloat(type_) ? Let("div.rn" + suffix_, a, b) : Divide(a, b);
    case Op::kRemainder:
      return Narrow(
          Let("sub" + suffix_, a, Let("mul.lo" + suffix_, Divide(a, b), b)));
    case Op::kMinimum:
    case Op::kMaximum:
      return MinimumOrMaximum(op, a, b);
    case Op::kAnd:
      return Let("and" + bits_, a, b);
    case Op::kOr:
      return Let("or" + bits_, a, b);
    case Op::kXor:
      return Let("xor" + bits_, a, b);
    case Op::kShiftLeft:
    case Op::kShiftRight:
      return Shift(op, a, b);
    case Op::kEqual:
      return Test("eq", a, b);
    case Op::kLess:
      return Test("lt", a, b);
    case Op::kLessEqual:
      return Test("le", a, b);
    case Op::kFma:
      return Let("fma.rn" + suffix_, a, b, c);
    case Op::kSelect:
      return Choose(b, c, a);
    default:  // leaves, casts and tables are not for this
      return a;
  }
}

// From a float to an integer: PTX saturates, but at the widths of registers,
// and what it makes of a NaN depends on the types.
std::string FloatToInteger(PtxWriter& ptx, Type from, Type to,
                           const std::string& a) {
  const std::string suffix = StrCat(".", InstructionType(to));
  const auto let = [&](absl::string_view instruction, const auto&... operands) {
    return ptx.Let(CarrierOf(to), instruction, operands...);
  };
  std::string value =
      let(StrCat("cvt.rzi", suffix, ".", InstructionType(from)), a);
  if (to == Type::kInt8) {
    value = let("max.s32", let("min.s32", value, "127"), "-128");
  } else if (to == Type::kUInt8) {
    value = let("min.u32", value, "255");
  }
  const std::string is_nan =
      ptx.Let(kPredicate, StrCat("setp.nan.", InstructionType(from)), a, a);
  return let(StrCat("selp.", BitsOf(to)), "0", value, is_nan);
}

std::string IntegerToInteger(PtxWriter& ptx, Type from, Type to,
                             const std::string& a) {
  std::string value = a;
  if (BytesOf(to) == 8 && BytesOf(from) < 8) {
    return ptx.Let(Register::kLong,
                   IsSigned(from) ? "cvt.s64.s32" : "cvt.u64.u32", a);
  }
  if (BytesOf(to) < 8 && BytesOf(from) == 8) {
    value = ptx.Let(kWord, "cvt.u32.u64", a);
  }
  return IsNarrow(to) ? EmitUncarried(ptx, to, value) : value;
}

}  // namespace

Register CarrierOf(Type type) {
  return BytesOf(type) == 8 ? Register::kLong : Register::kWord;
}
Register KindOf(Type type) {
  return type == Type::kBool ? Register::kPredicate : CarrierOf(type);
}

absl::string_view BitsOf(Type type) {
  return BytesOf(type) == 8 ? "b64" : "b32";
}

std::string Literal(Type type, Word value) {
  return StrCat("0x",
                absl::Hex(BytesOf(type) == 8 ? value : value & 0xffffffffu));
}

std::string EmitConstant(PtxWriter& ptx, Type type, Word value) {
  if (type == Type::kBool) {
    return ptx.Let(kPredicate, "setp.ne.u32", value != 0 ? "1" : "0", "0");
  }
  return ptx.Let(CarrierOf(type), StrCat("mov.", BitsOf(type)),
                 Literal(type, value));
}

std::string EmitOperation(PtxWriter& ptx, Op op, Type type,
                          const std::string& a, const std::string& b,
                          const std::string& c) {
  return Emitter(ptx, type).Emit(op, a, b, c);
}

std::string EmitCast(PtxWriter& ptx, Type from, Type to, const std::string& a) {
  if (from == to) return a;
  if (from == Type::kBool) {
    const Word one =
        IsFloat(to) ? Dispatch(StoredAs(to),
                               [](auto tag) {
                                 using T = typename decltype(tag)::type;
                                 return expression::ToWord(static_cast<T>(1));
                               })
                    : Word{1};
    return ptx.Let(CarrierOf(to), StrCat("selp.", BitsOf(to)), Literal(to, one),
                   "0", a);
  }
  if (to == Type::kBool) {
    // A NaN is not 0.
    const char* const unequal = IsFloat(from) ? "setp.neu." : "setp.ne.";
    return ptx.Let(kPredicate, StrCat(unequal, InstructionType(from)), a,
                   from == Type::kFloat32   ? "0f00000000"
                   : from == Type::kFloat64 ? "0d0000000000000000"
                                            : "0");
  }
  if (IsFloat(from) && !IsFloat(to)) return FloatToInteger(ptx, from, to, a);
  if (!IsFloat(to)) return IntegerToInteger(ptx, from, to, a);
  // Every float32 is a float64.
  const char* const mode = from == Type::kFloat32 ? "cvt." : "cvt.rn.";
  return ptx.Let(CarrierOf(to),
                 StrCat(mode, InstructionType(to), ".", InstructionType(from)),
                 a);
}

std::string EmitCarried(PtxWriter& ptx, Type type, const std::string& value) {
  return EmitCast(ptx, type, type == Type::kBool ? Type::kUInt8 : type, value);
}

std::string EmitUncarried(PtxWriter& ptx, Type type, const std::string& bits) {
  switch (type) {
    case Type::kBool: {
      const std::string byte = EmitUncarried(ptx, Type::kUInt8, bits);
      return ptx.Let(kPredicate, "setp.ne.u32", byte, "0");
    }
    case Type::kInt8:
      return ptx.Let(kWord, "cvt.s32.s8", bits);
    case Type::kUInt8:
      return ptx.Let(kWord, "and.b32", bits, "255");
    default:
      return bits;
  }
}

std::string EmitCanonical(PtxWriter& ptx, Type type, const std::string& value) {
  if (!IsFloat(type)) return value;
  const bool is_float32 = type == Type::kFloat32;
  const std::string is_nan = ptx.Let(
      kPredicate, StrCat("setp.nan.", InstructionType(type)), value, value);
  return ptx.Let(CarrierOf(type), StrCat("selp.", BitsOf(type)),
                 is_float32 ? "0x7fc00000" : "0x7ff8000000000000", value,
                 is_nan);
}

}  // namespace concord::spliced
