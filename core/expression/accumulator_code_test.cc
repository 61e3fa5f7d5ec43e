// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/core/expression/accumulator_code.h"

#include <pthread.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "concord/core/expression/apply.h"
#include "concord/core/expression/evaluate.h"
#include "concord/core/expression/parser.h"
#include "concord/core/expression/printer.h"
#include "concord/core/expression/random_function.h"
#include "concord/core/random.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace concord::expression {
namespace {

using Kind = Instruction::Kind;

// The machine as accumulator_code.h defines it, for one element.
class Machine {
 public:
  Machine(const AccumulatorCode& code, const std::vector<Word>& arguments,
          std::int64_t index, const std::vector<ConstArrayView>& tables)
      : arguments_(arguments),
        index_(index),
        tables_(tables),
        slots_(static_cast<std::size_t>(code.slots)) {
    for (const Instruction& instruction : code.instructions) Step(instruction);
  }

  const std::vector<Word>& results() const { return results_; }

 private:
  Word Of(const Operand& operand) const {
    switch (operand.kind) {
      case Operand::Kind::kSlot:
        return slots_[operand.value];
      case Operand::Kind::kParameter:
        return arguments_[operand.value];
      default:
        return operand.value;
    }
  }

  void Step(const Instruction& step) {
    switch (step.kind) {
      case Kind::kLoad:
        accumulator_ = Of(step.operand);
        break;
      case Kind::kIndex:
        accumulator_ = static_cast<Word>(index_);
        break;
      case Kind::kPut:
        slots_[static_cast<std::size_t>(step.number)] = accumulator_;
        break;
      case Kind::kResult:
        ASSERT_EQ(results_.size(), static_cast<std::size_t>(step.number));
        results_.push_back(Canonical(step.type, accumulator_));
        break;
      case Kind::kApply:
        accumulator_ = Applied(step);
        break;
      case Kind::kChoose: {
        const bool condition = step.op == Op::kSelect
                                   ? Of(step.left) != 0
                                   : Apply(step.op, step.other_type,
                                           Of(step.left), Of(step.right)) != 0;
        if (condition == step.reversed) accumulator_ = Of(step.operand);
      }
    }
  }

  Word Applied(const Instruction& step) const {
    if (step.op == Op::kCast) {
      return Cast(step.type, step.other_type, accumulator_);
    }
    if (step.op == Op::kGather) {
      const ConstArrayView& table =
          tables_[static_cast<std::size_t>(step.number)];
      const auto at = static_cast<std::int64_t>(accumulator_);
      const bool inside = at >= 0 && at < table.size();
      return inside ? Load(table.type(), table.data(), at) : 0;
    }
    const Word operand = Of(step.operand);
    return step.reversed ? Apply(step.op, step.type, operand, accumulator_)
                         : Apply(step.op, step.type, accumulator_, operand,
                                 Of(step.third));
  }

  const std::vector<Word>& arguments_;
  const std::int64_t index_;
  const std::vector<ConstArrayView>& tables_;
  std::vector<Word> slots_;
  std::vector<Word> results_;
  Word accumulator_ = 0;
};

TEST(AccumulatorCode, GivesTheValuesOfTheFunction) {
  for (std::uint64_t seed = 0; seed < 5000; ++seed) {
    Random random(seed);
    RandomFunctionShape shape;
    shape.operations = 1 + static_cast<int>(random.Below(40));
    shape.results = 1 + static_cast<int>(random.Below(4));
    const Function f = RandomFunction(seed, shape);
    const AccumulatorCode code = CompileForAccumulator(f);
    const std::vector<std::uint8_t> bytes(64, 77);
    std::vector<ConstArrayView> tables;
    for (const Table& table : f.tables()) {
      tables.push_back(
          ConstArrayView(bytes.data(), table.type, 8, Memory::Host()));
    }
    for (int value = 0; value < 4; ++value) {
      std::vector<Word> x;
      for (Type type : f.ParameterTypes()) {
        x.push_back(RandomValue(random, type));
      }
      EXPECT_EQ(Machine(code, x, value, tables).results(),
                Evaluate(f, x, value, tables).results)
          << ToText(f);
    }
  }
}

AccumulatorCode CodeOf(absl::string_view text, std::vector<Type> types) {
  absl::StatusOr<Function> f = ParseFunction(text, types);
  EXPECT_TRUE(f.ok()) << f.status();
  return CompileForAccumulator(*f);
}

TEST(AccumulatorCode, NeedsNoSlotsForAChain) {
  const AccumulatorCode code = CodeOf("((2 * x + y ^ 0x55) * 3 - 7) & 0xffff",
                                      {Type::kInt32, Type::kInt32});
  EXPECT_EQ(code.slots, 0);
  // A load, six operations and the result.
  EXPECT_EQ(code.instructions.size(), 8u);
}

// In bytes. A call for each operation of the chain would take more.
constexpr std::size_t kSmallStack = std::size_t{256} << 10;

void* CompileOnASmallStack(void* argument) {
  const auto& function = *static_cast<const Function*>(argument);
  EXPECT_GT(CompileForAccumulator(function).instructions.size(), 4000u);
  return nullptr;
}

TEST(AccumulatorCode, NeedsNoStackForAChain) {
  std::string text = "v0 = x - y; ";
  for (int k = 1; k < 4000; ++k) {
    absl::StrAppend(&text, "v", k, " = v", k - 1, k % 2 == 0 ? " - " : " / ",
                    "y; ");
  }
  absl::StatusOr<Function> f =
      ParseFunction(absl::StrCat(text, "v3999"), {Type::kInt32, Type::kInt32});
  ASSERT_TRUE(f.ok()) << f.status();
  pthread_attr_t attributes;
  ASSERT_EQ(pthread_attr_init(&attributes), 0);
  ASSERT_EQ(pthread_attr_setstacksize(&attributes, kSmallStack), 0);
  pthread_t thread;
  ASSERT_EQ(pthread_create(&thread, &attributes, CompileOnASmallStack, &*f), 0);
  EXPECT_EQ(pthread_join(thread, nullptr), 0);
  EXPECT_EQ(pthread_attr_destroy(&attributes), 0);
}

TEST(AccumulatorCode, ComparesAndChoosesAtOnce) {
  const AccumulatorCode code =
      CodeOf("d = x - y; d < 0 ? -d : d * 2", {Type::kInt32, Type::kInt32});
  EXPECT_EQ(code.slots, 2);
  const Instruction& choose = code.instructions[code.instructions.size() - 2];
  EXPECT_EQ(choose.kind, Kind::kChoose);
  EXPECT_EQ(choose.op, Op::kLess);
}

}  // namespace
}  // namespace concord::expression
