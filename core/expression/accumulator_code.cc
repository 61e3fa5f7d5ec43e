// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/core/expression/accumulator_code.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "concord/core/element_type.h"

namespace concord::expression {
namespace {

class Compiler {
 public:
  explicit Compiler(const Function& function)
      : nodes_(function.nodes()),
        results_(function.results()),
        uses_(nodes_.size()),
        slots_(nodes_.size(), kNoSlot) {
    for (int result : results_) ++uses_[result];
    for (std::size_t k = nodes_.size(); k-- > 0;) {
      if (uses_[k] == 0) continue;
      for (int operand : OperandsOf(static_cast<int>(k))) ++uses_[operand];
    }
  }

  AccumulatorCode Run() {
    for (std::size_t k = 0; k < results_.size(); ++k) {
      Bring(results_[k]);
      Emit(Instruction::Kind::kResult, nodes_[results_[k]].type).number =
          static_cast<int>(k);
      Used(results_[k]);
    }
    code_.slots = static_cast<int>(taken_.size());
    return std::move(code_);
  }

 private:
  static constexpr int kNoSlot = -1;

  // Whether a choice compares by itself.
  bool Compares(const Node& select) const {
    const Node& condition = nodes_[select.a];
    return IsComparison(condition.op) &&
           SizeOf(StoredAs(nodes_[condition.a].type)) ==
               SizeOf(StoredAs(select.type));
  }

  // What has to be computed before the node.
  std::vector<int> OperandsOf(int number) const {
    const Node& node = nodes_[number];
    if (node.op == Op::kSelect && Compares(node)) {
      const Node& condition = nodes_[node.a];
      return {condition.a, condition.b, node.b, node.c};
    }
    std::vector<int> operands;
    for (int operand : {node.a, node.b, node.c}) {
      if (operand >= 0) operands.push_back(operand);
    }
    return operands;
  }

  Instruction& Emit(Instruction::Kind kind, Type type) {
    code_.instructions.push_back({kind, type});
    return code_.instructions.back();
  }

  // Whether it can be an operand as it is.
  bool IsDirect(int number) const {
    const Node& node = nodes_[number];
    return slots_[number] != kNoSlot || node.op == Op::kConstant ||
           (node.op == Op::kParameter && node.type != Type::kBool);
  }

  Operand Direct(int number) const {
    const Node& node = nodes_[number];
    if (slots_[number] != kNoSlot) {
      return {Operand::Kind::kSlot, static_cast<Word>(slots_[number])};
    }
    return {node.op == Op::kConstant ? Operand::Kind::kConstant
                                     : Operand::Kind::kParameter,
            node.bits};
  }

  // The accumulator, which holds it, into a slot.
  void Put(int number) {
    if (IsDirect(number)) return;
    const auto free = std::find(taken_.begin(), taken_.end(), false);
    const int slot = static_cast<int>(free - taken_.begin());
    if (free == taken_.end()) taken_.push_back(false);
    taken_[slot] = true;
    slots_[number] = slot;
    Emit(Instruction::Kind::kPut, nodes_[number].type).number = slot;
  }

  void Used(int number) {
    if (--uses_[number] > 0 || slots_[number] == kNoSlot) return;
    taken_[slots_[number]] = false;
    slots_[number] = kNoSlot;
  }

  // Into the accumulator.
  void Bring(int number) {
    if (accumulator_ == number) return;
    const Node& node = nodes_[number];
    if (IsDirect(number)) {
      Emit(Instruction::Kind::kLoad, node.type).operand = Direct(number);
    } else if (node.op == Op::kParameter) {
      Emit(Instruction::Kind::kLoad, node.type).operand = {
          Operand::Kind::kParameter, node.bits};
    } else if (node.op == Op::kIndex) {
      Emit(Instruction::Kind::kIndex, node.type);
    } else {
      Compute(number);
    }
    accumulator_ = number;
    if (uses_[number] > 1) Put(number);
  }

  // To where it can be an operand.
  void Park(int number) {
    if (IsDirect(number)) return;
    Bring(number);
    Put(number);
  }

  // One of two into the accumulator and the other to where it can be an
  // operand. Returns whether it is the second that is in the accumulator.
  bool BringOneOf(int first, int second) {
    if (first == second) {
      Bring(first);
      Put(first);
      return false;
    }
    if (accumulator_ == second && IsDirect(first)) return true;
    if (IsDirect(second)) {
      Bring(first);
      return false;
    }
    Bring(second);
    if (IsDirect(first)) return true;
    Put(second);
    Bring(first);
    return false;
  }

  void Compute(int number) {
    const Node& node = nodes_[number];
    if (node.op == Op::kSelect) {
      Choose(node);
    } else {
      Apply(node);
    }
    for (int operand : OperandsOf(number)) Used(operand);
  }

  void Choose(const Node& node) {
    const Node& condition = nodes_[node.a];
    const bool compares = Compares(node);
    if (compares) {
      Park(condition.a);
      Park(condition.b);
    } else {
      Park(node.a);
    }
    const bool reversed = BringOneOf(node.b, node.c);
    Instruction& choose = Emit(Instruction::Kind::kChoose, node.type);
    choose.reversed = reversed;
    choose.operand = Direct(reversed ? node.b : node.c);
    choose.left = Direct(compares ? condition.a : node.a);
    if (!compares) return;
    choose.op = condition.op;
    choose.other_type = nodes_[condition.a].type;
    choose.right = Direct(condition.b);
  }

  void Apply(const Node& node) {
    bool reversed = false;
    if (node.c >= 0) Park(node.c);
    if (node.b >= 0) {
      reversed = BringOneOf(node.a, node.b);
    } else {
      Bring(node.a);
    }
    Instruction& apply = Emit(Instruction::Kind::kApply, nodes_[node.a].type);
    apply.op = node.op;
    apply.other_type = node.type;
    apply.number = static_cast<int>(node.bits);
    if (node.b >= 0) apply.operand = Direct(reversed ? node.a : node.b);
    if (node.c >= 0) apply.third = Direct(node.c);
    // The first two of fma may change places, too.
    apply.reversed = reversed && !Commutes(node.op) && node.op != Op::kFma;
  }

  const std::vector<Node>& nodes_;
  const std::vector<int>& results_;
  // How often each is still needed.
  std::vector<int> uses_;
  std::vector<int> slots_;
  std::vector<bool> taken_;
  // The node that it holds.
  int accumulator_ = -1;
  AccumulatorCode code_;
};

}  // namespace

AccumulatorCode CompileForAccumulator(const Function& function) {
  return Compiler(function).Run();
}

}  // namespace concord::expression
