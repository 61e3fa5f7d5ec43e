// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Functions as code of a machine with an accumulator and slots: what
// interpreters run, for many elements at a time. Each operation takes its first
// operand from the accumulator and leaves its result there, so that a chain of
// them moves no data.

#ifndef CONCORD_CORE_EXPRESSION_ACCUMULATOR_CODE_H_
#define CONCORD_CORE_EXPRESSION_ACCUMULATOR_CODE_H_

#include <cstdint>
#include <vector>

#include "concord/core/expression/function.h"
#include "concord/core/expression/operation.h"
#include "concord/core/expression/value_type.h"

namespace concord::expression {

// A value that an instruction does not take from the accumulator.
struct Operand {
  enum class Kind : std::uint8_t { kNone, kSlot, kParameter, kConstant };

  Kind kind = Kind::kNone;
  // The number of the slot or parameter, or the constant.
  Word value = 0;
};

struct Instruction {
  // With A for the accumulator:
  //
  //   kLoad     A = operand; the only one that takes a parameter that is a bool
  //   kIndex    A = index
  //   kPut      slot `number` = A
  //   kResult   result `number` = A
  //   kApply    A = op(A), A = op(A, operand) or A = op(A, operand, third);
  //             where `reversed` is set, operand and A have changed places
  //   kChoose   A = condition ? A : operand; reversed, condition ? operand : A.
  //             The condition is left == right, left < right or left <= right
  //             by `op`; if that is kSelect, it is `left`, a bool
  enum class Kind : std::uint8_t {
    kLoad,
    kIndex,
    kPut,
    kResult,
    kApply,
    kChoose,
  };

  Kind kind;
  // Of the operands of kApply; else of what is moved or chosen.
  Type type;
  Op op = Op::kSelect;
  // kCast: the type of the result. A comparison in kChoose: of its operands,
  // which are as large as what is chosen.
  Type other_type = Type::kBool;
  // Of the slot or result; of kGather, the table.
  int number = 0;
  bool reversed = false;
  Operand operand = {};
  Operand third = {};
  Operand left = {};
  Operand right = {};
};

struct AccumulatorCode {
  std::vector<Instruction> instructions;
  int slots = 0;
};

// Computes each node that results need once, but for comparisons that choices
// can do themselves.
AccumulatorCode CompileForAccumulator(const Function& function);

}  // namespace concord::expression

#endif  // CONCORD_CORE_EXPRESSION_ACCUMULATOR_CODE_H_
