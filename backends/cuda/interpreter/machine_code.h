// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Functions as steps of a machine that kernels run: the accumulator code of
// core/expression/accumulator_code.h with its types and operands resolved, in a
// form that a GPU reads quickly.
//
// The machine has the accumulator A, a second register C, what a step fetches
// as its operand R, and slots. Each holds a value for every lane. A step
// fetches R, exchanges A with C if it is `on_c`, exchanges A with R if it is
// `reversed`, does what its code says with A, R and C, and exchanges A with C
// again.

#ifndef CONCORD_BACKENDS_CUDA_INTERPRETER_MACHINE_CODE_H_
#define CONCORD_BACKENDS_CUDA_INTERPRETER_MACHINE_CODE_H_

#include <cstdint>

#include "concord/core/expression/operation.h"
#include "concord/core/expression/operations.h"
#include "concord/core/expression/value_type.h"

namespace concord::interpreter {

// Operations with one and with two operands, for each type that has them:
// X(operation, enumerator of the type, C++ type).
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
#define CONCORD_FOR_NUMBERS(X, op) \
  CONCORD_FOR_INTEGERS(X, op)      \
  CONCORD_FOR_FLOATS(X, op)
#define CONCORD_FOR_BITS(X, op) \
  X(op, kBool, bool)            \
  CONCORD_FOR_INTEGERS(X, op)
#define CONCORD_FOR_VALUES(X, op) \
  X(op, kBool, bool)              \
  CONCORD_FOR_NUMBERS(X, op)

#define CONCORD_FOR_EACH_UNARY_STEP(X) \
  CONCORD_FOR_NUMBERS(X, Negate)       \
  CONCORD_FOR_BITS(X, Not)             \
  CONCORD_FOR_NUMBERS(X, Abs)          \
  CONCORD_FOR_FLOATS(X, Sqrt)          \
  CONCORD_FOR_FLOATS(X, Floor)         \
  CONCORD_FOR_FLOATS(X, Ceil)          \
  CONCORD_FOR_FLOATS(X, Trunc)         \
  CONCORD_FOR_FLOATS(X, Round)         \
  CONCORD_FOR_FLOATS(X, IsNan)         \
  CONCORD_FOR_INTEGERS(X, Popcount)    \
  CONCORD_FOR_INTEGERS(X, Clz)         \
  CONCORD_FOR_INTEGERS(X, Ctz)

#define CONCORD_FOR_EACH_BINARY_STEP(X) \
  CONCORD_FOR_NUMBERS(X, Add)           \
  CONCORD_FOR_NUMBERS(X, Subtract)      \
  CONCORD_FOR_NUMBERS(X, Multiply)      \
  CONCORD_FOR_NUMBERS(X, Divide)        \
  CONCORD_FOR_INTEGERS(X, Remainder)    \
  CONCORD_FOR_NUMBERS(X, Minimum)       \
  CONCORD_FOR_NUMBERS(X, Maximum)       \
  CONCORD_FOR_BITS(X, And)              \
  CONCORD_FOR_BITS(X, Or)               \
  CONCORD_FOR_BITS(X, Xor)              \
  CONCORD_FOR_INTEGERS(X, ShiftLeft)    \
  CONCORD_FOR_INTEGERS(X, ShiftRight)   \
  CONCORD_FOR_VALUES(X, Equal)          \
  CONCORD_FOR_NUMBERS(X, Less)          \
  CONCORD_FOR_NUMBERS(X, LessEqual)

// X(from, enumerator of the other type, C++ type of that).
#define CONCORD_FOR_EACH_CAST_STEP(X) \
  CONCORD_FOR_VALUES(X, kBool)        \
  CONCORD_FOR_VALUES(X, kInt8)        \
  CONCORD_FOR_VALUES(X, kUInt8)       \
  CONCORD_FOR_VALUES(X, kInt32)       \
  CONCORD_FOR_VALUES(X, kUInt32)      \
  CONCORD_FOR_VALUES(X, kInt64)       \
  CONCORD_FOR_VALUES(X, kUInt64)      \
  CONCORD_FOR_VALUES(X, kFloat32)     \
  CONCORD_FOR_VALUES(X, kFloat64)

enum class Code : std::uint16_t {
  kEnd,
  kLoad,        // A = R
  kIndex,       // A = the element's index
  kPut,         // slot `number` = A
  kPutPresent,  // the same in lanes that have an element
  kStore,       // element of output `number` = A, canonical
  kStoreAt,     // the same at the lane's place, which slot `constant` has
  kGather,      // A = table `number` at A
  kChoose,      // A = C ? A : R
  kFmaFloat32,  // A = A * R + C
  kFmaFloat64,
#define CONCORD_CODE(op, enumerator, type) op##_##enumerator,
  CONCORD_FOR_EACH_UNARY_STEP(CONCORD_CODE)
      CONCORD_FOR_EACH_BINARY_STEP(CONCORD_CODE)
#undef CONCORD_CODE
#define CONCORD_CODE(from, enumerator, type) Cast_##from##_##enumerator,
          CONCORD_FOR_EACH_CAST_STEP(CONCORD_CODE)
#undef CONCORD_CODE
};

// Where R comes from.
enum class Source : std::uint8_t {
  kNone,
  kSlot,       // slot `number`
  kColumn,     // the element of input `number`, of type `type`
  kConstant,   // `constant`, into every lane of R
  kImmediate,  // `constant`, which the operation reads itself
};

struct alignas(16) Step {
  Code code = Code::kEnd;
  Source source = Source::kNone;
  bool on_c = false;
  bool reversed = false;
  // Of a column, an output or a table.
  expression::Type type = expression::Type::kBool;
  // Of a slot, a column, an output or a table.
  std::uint16_t number = 0;
  std::uint64_t constant = 0;
};
static_assert(sizeof(Step) == 16, "a step is one load of a thread");

// What is common on four bytes reads its constant by itself: 16 registers less
// to fill.
template <typename T>
inline constexpr bool kTakesImmediate = sizeof(T) == 4;

}  // namespace concord::interpreter

#endif  // CONCORD_BACKENDS_CUDA_INTERPRETER_MACHINE_CODE_H_
