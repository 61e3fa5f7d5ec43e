// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_BACKENDS_TBB_INTERPRETER_STEP_COMPILER_H_
#define CONCORD_BACKENDS_TBB_INTERPRETER_STEP_COMPILER_H_

#include <utility>
#include <vector>

#include "concord/backends/tbb/interpreter/step.h"
#include "concord/core/expression/accumulator_code.h"

namespace concord::interpreter {

// Makes steps of instructions.
class StepCompiler {
 public:
  // Where an operand of a step is, for Step's pointers.
  struct Place {
    expression::Operand operand;
    // Bytes of a value, where it is a constant.
    int bytes = 0;
  };

  explicit StepCompiler(int width) : width_(width) {}

  void Add(const expression::Instruction& instruction);

  // Steps whose pointers are numbers of places, and those.
  const std::vector<Step>& steps() const { return steps_; }
  const std::vector<Place>& places() const { return places_; }
  void End();

 private:
  void Move(StepForm::Kind kind, Type type, expression::Operand where);
  void Apply(const expression::Instruction& instruction);
  void ApplyCast(const expression::Instruction& instruction);
  void Choose(const expression::Instruction& instruction);
  void AddBinary(StepForm form, expression::Operand operand,
                 expression::Operand third = {});

  int PlaceOf(const expression::Operand& operand, Type type);

  const int width_;
  std::vector<Step> steps_;
  std::vector<Place> places_;
};

// A result is a place, too: this kind of operand.
inline constexpr auto kResult = expression::Operand::Kind::kNone;

}  // namespace concord::interpreter

#endif  // CONCORD_BACKENDS_TBB_INTERPRETER_STEP_COMPILER_H_
