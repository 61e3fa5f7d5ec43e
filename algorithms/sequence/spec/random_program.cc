// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/algorithms/sequence/spec/random_program.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "concord/core/expression/evaluate.h"
#include "concord/core/expression/printer.h"
#include "concord/core/expression/random_function.h"
#include "concord/core/expression/random_operator.h"
#include "concord/core/random.h"

namespace concord::sequence {
namespace {

using expression::Function;
using expression::Operator;
using expression::RandomFunctionShape;
using expression::Type;

constexpr std::size_t kMostValues = 4;
constexpr const char* kNames[] = {"x", "y", "z", "w"};

// "a" of one, "(a, b)" of more.
std::string TupleText(const std::vector<std::string>& values) {
  return values.size() == 1
             ? values.front()
             : absl::StrCat("(", absl::StrJoin(values, ", "), ")");
}

// A program that grows stage by stage.
class Draw {
 public:
  Draw(ElementType type, std::int64_t size, std::uint64_t seed)
      : random_(seed), type_(type), size_(size) {}

  DrawnProgram Run(absl::string_view name) {
    if (name == "random_operator") {
      Operate();
    } else {
      Map();
    }
    if (name == "random_filter") Filter();
    if (name == "random_scan") Combine();
    if (name == "random_pipeline") {
      const std::size_t steps = 1 + random_.Below(5);
      for (std::size_t k = 0; k < steps; ++k) Step();
      if (types_.size() > kMostValues) AppendMap(kMostValues);
    }
    return {absl::StrCat(named_, chain_), std::move(columns_)};
  }

 private:
  bool Chance(int of) { return random_.Below(of) == 0; }

  void Append(absl::string_view stage) {
    absl::StrAppend(&chain_, chain_.empty() ? "" : " |> ", stage);
  }

  Type AnyType() {
    const std::vector<ElementType> all = AllElementTypes();
    return expression::ValueTypeOf(all[random_.Below(all.size())]);
  }

  // Columns of these types, zipped. A bool is a byte, 0 or 1, in a column.
  void Begin(std::vector<Type> types) {
    std::vector<std::string> values;
    bool has_bool = false;
    for (std::size_t k = 0; k < types.size(); ++k) {
      const ElementType stored = StoredAs(types[k]);
      HostArray column(stored, {size_});
      for (std::int64_t i = 0; i < size_; ++i) {
        expression::Store(stored, column.data<char>(), i,
                          expression::RandomValue(random_, types[k]));
      }
      columns_.emplace(kNames[k], std::move(column));
      const bool is_bool = types[k] == Type::kBool;
      has_bool |= is_bool;
      values.push_back(is_bool ? absl::StrCat("bool(", kNames[k], ")")
                               : kNames[k]);
    }
    Append(types.size() == 1
               ? "x"
               : absl::StrCat("zip ", absl::StrJoin(
                                          kNames, kNames + types.size(), " ")));
    if (has_bool) Append(absl::StrCat("map ", TupleText(values)));
    types_ = std::move(types);
  }

  Function RandomFunction() {
    RandomFunctionShape shape;
    shape.parameters = 1 + static_cast<int>(random_.Below(kMostValues));
    shape.tables = 0;
    shape.operations = 1 + static_cast<int>(random_.Below(16));
    shape.results = 1 + static_cast<int>(random_.Below(kMostValues));
    shape.types = {expression::ValueTypeOf(type_), AnyType()};
    if (Chance(2)) {
      for (const ElementType type : AllElementTypes()) {
        shape.types.push_back(expression::ValueTypeOf(type));
      }
    }
    return expression::RandomFunction(random_.Bits(), shape);
  }

  // A function of what there is, or else of columns.
  void Map() {
    const Function function = RandomFunction();
    const std::vector<Type> parameters = function.ParameterTypes();
    if (chain_.empty()) {
      Begin(parameters);
    } else {
      std::vector<std::string> casts;
      for (std::size_t k = 0; k < parameters.size(); ++k) {
        casts.push_back(absl::StrCat(Name(parameters[k]), "(",
                                     NameOfValue(k % types_.size()), ")"));
      }
      Append(absl::StrCat("map ", TupleText(casts)));
    }
    Append(absl::StrCat("map ", expression::ToText(function)));
    types_ = function.ResultTypes();
  }

  // What a function calls the values of a tuple.
  static std::string NameOfValue(std::size_t k) {
    return k < kMostValues ? kNames[k] : absl::StrCat("x", k);
  }

  // The first so many values.
  void AppendMap(std::size_t count) {
    std::vector<std::string> values;
    for (std::size_t k = 0; k < count; ++k) values.push_back(NameOfValue(k));
    Append(absl::StrCat("map ", TupleText(values)));
    types_.resize(count);
  }

  void Filter() {
    const std::size_t k = random_.Below(types_.size());
    const std::string value = NameOfValue(k);
    if (types_[k] == Type::kBool) {
      Append(absl::StrCat("filter ", value));
    } else if (IsFloat(types_[k])) {
      Append(absl::StrCat("filter ", value, " < 1 || isnan(", value, ")"));
    } else {
      Append(absl::StrCat("filter ", value, " % 3 != 1"));
    }
  }

  // "a + b" of two names.
  std::string BuiltIn(Type type, const std::string& a, const std::string& b) {
    static const auto* const kOfAll =
        new std::vector<std::string>{"+", "*", "min", "max", "&", "|", "^"};
    const std::size_t first = type == Type::kBool ? 4 : 0;
    const std::size_t end = IsFloat(type) ? 4 : kOfAll->size();
    const std::string& op = (*kOfAll)[first + random_.Below(end - first)];
    return op[0] == 'm' ? absl::StrCat(op, "(", a, ", ", b, ")")
                        : absl::StrCat(a, " ", op, " ", b);
  }

  // A scan, or a reduction, whose operator has a known identity.
  void Combine() {
    std::vector<std::string> left, right, results;
    for (std::size_t k = 0; k < types_.size(); ++k) {
      left.push_back(absl::StrCat("a", k));
      right.push_back(absl::StrCat("b", k));
      results.push_back(BuiltIn(types_[k], left.back(), right.back()));
    }
    static constexpr const char* kKinds[] = {"scan", "scan_before", "reduce"};
    Append(absl::StrCat(kKinds[random_.Below(3)], " ", TupleText(left), ", ",
                        TupleText(right), " -> ", TupleText(results),
                        Chance(2) ? " unchecked" : ""));
  }

  void Operate() {
    const Operator op = expression::RandomOperator(random_.Bits(), kMostValues);
    Begin(op.types());
    const std::uint64_t kind = random_.Below(3);
    // Of nothing, and before the first, there has to be an identity.
    const bool has_identity = op.identity().has_value();
    const char* const word = kind == 1 && has_identity ? "scan_before"
                             : kind == 2 && (has_identity || size_ > 0)
                                 ? "reduce"
                                 : "scan";
    std::string stage =
        absl::StrCat(word, " ", expression::OperatorToText(op.function()));
    if (has_identity) {
      absl::StrAppend(&stage, " from ",
                      expression::ToString(op.types(), *op.identity()));
    }
    if (Chance(2)) absl::StrAppend(&stage, " unchecked");
    Append(stage);
  }

  void NameChain(const std::string& name) {
    absl::StrAppend(&named_, name, " = ", chain_, "; ");
    chain_.clear();
  }

  void Step() {
    switch (random_.Below(7)) {
      case 0:
        return Map();
      case 1:
        return Filter();
      case 2:
        return Combine();
      case 3:
        return Append(absl::StrCat("slice ", random_.Below(20), ", ",
                                   random_.Below(1000)));
      case 4: {
        if (types_.size() > 8) return;
        const std::string name = absl::StrCat("s", names_++);
        NameChain(name);
        Append(absl::StrCat("zip ", name, " ", name));
        const std::vector<Type> once = types_;
        types_.insert(types_.end(), once.begin(), once.end());
        return;
      }
      case 5: {
        // Doubles it, so not often.
        if (names_ > 2) return;
        const std::string name = absl::StrCat("s", names_++);
        NameChain(name);
        return Append(absl::StrCat("concat ", name, " ", name));
      }
      default:
        if (!Chance(3)) return;
        Append("count");
        types_ = {Type::kInt64};
    }
  }

  Random random_;
  const ElementType type_;
  const std::int64_t size_;
  std::string named_;
  std::string chain_;
  std::vector<Type> types_;
  std::map<std::string, HostArray> columns_;
  int names_ = 0;
};

}  // namespace

const std::vector<std::string>& RandomProgramNames() {
  static const auto* const names =
      new std::vector<std::string>{"random_map", "random_filter", "random_scan",
                                   "random_operator", "random_pipeline"};
  return *names;
}

DrawnProgram DrawProgram(absl::string_view name, ElementType type,
                         std::int64_t size, std::uint64_t seed) {
  return Draw(type, size, seed).Run(name);
}

}  // namespace concord::sequence
