// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/backends/tbb/interpreter/interpreter.h"

#include <algorithm>
#include <cstring>

#include "concord/backends/tbb/interpreter/step_compiler.h"
#include "concord/core/expression/accumulator_code.h"
#include "concord/core/expression/apply.h"
#include "concord/core/expression/evaluate.h"

namespace concord {
namespace {

using expression::AccumulatorCode;
using expression::Instruction;
using expression::Op;
using expression::Operand;
using expression::Type;
using expression::Word;
using interpreter::StepCompiler;

// Vectors of the accumulator.
constexpr int kVectors = 8;

// Bytes of the widest type that the code works on: 4 or 8.
int WidthOf(const AccumulatorCode& code) {
  int width = 4;
  for (const Instruction& i : code.instructions) {
    width = std::max({width, BytesOf(i.type), BytesOf(i.other_type)});
  }
  return width;
}

// Combines what would be the result with what is in a slot.
void CombineInSlot(Op op, AccumulatorCode& code) {
  Instruction result = code.instructions.back();
  Instruction& apply = code.instructions.back();
  apply.kind = Instruction::Kind::kApply;
  apply.op = op;
  apply.other_type = apply.type;
  apply.operand = {Operand::Kind::kSlot, static_cast<Word>(code.slots)};
  result.kind = Instruction::Kind::kPut;
  result.number = code.slots++;
  code.instructions.push_back(result);
}

}  // namespace

Interpreter::Interpreter(const expression::Function& function,
                         std::optional<Op> op)
    : op_(op) {
  AccumulatorCode code = CompileForAccumulator(function);
  type_ = code.instructions.back().type;
  if (op.has_value()) CombineInSlot(*op, code);
  const int width = WidthOf(code);
  tile_ = kVectors * interpreter::VectorBytes() / width;
  StepCompiler compiler(width);
  for (const Instruction& instruction : code.instructions) {
    compiler.Add(instruction);
  }
  compiler.End();
  slots_ = code.slots;
  for (const StepCompiler::Place& place : compiler.places()) {
    if (place.operand.kind == Operand::Kind::kConstant) {
      constants_.push_back({place.bytes, place.operand.value});
    }
  }
  for (Type type : function.ParameterTypes()) {
    parameter_bytes_.push_back(BytesOf(type));
  }
  if (!op.has_value()) {
    for (Type type : function.ResultTypes()) {
      result_bytes_.push_back(BytesOf(type));
    }
  }
  // Numbers of places become those of pointers.
  std::vector<int> numbers;
  int constant = FirstConstant();
  for (const StepCompiler::Place& place : compiler.places()) {
    const int number = static_cast<int>(place.operand.value);
    switch (place.operand.kind) {
      case Operand::Kind::kSlot:
        numbers.push_back(number);
        break;
      case Operand::Kind::kConstant:
        numbers.push_back(constant++);
        break;
      case Operand::Kind::kParameter:
        numbers.push_back(FirstParameter() + number);
        break;
      case interpreter::kResult:
        numbers.push_back(FirstResult() + number);
        break;
    }
  }
  steps_ = compiler.steps();
  for (interpreter::Step& step : steps_) {
    // Those that a step does not have are 0, which is a place, too: all
    // functions have a result.
    for (int* number : {&step.operand, &step.third, &step.left, &step.right}) {
      *number = numbers[static_cast<std::size_t>(*number)];
    }
  }
}

InterpreterThread::InterpreterThread(const Interpreter& interpreter,
                                     absl::Span<const ConstArrayView> tables)
    : interpreter_(interpreter),
      tile_bytes_(std::int64_t{kVectors} * interpreter::VectorBytes()),
      pointers_(static_cast<std::size_t>(interpreter.FirstResult()) +
                interpreter.result_bytes_.size()),
      frame_{pointers_.data(), nullptr, 0, interpreter.tile()} {
  const std::size_t bytes = std::max<std::size_t>(pointers_.size(), 1) *
                            static_cast<std::size_t>(tile_bytes_);
  memory_.reset(
      static_cast<char*>(::operator new (bytes, std::align_val_t{64})));
  std::memset(memory_.get(), 0, bytes);
  for (std::size_t k = 0; k < pointers_.size(); ++k) {
    pointers_[k] = TileNumber(static_cast<int>(k));
  }
  int pointer = interpreter.FirstConstant();
  for (const Interpreter::Constant& constant : interpreter.constants_) {
    for (int k = 0; k < interpreter.tile(); ++k) {
      std::memcpy(pointers_[pointer] + k * constant.bytes, &constant.value,
                  static_cast<std::size_t>(constant.bytes));
    }
    ++pointer;
  }
  for (int bytes_of_value : interpreter.parameter_bytes_) {
    advances_.push_back({pointer++, bytes_of_value * interpreter.tile()});
  }
  for (int bytes_of_value : interpreter.result_bytes_) {
    advances_.push_back({pointer++, bytes_of_value * interpreter.tile()});
  }
  for (const ConstArrayView& table : tables) {
    tables_.push_back({table.data(), table.size()});
  }
  frame_.tables = tables_.data();
}

void InterpreterThread::SetArrays(absl::Span<const void* const> parameters,
                                  absl::Span<void* const> results) {
  int pointer = interpreter_.FirstParameter();
  for (const void* parameter : parameters) {
    // Steps only read there.
    pointers_[pointer++] = static_cast<char*>(const_cast<void*>(parameter));
  }
  for (void* result : results)
    pointers_[pointer++] = static_cast<char*>(result);
}

void InterpreterThread::RunTiles(std::int64_t tiles) {
  interpreter::BetweenTiles between{advances_.data(),
                                    static_cast<int>(advances_.size())};
  between.index = interpreter_.tile();
  between.prefetched = static_cast<int>(tile_bytes_);
  interpreter::RunTiles(interpreter_.steps_.data(), &frame_, tiles, between);
}

void InterpreterThread::Apply(absl::Span<const void* const> parameters,
                              absl::Span<void* const> results,
                              std::int64_t index, std::int64_t n) {
  const int tile = interpreter_.tile();
  frame_.index = index;
  SetArrays(parameters, results);
  RunTiles(n / tile);
  const auto rest = static_cast<std::size_t>(n % tile);
  if (rest == 0) return;
  // The last tile: the arrays do not have all of it.
  std::vector<char*> arrays = pointers_;
  int pointer = interpreter_.FirstParameter();
  for (int bytes : interpreter_.parameter_bytes_) {
    pointers_[pointer] = TileNumber(pointer);
    std::memcpy(pointers_[pointer], arrays[pointer],
                rest * static_cast<std::size_t>(bytes));
    ++pointer;
  }
  const int first_result = pointer;
  for (; pointer < static_cast<int>(pointers_.size()); ++pointer) {
    pointers_[pointer] = TileNumber(pointer);
  }
  frame_.count = static_cast<std::int64_t>(rest);
  RunTiles(1);
  frame_.count = tile;
  pointer = first_result;
  for (int bytes : interpreter_.result_bytes_) {
    std::memcpy(arrays[pointer], TileNumber(pointer),
                rest * static_cast<std::size_t>(bytes));
    ++pointer;
  }
}

void InterpreterThread::Start(Word identity) {
  for (int k = 0; k < interpreter_.tile(); ++k) {
    expression::StoreValue(interpreter_.type_,
                           pointers_[interpreter_.slots_ - 1], k, identity);
  }
}

void InterpreterThread::Combine(absl::Span<const void* const> parameters,
                                std::int64_t index, std::int64_t n) {
  const int tile = interpreter_.tile();
  frame_.index = index;
  SetArrays(parameters, {});
  RunTiles(n / tile);
}

Word InterpreterThread::Combined() const {
  const char* const values = pointers_[interpreter_.slots_ - 1];
  Word value = expression::LoadValue(interpreter_.type_, values, 0);
  for (int k = 1; k < interpreter_.tile(); ++k) {
    value =
        expression::Apply(*interpreter_.op_, interpreter_.type_, value,
                          expression::LoadValue(interpreter_.type_, values, k));
  }
  return value;
}

void InterpreterThread::StartSteps(absl::Span<void* const> now,
                                   absl::Span<void* const> next,
                                   absl::Span<const void* const> inputs,
                                   std::int64_t stride) {
  std::vector<const void*> parameters(now.begin(), now.end());
  parameters.insert(parameters.end(), inputs.begin(), inputs.end());
  SetArrays(parameters, next);
  strides_.clear();
  for (std::size_t k = now.size(); k < parameters.size(); ++k) {
    strides_.push_back(
        {interpreter_.FirstParameter() + static_cast<int>(k),
         static_cast<int>(stride) * interpreter_.parameter_bytes_[k]});
  }
}

void InterpreterThread::TakeSteps(std::int64_t steps) {
  interpreter::BetweenTiles between{strides_.data(),
                                    static_cast<int>(strides_.size())};
  between.swapped = static_cast<int>(interpreter_.result_bytes_.size());
  between.first = interpreter_.FirstParameter();
  between.second = interpreter_.FirstResult();
  interpreter::RunTiles(interpreter_.steps_.data(), &frame_, steps, between);
}

std::optional<std::int64_t> InterpreterThread::outside(
    std::size_t table) const {
  const std::int64_t index = tables_[table].outside;
  if (index == interpreter::TableView::kNone) return std::nullopt;
  return index;
}

}  // namespace concord
