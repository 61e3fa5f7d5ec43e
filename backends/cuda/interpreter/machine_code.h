// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Functions as steps of a machine that kernels run: the accumulator code of
// core/expression/accumulator_code.h with its types and operands resolved, in a
// form that a GPU reads quickly.
//
// The machine has the accumulator A, what a step fetches as its operand R, a
// condition and slots. Each holds a value for every lane. Words are as large as
// the function's largest values: an integer is extended by its sign, if it has
// one, and a float is its bits.
//
// Words decide which steps there are. Fast steps work on whole words, signed or
// not, and on floats; smaller integers use those of whole words and are wrapped
// behind them. What is left is rare: it has a step for each type.

#ifndef CONCORD_BACKENDS_CUDA_INTERPRETER_MACHINE_CODE_H_
#define CONCORD_BACKENDS_CUDA_INTERPRETER_MACHINE_CODE_H_

#include <cstdint>

#include "concord/core/expression/operation.h"
#include "concord/core/expression/operations.h"
#include "concord/core/expression/value_type.h"

// Registers must not be passed in memory.
#ifdef __CUDACC__
#define CONCORD_INLINE __host__ __device__ __forceinline__
#else
#define CONCORD_INLINE inline
#endif

namespace concord::machine {

// A = op(A, R) on words of a kind: X(operation, kind).
#define CONCORD_FOR_ORDER(X, kind) \
  X(Minimum, kind)                 \
  X(Maximum, kind)                 \
  X(Less, kind)                    \
  X(LessEqual, kind)               \
  X(Greater, kind)                 \
  X(GreaterEqual, kind)
#define CONCORD_FOR_ARITHMETIC(X, kind) \
  X(Add, kind)                          \
  X(Subtract, kind)                     \
  X(SubtractFrom, kind)                 \
  X(Multiply, kind)                     \
  X(Equal, kind)                        \
  CONCORD_FOR_ORDER(X, kind)
#define CONCORD_FOR_EACH_FAST_STEP(X) \
  CONCORD_FOR_ARITHMETIC(X, Signed)   \
  X(And, Signed)                      \
  X(Or, Signed)                       \
  X(Xor, Signed)                      \
  X(ShiftLeft, Signed)                \
  X(ShiftRight, Signed)               \
  CONCORD_FOR_ORDER(X, Unsigned)      \
  X(ShiftRight, Unsigned)             \
  CONCORD_FOR_ARITHMETIC(X, Float32)  \
  CONCORD_FOR_ARITHMETIC(X, Float64)

// Those that combine values of a reduction.
#define CONCORD_FOR_SUMS(X, kind) \
  X(Add, kind)                    \
  X(Multiply, kind)               \
  X(Minimum, kind)                \
  X(Maximum, kind)
#define CONCORD_FOR_EACH_COMBINING_STEP(X) \
  CONCORD_FOR_SUMS(X, Signed)              \
  X(And, Signed)                           \
  X(Or, Signed)                            \
  X(Xor, Signed)                           \
  X(Minimum, Unsigned)                     \
  X(Maximum, Unsigned)                     \
  CONCORD_FOR_SUMS(X, Float32)             \
  CONCORD_FOR_SUMS(X, Float64)

// The condition = op(R, the second operand).
#define CONCORD_FOR_EACH_TEST(X) \
  X(Equal, Signed)               \
  X(Less, Signed)                \
  X(LessEqual, Signed)           \
  X(Less, Unsigned)              \
  X(LessEqual, Unsigned)         \
  X(Equal, Float32)              \
  X(Less, Float32)               \
  X(LessEqual, Float32)          \
  X(Equal, Float64)              \
  X(Less, Float64)               \
  X(LessEqual, Float64)

// Rare steps: X(operation, enumerator of the type, C++ type).
#define CONCORD_FOR_INTEGERS(X, op) \
  X(op, kInt8, int8_t)              \
  X(op, kUInt8, uint8_t)            \
  X(op, kInt32, int32_t)            \
  X(op, kUInt32, uint32_t)          \
  X(op, kInt64, int64_t)            \
  X(op, kUInt64, uint64_t)
#define CONCORD_FOR_FLOATS(X, op) \
  X(op, kFloat32, float)          \
  X(op, kFloat64, double)

#define CONCORD_FOR_EACH_RARE_UNARY_STEP(X) \
  CONCORD_FOR_FLOATS(X, Sqrt)               \
  CONCORD_FOR_FLOATS(X, Floor)              \
  CONCORD_FOR_FLOATS(X, Ceil)               \
  CONCORD_FOR_FLOATS(X, Trunc)              \
  CONCORD_FOR_FLOATS(X, Round)              \
  CONCORD_FOR_FLOATS(X, IsNan)              \
  CONCORD_FOR_INTEGERS(X, Popcount)         \
  CONCORD_FOR_INTEGERS(X, Clz)              \
  CONCORD_FOR_INTEGERS(X, Ctz)

#define CONCORD_FOR_EACH_RARE_BINARY_STEP(X) \
  CONCORD_FOR_INTEGERS(X, Divide)            \
  CONCORD_FOR_FLOATS(X, Divide)              \
  CONCORD_FOR_INTEGERS(X, Remainder)         \
  CONCORD_FOR_INTEGERS(X, ShiftLeft)         \
  CONCORD_FOR_INTEGERS(X, ShiftRight)

// X(from, enumerator of the other type, C++ type of that).
#define CONCORD_FOR_EACH_RARE_CAST(X) \
  X(kUInt32, kFloat32, float)         \
  X(kUInt64, kFloat32, float)         \
  X(kUInt64, kFloat64, double)        \
  CONCORD_FOR_INTEGERS(X, kFloat32)   \
  CONCORD_FOR_INTEGERS(X, kFloat64)   \
  X(kFloat32, kBool, bool)            \
  X(kFloat64, kBool, bool)

enum class Code : std::uint8_t {
  kEnd,
  kLoad,         // A = R
  kIndex,        // A = the element's index
  kPut,          // slot `number` = A
  kPutPresent,   // the same in lanes that have an element
  kStore,        // element of output `number` = A
  kStoreKept,    // the same at the lane's place among those that are kept
  kGather,       // A = table `number` at A
  kChoose,       // A = condition ? A : R
  kChooseOther,  // A = condition ? R : A
  kFmaFloat32,   // A = A * R + the second operand
  kFmaFloat64,
  kAbs,           // of signed words
  kIsNotZero,     // of whole words
  kWrapInt8,      // the low bits of A, extended again
  kWrapUInt8,     // and so on
  kWrapInt32,     // with words of 64 bits
  kWrapUInt32,    // with words of 64 bits
  kCanonical32,   // any NaN of float32 as the quiet one
  kCanonical64,   // of float64
  kSignedTo32,    // float32 of a signed word
  kSignedTo64,    // float64
  kSignedFrom32,  // a signed word of float32
  kSignedFrom64,  // of float64
  kFloat32To64,
  kFloat64To32,
#define CONCORD_CODE(op, kind) op##_##kind,
  CONCORD_FOR_EACH_FAST_STEP(CONCORD_CODE)
#undef CONCORD_CODE
#define CONCORD_CODE(op, kind) Test_##op##_##kind,
      CONCORD_FOR_EACH_TEST(CONCORD_CODE)
#undef CONCORD_CODE
#define CONCORD_CODE(op, enumerator, type) op##_##enumerator,
          CONCORD_FOR_EACH_RARE_UNARY_STEP(CONCORD_CODE)
              CONCORD_FOR_EACH_RARE_BINARY_STEP(CONCORD_CODE)
#undef CONCORD_CODE
#define CONCORD_CODE(from, enumerator, type) Cast_##from##_##enumerator,
                  CONCORD_FOR_EACH_RARE_CAST(CONCORD_CODE)
#undef CONCORD_CODE
  // Short steps: they are the last, so that one comparison tells them from all
  // others. Affine and Bits are for words of 32 bits, and have two constants of
  // as many.
  kLoadWords,  // A = the element of input `number`, which is as long as a word
  kAffine,     // A = A * low + high
  kBits,       // A = (A & low) ^ high
};

// Where R comes from.
enum class Source : std::uint8_t {
  kNone,
  kConstant,  // `constant`, for every lane
  kSlot,      // slot `number`
  kColumn,    // the element of input `number`, of type `type`
};

struct alignas(16) Step {
  // In place of a second operand: it is the constant.
  static constexpr std::uint16_t kNoSecond = 0xffff;

  Code code = Code::kEnd;
  Source source = Source::kNone;
  // Of a column, an output or a table.
  expression::Type type = expression::Type::kBool;
  // Of a rare step: its operands have changed places.
  bool reversed = false;
  // Of a slot, a column, an output or a table.
  std::uint16_t number = 0;
  // The slot of the second operand.
  std::uint16_t second = kNoSecond;
  std::uint64_t constant = 0;
};
static_assert(sizeof(Step) == 16, "a step is one load of a thread");

// A step in registers: what is not asked for is not taken out of them.
struct FetchedStep {
  std::uint32_t head, numbers, low, high;

  CONCORD_INLINE Code code() const { return static_cast<Code>(head & 0xff); }
  CONCORD_INLINE Source source() const {
    return static_cast<Source>(head >> 8 & 0xff);
  }
  CONCORD_INLINE expression::Type type() const {
    return static_cast<expression::Type>(head >> 16 & 0xff);
  }
  CONCORD_INLINE bool reversed() const { return head >> 24 != 0; }
  CONCORD_INLINE int number() const {
    return static_cast<int>(numbers & 0xffff);
  }
  CONCORD_INLINE int second() const { return static_cast<int>(numbers >> 16); }
  CONCORD_INLINE std::uint64_t constant() const {
    return std::uint64_t{high} << 32 | low;
  }
};
static_assert(sizeof(FetchedStep) == sizeof(Step));

}  // namespace concord::machine

#endif  // CONCORD_BACKENDS_CUDA_INTERPRETER_MACHINE_CODE_H_
