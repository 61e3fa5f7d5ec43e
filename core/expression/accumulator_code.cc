// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/core/expression/accumulator_code.h"

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <utility>

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
      Next({{Task::kBring, results_[k]}});
      while (!tasks_.empty()) {
        const Task task = tasks_.back();
        tasks_.pop_back();
        Do(task);
      }
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
           BytesOf(nodes_[condition.a].type) == BytesOf(select.type);
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

  // A step of bringing a node into the accumulator. Steps are kept in a list,
  // not on the stack: an operand may be the end of a chain of thousands.
  struct Task {
    enum Kind {
      kBring,       // `node` into the accumulator
      kPark,        // `node` to where it can be an operand
      kPut,         // `node` from the accumulator to there
      kBringOneOf,  // `node` or `other` into the accumulator, and park the rest
      kBringFirst,  // the same where `other` is in the accumulator
      kFinish,      // `node`, whose operands have been brought
    };

    Kind kind;
    int node;
    int other = -1;
  };

  // To do next, in this order.
  void Next(std::initializer_list<Task> tasks) {
    tasks_.insert(tasks_.end(), std::rbegin(tasks), std::rend(tasks));
  }

  void Do(const Task& task) {
    switch (task.kind) {
      case Task::kBring:
        return Bring(task.node);
      case Task::kPark:
        if (IsDirect(task.node)) return;
        return Next({{Task::kBring, task.node}, {Task::kPut, task.node}});
      case Task::kPut:
        return Put(task.node);
      case Task::kBringOneOf:
        return BringOneOf(task.node, task.other);
      case Task::kBringFirst:
        if (IsDirect(task.node)) return;
        Put(task.other);
        return Next({{Task::kBring, task.node}});
      case Task::kFinish:
        return Finish(task.node);
    }
  }

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
      return BringOperands(number);
    }
    Brought(number);
  }

  void Brought(int number) {
    accumulator_ = number;
    if (uses_[number] > 1) Put(number);
  }

  void BringOneOf(int first, int second) {
    if (first == second) {
      return Next({{Task::kBring, first}, {Task::kPut, first}});
    }
    if (accumulator_ == second && IsDirect(first)) return;
    if (IsDirect(second)) return Next({{Task::kBring, first}});
    Next({{Task::kBring, second}, {Task::kBringFirst, first, second}});
  }

  void BringOperands(int number) {
    const Node& node = nodes_[number];
    Next({{Task::kFinish, number}});
    if (node.op == Op::kSelect) {
      Next({{Task::kBringOneOf, node.b, node.c}});
      if (!Compares(node)) return Next({{Task::kPark, node.a}});
      const Node& condition = nodes_[node.a];
      return Next({{Task::kPark, condition.a}, {Task::kPark, condition.b}});
    }
    if (node.b >= 0) {
      Next({{Task::kBringOneOf, node.a, node.b}});
    } else {
      Next({{Task::kBring, node.a}});
    }
    if (node.c >= 0) Next({{Task::kPark, node.c}});
  }

  void Finish(int number) {
    const Node& node = nodes_[number];
    if (node.op == Op::kSelect) {
      Choose(node);
    } else {
      Apply(node);
    }
    for (int operand : OperandsOf(number)) Used(operand);
    Brought(number);
  }

  void Choose(const Node& node) {
    const Node& condition = nodes_[node.a];
    const bool compares = Compares(node);
    const bool reversed = accumulator_ != node.b;
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
    const bool reversed = accumulator_ != node.a;
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
  // The next one last.
  std::vector<Task> tasks_;
  // The node that it holds.
  int accumulator_ = -1;
  AccumulatorCode code_;
};

}  // namespace

AccumulatorCode CompileForAccumulator(const Function& function) {
  return Compiler(function).Run();
}

}  // namespace concord::expression
