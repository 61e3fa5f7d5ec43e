// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// What the interpreter and its steps share. A step is an instruction of the
// accumulator code for a tile of elements: a function that takes the
// accumulator, eight vectors in registers, and ends with a call of the next
// step, which the compiler makes a jump (threaded code, J. R. Bell,
// Communications of the ACM 16 (6), 1973). Without that it is slower, not
// wrong.
//
// A tile is eight vectors of the widest type of the function, of 4 bytes at
// least: with AVX-512, 128 elements of 4 bytes or 64 of 8. Values of narrower
// types fill the first vectors. A bool is a byte, 0 or 1.

#ifndef CONCORD_BACKENDS_TBB_INTERPRETER_STEP_H_
#define CONCORD_BACKENDS_TBB_INTERPRETER_STEP_H_

#include <cstdint>

#include "concord/core/expression/accumulator_code.h"
#include "concord/core/expression/operation.h"
#include "concord/core/expression/value_type.h"

namespace concord::interpreter {

using expression::Op;
using expression::Type;

// A step's function, whose real type each target has for itself.
using StepFunction = void (*)();

struct Step {
  StepFunction run = nullptr;
  // The operand where it is a constant.
  expression::Word constant = 0;
  // Numbers of pointers: of the operand, slot or result; for the others as in
  // expression::Instruction.
  int operand = 0;
  int third = 0;
  int left = 0;
  int right = 0;
  int table = 0;
};

struct TableView {
  const void* data;
  std::int64_t size;
  // The least index of an element that read outside, or kNone.
  static constexpr std::int64_t kNone = INT64_MAX;
  std::int64_t outside = kNone;
};

// What steps work on.
struct Frame {
  // To values of the tile: slots, constants, parameters and results.
  char** pointers;
  TableView* tables;
  // Of the tile's first element.
  std::int64_t index;
  // Elements of the tile that there are; the others may be anything.
  std::int64_t count;
};

// A pointer that moves on from tile to tile.
struct Advance {
  int pointer;
  int bytes;
};

// Which function an instruction needs. Types of it are those that steps tell
// apart: no bools, and signed ones only where the sign matters.
struct StepForm {
  enum class Kind : std::uint8_t {
    kLoad,
    kIndex,
    kPut,
    kPutFloat,  // any NaN as the quiet one
    kLoadBool,  // from bytes, of which any but 0 is true
    kApply,
    kChoose,
    kEnd,
  };

  Kind kind;
  // Of kChoose, a comparison, or kSelect for a bool.
  Op op = Op::kSelect;
  Type type = Type::kUInt8;
  // Of the result of a cast. kBool stands for comparing with 0.
  Type to = Type::kUInt8;
  // Bytes of the widest type, 4 or 8.
  int width = 4;
  // Whether the operand is Step::constant; of kChoose, that on the right.
  bool constant = false;
  bool reversed = false;
};

// The function of a form for the best target, or null if it is of another
// group.
StepFunction FindMove(const StepForm& form);
// Of widths 4 and 8.
StepFunction FindIntegerStep4(const StepForm& form);
StepFunction FindIntegerStep8(const StepForm& form);
StepFunction FindFloatStep(const StepForm& form);
// Through the first-level cache, by loops: what few functions do often. They
// take no constants.
StepFunction FindIntegerLoop(const StepForm& form);
StepFunction FindFloatLoop(const StepForm& form);
StepFunction FindCast(const StepForm& form);

// Bytes of the best target's vectors.
int VectorBytes();

// What happens between tiles.
struct BetweenTiles {
  const Advance* advances;
  int advanced;
  // Pointers from `first` and `second` on that change places.
  int swapped = 0;
  int first = 0;
  int second = 0;
  // Elements that the index moves on by.
  int index = 0;
  // Bytes of each pointer that are fetched ahead: the prefetchers of the CPU
  // follow the loads of several steps less well than those of one loop.
  int prefetched = 0;
};

// Runs the steps for so many tiles.
void RunTiles(const Step* steps, Frame* frame, std::int64_t tiles,
              const BetweenTiles& between);

}  // namespace concord::interpreter

#endif  // CONCORD_BACKENDS_TBB_INTERPRETER_STEP_H_
