// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/backends/tbb/interpreter/interpreter.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "concord/core/expression/evaluate.h"
#include "concord/core/expression/operator.h"
#include "concord/core/expression/parser.h"
#include "concord/core/expression/printer.h"
#include "concord/core/expression/random_function.h"
#include "concord/core/random.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace concord {
namespace {

using expression::Function;
using expression::Op;
using expression::RandomFunctionShape;
using expression::Type;
using expression::Word;
using ::testing::ElementsAre;

// Values of the type, as a column has them, and some bytes that nobody may
// write.
std::vector<unsigned char> Column(Random& random, Type type, int n) {
  std::vector<unsigned char> bytes(static_cast<std::size_t>(n) * 8 + 64, 0xa5);
  for (int k = 0; k < n; ++k) {
    expression::StoreValue(type, bytes.data(), k,
                           expression::RandomValue(random, type));
    // Any byte but 0 is true.
    if (type == Type::kBool && bytes[k] != 0) bytes[k] = 1 + k % 255;
  }
  return bytes;
}

// The function on random values at an index, beside Evaluate.
class Comparison {
 public:
  Comparison(const Function& f, std::uint64_t seed) : f_(f) {
    Random random(seed);
    n_ = 1 + static_cast<int>(random.Below(300));
    index_ = static_cast<std::int64_t>(random.Below(3)) * 7;
    for (Type type : f.ParameterTypes()) {
      columns_.push_back(Column(random, type, n_));
      parameters_.push_back(columns_.back().data());
    }
    for (const expression::Table& table : f.tables()) {
      const Type type = expression::ValueTypeOf(table.type);
      tables_data_.push_back(Column(random, type, 20));
      tables_.push_back(ConstArrayView(tables_data_.back().data(), table.type,
                                       20, Memory::Host()));
    }
  }

  void Check() {
    std::vector<std::vector<unsigned char>> out;
    std::vector<void*> results;
    for (std::size_t k = 0; k < f_.results().size(); ++k) {
      out.emplace_back(static_cast<std::size_t>(n_) * 8 + 64, 0xa5);
    }
    for (auto& bytes : out) results.push_back(bytes.data());
    const Interpreter interpreter(f_);
    InterpreterThread thread(interpreter, tables_);
    thread.Apply(parameters_, results, index_, n_);
    std::vector<std::int64_t> outside(tables_.size(), INT64_MAX);
    const std::vector<Type> types = f_.ResultTypes();
    for (int i = 0; i < n_; ++i) {
      const std::vector<Word> wanted = Wanted(i, outside);
      for (std::size_t k = 0; k < wanted.size(); ++k) {
        const Word given =
            expression::Load(StoredAs(types[k]), out[k].data(), i);
        ASSERT_EQ(given, wanted[k])
            << "result " << k << " of element " << i << " of " << ToText(f_);
      }
    }
    for (std::size_t k = 0; k < out.size(); ++k) {
      ASSERT_EQ(out[k][static_cast<std::size_t>(n_) * BytesOf(types[k])], 0xa5)
          << "written past the end";
    }
    for (std::size_t k = 0; k < tables_.size(); ++k) {
      ASSERT_EQ(thread.outside(k).value_or(INT64_MAX), outside[k])
          << ToText(f_);
    }
  }

 private:
  // The results at i. Notes reads outside.
  std::vector<Word> Wanted(int i, std::vector<std::int64_t>& outside) const {
    std::vector<Word> x;
    for (std::size_t k = 0; k < columns_.size(); ++k) {
      x.push_back(expression::LoadValue(f_.parameters()[k].type,
                                        columns_[k].data(), i));
    }
    // One table at a time shows which are read outside.
    for (std::size_t k = 0; k < tables_.size(); ++k) {
      if (ReadsOutside(x, i, k)) {
        outside[k] = std::min(outside[k], index_ + i);
      }
    }
    return Evaluate(f_, x, index_ + i, tables_).results;
  }

  bool ReadsOutside(const std::vector<Word>& x, int i,
                    std::size_t table) const {
    const expression::Nodes& nodes = f_.form();
    for (const expression::Node& node : nodes.nodes) {
      if (node.op != Op::kGather || node.bits != table) continue;
      expression::Nodes index = nodes;
      index.results = {node.a};
      const auto at = static_cast<std::int64_t>(
          Evaluate(index, x, index_ + i, tables_).results[0]);
      if (at < 0 || at >= 20) return true;
    }
    return false;
  }

  const Function& f_;
  int n_;
  std::int64_t index_;
  std::vector<std::vector<unsigned char>> columns_, tables_data_;
  std::vector<const void*> parameters_;
  std::vector<ConstArrayView> tables_;
};

TEST(Interpreter, GivesTheBitsOfEvaluate) {
  for (std::uint64_t seed = 0; seed < 12'000; ++seed) {
    Random random(seed);
    RandomFunctionShape shape;
    shape.operations = 1 + static_cast<int>(random.Below(24));
    shape.results = 1 + static_cast<int>(random.Below(4));
    // Half of them have one number type, so that tiles are wide.
    const std::vector<Type>& all = expression::AllTypes();
    if (seed % 2 == 0) {
      shape.types = {all[random.Below(all.size())], Type::kBool};
      shape.tables = 0;
    }
    const Function f = RandomFunction(seed, shape);
    Comparison(f, seed).Check();
    if (HasFatalFailure()) return;
  }
}

TEST(Interpreter, HasEveryOperationOfEveryType) {
  std::uint64_t seed = 0;
  for (Op op : expression::AllOperations()) {
    for (Type type : expression::AllTypes()) {
      if (IsLeaf(op) || op == Op::kGather || !IsFor(op, type)) continue;
      for (Type other : expression::AllTypes()) {
        if (op != Op::kCast && other != Type::kInt64) continue;
        // With an int64 beside it, tiles are of 8 bytes.
        for (const bool beside : {false, true}) {
          std::vector<Type> types = {type, type, type};
          if (op == Op::kSelect) types[0] = Type::kBool;
          if (beside) types.push_back(Type::kInt64);
          expression::Nodes nodes;
          for (std::size_t k = 0; k < types.size(); ++k) {
            nodes.nodes.push_back({Op::kParameter, types[k], -1, -1, -1, k});
          }
          const Type result = op == Op::kCast ? other
                              : IsComparison(op) || op == Op::kIsNan
                                  ? Type::kBool
                                  : type;
          const int operands = expression::OperandsOf(op);
          const auto add = [&](int a, int b) {
            nodes.results.push_back(static_cast<int>(nodes.nodes.size()));
            nodes.nodes.push_back(
                {op, result, a, operands > 1 ? b : -1, operands > 2 ? 2 : -1});
          };
          add(0, 1);
          if (beside) nodes.results.push_back(3);
          // Constants on either side.
          if (operands == 2) {
            Random random(seed);
            const int constant = static_cast<int>(nodes.nodes.size());
            nodes.nodes.push_back(
                {Op::kConstant, type, -1, -1, -1,
                 expression::Canonical(type, RandomValue(random, type))});
            add(0, constant);
            add(constant, 0);
          }
          absl::StatusOr<Function> f = Function::Create(
              expression::Scope::OfColumns(types), std::move(nodes));
          ASSERT_TRUE(f.ok()) << f.status();
          for (int round = 0; round < 3; ++round) {
            Comparison(*f, ++seed).Check();
            if (HasFatalFailure()) return;
          }
        }
      }
    }
  }
}

TEST(Interpreter, TakesStepsOfARecurrence) {
  absl::StatusOr<Function> f =
      expression::ParseFunction("s, t, x -> (s * 3 + int32(x), t ^ s)",
                                {Type::kInt32, Type::kInt32, Type::kInt8});
  ASSERT_TRUE(f.ok()) << f.status();
  const Interpreter interpreter(*f);
  const int lanes = interpreter.tile();
  std::vector<std::int32_t> s(2 * lanes), t(2 * lanes), wanted_s, wanted_t;
  std::vector<std::int8_t> x(8 * lanes);
  for (int k = 0; k < 8 * lanes; ++k) x[k] = static_cast<std::int8_t>(k * 7);
  for (int k = 0; k < lanes; ++k) {
    s[k] = k;
    t[k] = -k;
  }
  wanted_s.assign(s.begin(), s.begin() + lanes);
  wanted_t.assign(t.begin(), t.begin() + lanes);
  for (int step = 0; step < 7; ++step) {
    for (int k = 0; k < lanes; ++k) {
      wanted_t[k] ^= wanted_s[k];
      wanted_s[k] = wanted_s[k] * 3 + x[step * lanes + k];
    }
  }
  InterpreterThread thread(interpreter);
  thread.StartSteps({s.data(), t.data()}, {s.data() + lanes, t.data() + lanes},
                    {x.data()}, lanes);
  thread.TakeSteps(4);
  thread.TakeSteps(3);
  EXPECT_EQ(std::vector<std::int32_t>(s.begin() + lanes, s.end()), wanted_s);
  EXPECT_EQ(std::vector<std::int32_t>(t.begin() + lanes, t.end()), wanted_t);
}

TEST(Interpreter, CombinesResults) {
  for (Type type : expression::AllTypes()) {
    for (const absl::string_view text :
         {"a + b", "a * b", "min(a, b)", "max(a, b)", "a & b", "a | b",
          "a ^ b"}) {
      absl::StatusOr<expression::Operator> op =
          expression::Operator::Parse(text, {type});
      if (!op.ok()) continue;
      if (IsFloat(type) && text[0] == 'a') continue;
      absl::StatusOr<Function> f = expression::ParseFunction("x", {type});
      ASSERT_TRUE(f.ok()) << f.status();
      const Interpreter interpreter =
          Interpreter::Combining(*f, *op->built_in());
      const int n = 5 * interpreter.tile();
      Random random(static_cast<std::uint64_t>(text[0]));
      const std::vector<unsigned char> column = Column(random, type, 2 * n);
      const std::vector<Word> identity = *op->identity();
      std::vector<Word> wanted = identity;
      for (int i = 0; i < 2 * n; ++i) {
        wanted =
            op->Apply(wanted, {expression::LoadValue(type, column.data(), i)});
      }
      InterpreterThread thread(interpreter);
      thread.Start(identity[0]);
      const unsigned char* values = column.data();
      const int bytes = BytesOf(type);
      thread.Combine({values}, 0, n);
      thread.Combine({values + n * bytes}, n, n);
      EXPECT_EQ(Canonical(type, thread.Combined()), wanted[0])
          << text << " of " << Name(type);
    }
  }
}

}  // namespace
}  // namespace concord
