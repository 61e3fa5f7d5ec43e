// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_BACKENDS_TBB_INTERPRETER_INTERPRETER_H_
#define CONCORD_BACKENDS_TBB_INTERPRETER_INTERPRETER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "concord/backends/tbb/interpreter/step.h"
#include "concord/core/array.h"
#include "concord/core/expression/function.h"

namespace concord {

// A function that is ready to be applied to arrays, with the vectors that this
// CPU has. Results have the bits of expression::Evaluate. Any number of threads
// may use it at the same time, each by an InterpreterThread of its own.
class Interpreter {
 public:
  explicit Interpreter(const expression::Function& function)
      : Interpreter(function, std::nullopt) {}

  // Combines the function's only result over all elements instead of storing
  // it. The operator is exact: + * & | ^ of integers, & | ^ of bools, min or
  // max.
  static Interpreter Combining(const expression::Function& function,
                               expression::Op op) {
    return Interpreter(function, op);
  }

  // Elements that are worked on at a time.
  int tile() const { return tile_; }

 private:
  friend class InterpreterThread;

  Interpreter(const expression::Function& function,
              std::optional<expression::Op> op);

  // Pointers are in this order; those of constants hold tiles of them.
  int FirstConstant() const { return slots_; }
  int FirstParameter() const {
    return slots_ + static_cast<int>(constants_.size());
  }
  int FirstResult() const {
    return FirstParameter() + static_cast<int>(parameter_bytes_.size());
  }

  struct Constant {
    int bytes;
    expression::Word value;
  };

  std::vector<interpreter::Step> steps_;
  int tile_;
  int slots_;
  std::vector<Constant> constants_;
  // Of a value each.
  std::vector<int> parameter_bytes_;
  std::vector<int> result_bytes_;
  // Of what is combined, in the last slot.
  std::optional<expression::Op> op_;
  expression::Type type_;
};

// Memory that one thread needs to run an interpreter.
class InterpreterThread {
 public:
  // `tables` are host arrays of the function's tables.
  explicit InterpreterThread(const Interpreter& interpreter,
                             absl::Span<const ConstArrayView> tables = {});

  // results[k][i] = function(parameters[..][i]) at `index` + i, for i < n.
  // Arrays are as those of EvaluateColumns; no result overlaps another array.
  void Apply(absl::Span<const void* const> parameters,
             absl::Span<void* const> results, std::int64_t index,
             std::int64_t n);

  // Of an interpreter that combines: begins anew. `identity` is the operator's.
  void Start(expression::Word identity);
  // Takes in elements; n is a multiple of the tile.
  void Combine(absl::Span<const void* const> parameters, std::int64_t index,
               std::int64_t n);
  // What all since Start amount to.
  expression::Word Combined() const;

  // For a function whose first parameters have the types of its results: one
  // tile of lanes, which all take a step at the same time. A step's results are
  // the first parameters of the next; the other parameters are `inputs`, which
  // move on by `stride` elements. `now` and `next` are arrays of a tile, for
  // what goes from step to step: before the first step in `now`, after an odd
  // number of steps in `next`. There is no index.
  void StartSteps(absl::Span<void* const> now, absl::Span<void* const> next,
                  absl::Span<const void* const> inputs, std::int64_t stride);
  void TakeSteps(std::int64_t steps);

  // The least index so far at which the table was read outside.
  std::optional<std::int64_t> outside(std::size_t table) const;

 private:
  struct Free {
    void operator()(char* memory) const {
      ::operator delete (memory, std::align_val_t{64});
    }
  };

  char* TileNumber(int number) { return memory_.get() + number * tile_bytes_; }
  void RunTiles(std::int64_t tiles);
  void SetArrays(absl::Span<const void* const> parameters,
                 absl::Span<void* const> results);

  const Interpreter& interpreter_;
  // Of the widest type.
  const std::int64_t tile_bytes_;
  // A tile for each pointer.
  std::unique_ptr<char[], Free> memory_;
  std::vector<char*> pointers_;
  std::vector<interpreter::Advance> advances_;
  // Of inputs from step to step.
  std::vector<interpreter::Advance> strides_;
  std::vector<interpreter::TableView> tables_;
  interpreter::Frame frame_;
};

}  // namespace concord

#endif  // CONCORD_BACKENDS_TBB_INTERPRETER_INTERPRETER_H_
