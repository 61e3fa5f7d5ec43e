// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The machine on the host, on random functions, beside their definition.

#include "concord/backends/cuda/interpreter/machine.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "concord/backends/cuda/interpreter/encode.h"
#include "concord/core/array.h"
#include "concord/core/expression/evaluate.h"
#include "concord/core/expression/parser.h"
#include "concord/core/expression/printer.h"
#include "concord/core/expression/random_function.h"
#include "concord/core/random.h"

namespace concord::machine {
namespace {

using expression::Function;
using expression::Type;
using expression::Word;

constexpr int kMost = kLanes<std::uint32_t>;
constexpr std::uint64_t kNone = ~std::uint64_t{0};

// 16 elements of any type.
struct Elements {
  alignas(16) char bytes[8 * kMost] = {};
};

// `count` random elements of each type.
std::vector<Elements> RandomElements(Random& random,
                                     const std::vector<Type>& types) {
  std::vector<Elements> columns(types.size());
  for (std::size_t k = 0; k < types.size(); ++k) {
    for (int i = 0; i < kMost; ++i) {
      expression::StoreValue(types[k], columns[k].bytes, i,
                             expression::RandomValue(random, types[k]));
    }
  }
  return columns;
}

std::vector<Type> TableTypes(const Function& function) {
  std::vector<Type> types;
  for (const expression::Table& table : function.tables()) {
    types.push_back(expression::ValueTypeOf(table.type));
  }
  return types;
}

// Memory for the slots of a warp.
template <typename W>
class SlotsOfOneWarp {
 public:
  explicit SlotsOfOneWarp(int slots, W word = 0)
      : words_(static_cast<std::size_t>(kSlotPacks<W> * kPack<W> * (slots + 1)),
               word) {}

  Slots<W> of_first_thread() { return {words_.data(), 0}; }
  W at(int slot, int lane) {
    Register<W> words;
    of_first_thread().Get(slot, words);
    return words[lane];
  }

 private:
  std::vector<W> words_;
};

// Runs the function on the first `count` elements, and compares results and
// what reads outside with the definition.
class Comparison {
 public:
  Comparison(std::uint64_t seed, const Function& function)
      : function_(function), random_(seed) {
    in_ = RandomElements(random_, function.ParameterTypes());
    tables_ = RandomElements(random_, TableTypes(function));
    out_.resize(function.results().size());
    outside_.assign(spliced::kMostTables, kNone);
    arrays_.outside = outside_.data();
    arrays_.aligned = 1;
    for (std::size_t k = 0; k < in_.size(); ++k) {
      arrays_.in[k] = {in_[k].bytes, 0, 1};
    }
    for (std::size_t k = 0; k < tables_.size(); ++k) {
      arrays_.tables[k] = {tables_[k].bytes, kTableSize};
    }
    for (std::size_t k = 0; k < out_.size(); ++k) {
      arrays_.out[k] = {out_[k].bytes, 0, 1};
    }
  }

  template <typename W, int kGroupBits>
  void Run(int count) {
    const Lanes<kGroupBits> lanes{0, Lanes<kGroupBits>::kGroup,
                                  count == kLanes<W>};
    arrays_.end = count;
    ASSERT_TRUE(sizeof(W) == 8 || !wide());
    Encoded encoded = Encode(function_, Places(), sizeof(W) == 8);
    encoded.steps.emplace_back();
    SlotsOfOneWarp<W> slots(encoded.slots);
    Register<W> a = {};
    Machine<W, kGroupBits>(arrays_, lanes, slots.of_first_thread())
        .Run(encoded.steps.data(), a);
    Compare(count);
  }

  bool wide() const { return NeedsWideWords(function_); }

 private:
  static constexpr std::int64_t kTableSize = 13;

  void Compare(int count) {
    std::vector<ConstArrayView> tables;
    for (std::size_t k = 0; k < tables_.size(); ++k) {
      tables.emplace_back(tables_[k].bytes, function_.tables()[k].type,
                          kTableSize, Memory::Host());
    }
    const std::vector<Type> in = function_.ParameterTypes();
    const std::vector<Type> out = function_.ResultTypes();
    std::optional<std::uint64_t> first;
    for (int i = 0; i < count; ++i) {
      std::vector<Word> arguments;
      for (std::size_t k = 0; k < in.size(); ++k) {
        arguments.push_back(expression::LoadValue(in[k], in_[k].bytes, i));
      }
      const expression::Evaluated wanted =
          Evaluate(function_, arguments, i, tables);
      if (wanted.outside.has_value() && !first.has_value()) {
        first = static_cast<std::uint64_t>(i);
      }
      for (std::size_t k = 0; k < out.size(); ++k) {
        ASSERT_EQ(expression::LoadValue(out[k], out_[k].bytes, i),
                  wanted.results[k])
            << "result " << k << ", element " << i << " of "
            << expression::ToText(function_);
      }
    }
    EXPECT_EQ(*std::min_element(outside_.begin(), outside_.end()),
              first.value_or(kNone));
  }

  const Function& function_;
  Random random_;
  std::vector<Elements> in_, tables_, out_;
  std::vector<std::uint64_t> outside_;
  Arrays arrays_{};
};

TEST(Machine, RandomFunctionsHaveTheBitsOfEvaluate) {
  for (std::uint64_t seed = 0; seed < 4000 && !HasFailure(); ++seed) {
    SCOPED_TRACE(absl::StrCat("seed ", seed));
    expression::RandomFunctionShape shape;
    shape.parameters = static_cast<int>(seed % 6);
    shape.tables = static_cast<int>(seed % 3);
    shape.operations = 1 + static_cast<int>(seed % 40);
    shape.results = 1 + static_cast<int>(seed % 4);
    const Function function = expression::RandomFunction(seed, shape);
    const int most = kLanes<std::uint64_t>;
    Comparison(seed, function).Run<std::uint64_t, 2>(most);
    Comparison(seed, function).Run<std::uint64_t, 1>(most);
    Comparison(seed, function)
        .Run<std::uint64_t, 1>(static_cast<int>(seed) % most);
  }
}

// What a choice does not need may be read outside of a table, too.
TEST(Machine, ReadsThatMakeNoDifferenceStay) {
  for (const char* text : {"true ? x : t[x]", "false ? t[x] : x + y",
                           "t[x] > 0 ? y : y", "(x, t[y] == t[x] ? i : i)"}) {
    const Function function = *expression::ParseFunction(
        text, {Type::kInt32, Type::kInt32}, {{{"t", ElementType::kInt32}}});
    ASSERT_EQ(function.tables().size(), 1u);
    Comparison(1, function).Run<std::uint64_t, 2>(kLanes<std::uint64_t>);
  }
}

TEST(Machine, NarrowWordsHaveTheSameBits) {
  int narrow = 0;
  for (std::uint64_t seed = 0; seed < 4000 && !HasFailure(); ++seed) {
    SCOPED_TRACE(absl::StrCat("seed ", seed));
    expression::RandomFunctionShape shape;
    shape.tables = 0;
    shape.operations = 1 + static_cast<int>(seed % 12);
    shape.types = {Type::kBool,  Type::kInt8,   Type::kUInt8,
                   Type::kInt32, Type::kUInt32, Type::kFloat32};
    const Function function = expression::RandomFunction(seed, shape);
    Comparison whole(seed, function);
    if (whole.wide()) continue;
    ++narrow;
    whole.Run<std::uint32_t, 2>(kMost);
    Comparison(seed, function).Run<std::uint32_t, 0>(11);
  }
  EXPECT_GT(narrow, 1000);
}

// x op y of every operation and type, and every cast.
TEST(Machine, EveryOperationHasTheBitsOfEvaluate) {
  for (Type type : expression::AllTypes()) {
    const auto check = [&](const expression::Node& node) {
      expression::Nodes nodes;
      for (Word k : {0, 1, 2}) {
        nodes.nodes.push_back(
            {expression::Op::kParameter, type, -1, -1, -1, k});
      }
      nodes.nodes.push_back(node);
      nodes.results = {3};
      const Function function = *Function::Create(
          expression::Scope::OfColumns({type, type, type}), nodes);
      for (std::uint64_t seed = 0; seed < 40; ++seed) {
        Comparison comparison(seed, function);
        comparison.Run<std::uint64_t, 2>(kLanes<std::uint64_t>);
        if (!comparison.wide()) comparison.Run<std::uint32_t, 2>(kMost);
      }
    };
    for (Type to : expression::AllTypes()) {
      check({expression::Op::kCast, to, 0});
    }
    for (expression::Op op : expression::AllOperations()) {
      using expression::Op;
      const bool special = IsLeaf(op) || op == Op::kCast || op == Op::kGather ||
                           op == Op::kSelect;
      if (special || !expression::IsFor(op, type)) continue;
      const bool gives_bool = IsComparison(op) || op == Op::kIsNan;
      const int operands = expression::OperandsOf(op);
      check({op, gives_bool ? Type::kBool : type, 0, operands > 1 ? 1 : -1,
             operands > 2 ? 2 : -1});
    }
  }
}

// Three operations with constants, one after the other, of all that can be
// short steps.
TEST(Machine, ShortStepsHaveTheBitsOfEvaluate) {
  const std::vector<std::vector<std::string>> forms = {
      {"(", " + 7)"},  {"(", " - 9)"},  {"(5 - ", ")"},  {"(", " * 11)"},
      {"(", " << 3)"}, {"(", " & 77)"}, {"(", " | 34)"}, {"(", " ^ 85)"},
      {"(-", ")"},     {"(~", ")"}};
  for (Type type : {Type::kInt8, Type::kUInt8, Type::kInt32, Type::kUInt32}) {
    for (std::size_t k = 0; k < 1000 && !HasFailure(); ++k) {
      std::string text = "x";
      for (std::size_t digits = k, d = 0; d < 3; ++d, digits /= 10) {
        const std::vector<std::string>& form = forms[digits % 10];
        text = form[0] + text + form[1];
      }
      const Function function = *expression::ParseFunction(text, {type});
      Comparison(k, function).Run<std::uint32_t, 2>(kMost);
      Comparison(k, function).Run<std::uint32_t, 2>(7);
      Comparison(k, function).Run<std::uint64_t, 2>(kLanes<std::uint64_t>);
    }
  }
}

std::vector<Code> CodesOf(const std::string& text, Type type, bool wide) {
  const Function function = *expression::ParseFunction(text, {type});
  std::vector<Code> codes;
  for (const Step& step : Encode(function, Places(), wide).steps) {
    codes.push_back(step.code);
  }
  return codes;
}

TEST(Machine, NeighboursAreOneShortStep) {
  EXPECT_EQ(CodesOf("((((x * 2 + 1) ^ 0x55) * 3) - 7) & 0xffff", Type::kInt32,
                    /*wide=*/false),
            (std::vector<Code>{Code::kLoadWords, Code::kAffine, Code::kBits,
                               Code::kAffine, Code::kBits, Code::kStore}));
  EXPECT_EQ(CodesOf("(x & 0xff | 0x100) ^ 3", Type::kInt32, /*wide=*/false),
            (std::vector<Code>{Code::kLoadWords, Code::kBits, Code::kStore}));
  // What is wrapped is between them here.
  EXPECT_EQ(CodesOf("x * 2 + 1", Type::kInt8, /*wide=*/false),
            (std::vector<Code>{Code::kLoad, Code::kAffine, Code::kWrapInt8,
                               Code::kAffine, Code::kWrapInt8, Code::kStore}));
  EXPECT_EQ(
      CodesOf("x + 1", Type::kInt64, /*wide=*/true),
      (std::vector<Code>{Code::kLoadWords, Code::Add_Signed, Code::kStore}));
}

// What has no element changes no slot: reductions count on it.
TEST(Machine, AbsentLanesKeepTheirSlots) {
  const Function function = *expression::ParseFunction("x + 1", {Type::kInt32});
  Places places;
  places.results = Places::Of::kSlots;
  places.result_slot = 0;
  places.free_slot = 1;
  Encoded encoded = Encode(function, places, /*wide=*/false);
  encoded.steps.back().code = Code::kPutPresent;
  encoded.steps.emplace_back();
  const std::vector<std::int32_t> x(kMost, 5);
  Arrays arrays{};
  arrays.in[0] = {x.data(), 0, 1};
  arrays.begin = 1;
  arrays.end = 3;
  SlotsOfOneWarp<std::uint32_t> slots(2, 77);
  Register<std::uint32_t> a = {};
  Machine<std::uint32_t, 2>(arrays, Lanes<2>{0, 4, false},
                            slots.of_first_thread())
      .Run(encoded.steps.data(), a);
  EXPECT_EQ(slots.at(0, 0), 77u);
  EXPECT_EQ(slots.at(0, 1), 6u);
  EXPECT_EQ(slots.at(0, 2), 6u);
  EXPECT_EQ(slots.at(0, 3), 77u);
}

TEST(Machine, KeptElementsHavePlaces) {
  // Lanes 1, 2, 4 and 7, of which 10 and 40 are before the groups.
  const Kept kept{0b1001'0110, {10, 40}, 1000};
  EXPECT_FALSE(kept.Has(0));
  EXPECT_TRUE(kept.Has(7));
  EXPECT_EQ(kept.place(1), 1010);
  EXPECT_EQ(kept.place(2), 1011);
  EXPECT_EQ(kept.place(4), 1040);
  EXPECT_EQ(kept.place(7), 1041);
}

template <typename W>
W Combined(expression::Op op, Type type, W a, W b) {
  W combined = 0;
  WithOperator<W>(CombiningCode(op, type, sizeof(W) == 8),
                  [&](auto combine) { combined = combine(a, b); });
  return combined;
}

TEST(Machine, BuiltInOperatorsCombineWords) {
  using expression::Op;
  using Narrow = std::uint32_t;
  using Wide = std::uint64_t;
  EXPECT_EQ(Combined<Narrow>(Op::kAdd, Type::kInt32, 5, ~0u), 4u);
  EXPECT_EQ(Combined<Narrow>(Op::kMinimum, Type::kInt32, 5, ~0u), ~0u);
  EXPECT_EQ(Combined<Narrow>(Op::kMinimum, Type::kUInt32, 5, ~0u), 5u);
  EXPECT_EQ(Combined<Wide>(Op::kMinimum, Type::kUInt32, 5, ~0u), 5u);
  EXPECT_EQ(Combined<Wide>(Op::kMaximum, Type::kInt64, 5, ~0ull), 5u);
  EXPECT_EQ(Combined<Narrow>(Op::kXor, Type::kUInt8, 5, 4), 1u);
}

}  // namespace
}  // namespace concord::machine
