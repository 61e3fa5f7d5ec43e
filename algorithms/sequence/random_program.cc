// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/algorithms/sequence/random_program.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/span.h"
#include "concord/algorithms/sequence/column_names.h"
#include "concord/algorithms/sequence/random_text.h"
#include "concord/core/expression/operator.h"
#include "concord/core/expression/printer.h"
#include "concord/core/expression/random_function.h"
#include "concord/core/expression/random_operator.h"
#include "concord/core/expression/value_type.h"
#include "concord/core/random.h"

namespace concord::sequence {
namespace {

using expression::Function;
using expression::Operator;
using expression::Parameter;
using expression::Type;
using Kind = RandomProgramShape::Kind;

// Values of a tuple before a function or an operator of all of them.
constexpr std::size_t kMostValues = 4;
constexpr std::size_t kMostWide = 12;

// Reads are at indices below a power of two that no column is shorter than.
int MaskOf(const RandomProgramShape& shape) {
  if (shape.may_fail) return 15;
  if (shape.size == 0) return -1;
  int length = 1;
  while (length < 128 && 2 * length <= shape.size) length *= 2;
  return length - 1;
}

// A program that grows stage by stage.
class Drawer {
 public:
  Drawer(std::uint64_t seed, RandomProgramShape shape)
      : shape_(std::move(shape)),
        draw_(seed, MaskOf(shape_), !shape_.may_fail) {}

  RandomProgramText Run() {
    if (shape_.kind == Kind::kPipeline) {
      Pipeline();
    } else if (shape_.kind == Kind::kOperator) {
      Operate();
    } else {
      const Function function = AnyFunction();
      Begin(function.ParameterTypes());
      Append(absl::StrCat("map ", expression::ToText(function)));
      here_.types = function.ResultTypes();
    }
    if (shape_.kind == Kind::kFilter) Filter();
    if (shape_.kind == Kind::kScan) Combine(draw_.BuiltIns(here_.types));
    Narrow(kMostValues);
    return {absl::StrCat(named_text_, chain_), std::move(shape_.columns)};
  }

 private:
  // What a sequence gives. Those of one `size` have equally many elements.
  struct Sequence {
    std::string name;
    std::vector<Type> types;
    int size = 0;
  };
  static constexpr int kOne = 1;

  void Append(absl::string_view stage) {
    absl::StrAppend(&chain_, chain_.empty() ? "" : "\n  |> ", stage);
  }
  void Resize() { here_.size = ++sizes_; }

  // --- Sources ---

  // Columns for values of these types, zipped. A bool is a byte in a column.
  void Begin(const std::vector<Type>& types) {
    std::vector<std::string> values;
    shape_.columns.clear();
    for (std::size_t k = 0; k < types.size(); ++k) {
      const bool is_bool = types[k] == Type::kBool;
      shape_.columns.push_back(
          {kColumnNames[k], is_bool ? Type::kUInt8 : types[k]});
      values.push_back(is_bool ? absl::StrCat("bool(", kColumnNames[k], ")")
                               : kColumnNames[k]);
    }
    Append(types.size() == 1
               ? "x"
               : absl::StrCat("zip ",
                              absl::StrJoin(kColumnNames,
                                            kColumnNames + types.size(), " ")));
    if (std::count(types.begin(), types.end(), Type::kBool) > 0) {
      Append(absl::StrCat("map ", TupleText(values)));
    }
    draw_.set_columns(shape_.columns);
    here_.types = types;
  }

  void Pipeline() {
    if (shape_.columns.empty()) {
      const int columns = 1 + draw_.Below(kMostColumns);
      for (int k = 0; k < columns; ++k) {
        const Type type = draw_.Chance(2) ? shape_.type : draw_.AnyType();
        shape_.columns.push_back(
            {kColumnNames[k], type == Type::kBool ? Type::kUInt8 : type});
      }
    }
    draw_.set_columns(shape_.columns);
    for (const Parameter& column : shape_.columns) {
      named_.push_back({column.name, {column.type}, 0});
    }
    const int names = draw_.Below(4);
    for (int k = 0; k < names; ++k) {
      Chain();
      here_.name = absl::StrCat("s", k);
      absl::StrAppend(&named_text_, here_.name, " = ", chain_, ";\n");
      named_.push_back(here_);
    }
    Chain();
  }

  void Chain() {
    chain_.clear();
    here_ = {};
    Source();
    const int stages = draw_.Below(6);
    for (int k = 0; k < stages; ++k) Step();
  }

  // Recent ones more often.
  const Sequence& Named() {
    const std::size_t columns = shape_.columns.size();
    const std::size_t first =
        named_.size() > columns && !draw_.Chance(4) ? columns : 0;
    const std::size_t end = first == 0 ? columns : named_.size();
    return named_[first + draw_.random().Below(end - first)];
  }

  void Source() {
    const int kind = draw_.Below(10);
    if (kind == 0) {
      const std::string f = draw_.Map({}, 1 + draw_.Below(2), here_.types);
      Append(absl::StrCat("tabulate ", f, ", ", draw_.Below(300)));
      return Resize();
    }
    here_ = Named();
    if (kind == 1) {
      Append(absl::StrCat("concat ", here_.name, " ", here_.name));
      return Resize();
    }
    if (kind > 5) return Append(here_.name);
    std::string text = absl::StrCat("zip ", here_.name);
    const int parts = draw_.Below(3);
    const std::size_t most = draw_.Chance(4) ? kMostWide : kMostValues;
    for (int k = 0; k < parts; ++k) {
      const Sequence& part = Named();
      const bool fits = here_.types.size() + part.types.size() <= most;
      if (!fits || (!shape_.may_fail && part.size != here_.size)) continue;
      here_.types.insert(here_.types.end(), part.types.begin(),
                         part.types.end());
      absl::StrAppend(&text, " ", part.name);
    }
    Append(text);
  }

  // --- Stages ---

  void Step() {
    switch (draw_.Below(16)) {
      case 0:
      case 1:
      case 2:
        return Map();
      case 3:
        return MapOfAllOperations();
      case 4:
      case 5:
        return Filter();
      case 6:
      case 7:
      case 8:
        Narrow(kMostValues);
        return Combine(draw_.Operator(here_.types));
      case 9:
        return Tail();
      case 10:
        return Slice();
      case 11:
      case 12:
        return SortBy();
      case 13:
        return Histogram();
      default:
        return GroupReduce();
    }
  }

  // What a function calls the values of a tuple.
  static std::string NameOfValue(std::size_t k) {
    return k < kMostColumns ? kColumnNames[k] : absl::StrCat("x", k);
  }

  // The first so many values, if there are more.
  void Narrow(std::size_t most) {
    if (here_.types.size() <= most) return;
    std::vector<std::string> values;
    for (std::size_t k = 0; k < most; ++k) values.push_back(NameOfValue(k));
    Append(absl::StrCat("map ", TupleText(values)));
    here_.types.resize(most);
  }

  void Map() {
    std::vector<Type> results;
    const std::string f = draw_.Map(here_.types, 1 + draw_.Below(3), results);
    Append(absl::StrCat("map ", f));
    here_.types = results;
  }

  Function AnyFunction() {
    expression::RandomFunctionShape shape;
    shape.parameters = 1 + draw_.Below(kMostValues);
    shape.tables = 0;
    shape.operations = 1 + draw_.Below(16);
    shape.results = 1 + draw_.Below(kMostValues);
    shape.types = {shape_.type, draw_.AnyType()};
    if (draw_.Chance(2)) shape.types.clear();
    return expression::RandomFunction(draw_.random().Bits(), shape);
  }

  void MapOfAllOperations() {
    const Function function = AnyFunction();
    std::vector<std::string> casts;
    for (const Type type : function.ParameterTypes()) {
      casts.push_back(
          absl::StrCat(Name(type), "(",
                       NameOfValue(casts.size() % here_.types.size()), ")"));
    }
    Append(absl::StrCat("map ", TupleText(casts)));
    Append(absl::StrCat("map ", expression::ToText(function)));
    here_.types = function.ResultTypes();
  }

  void Filter() {
    Append(absl::StrCat("filter ", draw_.Predicate(here_.types)));
    Resize();
  }

  // A scan, or a reduction.
  void Combine(const RandomText::OperatorText& op) {
    std::vector<std::string> words = {"scan"};
    if (op.begins) words.push_back("scan_before");
    const bool is_column = here_.size == 0 && shape_.size > 0;
    if (op.begins || is_column || shape_.may_fail) words.push_back("reduce");
    const std::string& word = draw_.OneOf(words);
    Append(absl::StrCat(word, " ", op.text));
    if (word == "reduce") here_.size = kOne;
  }

  void Operate() {
    const Operator op =
        expression::RandomOperator(draw_.random().Bits(), kMostValues);
    Begin(op.types());
    std::string text = expression::OperatorToText(op.function());
    if (op.identity().has_value()) {
      absl::StrAppend(&text, " from ",
                      expression::ToString(op.types(), *op.identity()));
    }
    if (draw_.Chance(2)) absl::StrAppend(&text, " unchecked");
    Combine({std::move(text), op.identity().has_value()});
  }

  void Tail() {
    if (draw_.Chance(2) && (shape_.may_fail || here_.size == kOne)) {
      Append("last");
    } else {
      Append("count");
      here_.types = {Type::kInt64};
    }
    here_.size = kOne;
  }

  void Slice() {
    const int first = draw_.Below(40);
    Append(absl::StrCat("slice ", first, ", ", draw_.Below(400)));
    Resize();
  }

  void SortBy() {
    std::vector<Type> key;
    Append(absl::StrCat("sort_by ", draw_.Map(here_.types, 1, key)));
  }

  void Histogram() {
    std::vector<Type> key;
    Append(absl::StrCat("histogram ", draw_.Map(here_.types, 1, key)));
    here_.types = {key[0], Type::kInt64};
    Resize();
  }

  void GroupReduce() {
    Narrow(kMostValues - 1);
    std::vector<Type> results;
    const std::string f = draw_.Map(here_.types, 1 + draw_.Below(3), results);
    std::vector<Type> values = here_.types;
    if (results.size() > 1) values.assign(results.begin() + 1, results.end());
    Append(
        absl::StrCat("group_reduce ", f, " by ", draw_.Operator(values).text));
    here_.types = {results[0]};
    here_.types.insert(here_.types.end(), values.begin(), values.end());
    Resize();
  }

  RandomProgramShape shape_;
  RandomText draw_;
  // Columns, then sequences with names.
  std::vector<Sequence> named_;
  std::string named_text_;
  // What is being written, and what it gives so far.
  std::string chain_;
  Sequence here_;
  int sizes_ = kOne;
};

}  // namespace

RandomProgramText DrawProgram(std::uint64_t seed, RandomProgramShape shape) {
  return Drawer(seed, std::move(shape)).Run();
}

std::vector<expression::Parameter> RandomProgramColumns() {
  return {{"x", Type::kInt32},
          {"y", Type::kInt8},
          {"z", Type::kFloat32},
          {"w", Type::kInt64}};
}

std::string RandomProgram(std::uint64_t seed) {
  RandomProgramShape shape;
  shape.columns = RandomProgramColumns();
  shape.may_fail = true;
  return DrawProgram(seed, std::move(shape)).text;
}

namespace {

template <typename T>
std::vector<T> RandomColumn(Random& random, std::int64_t size) {
  std::vector<T> values;
  for (std::int64_t k = 0; k < size; ++k) {
    values.push_back(static_cast<T>(static_cast<int>(random.Below(256)) - 128));
  }
  return values;
}

}  // namespace

RandomColumns::RandomColumns(std::uint64_t seed, std::int64_t size) {
  Random random(seed);
  x = RandomColumn<std::int32_t>(random, size);
  y = RandomColumn<std::int8_t>(random, size);
  z = RandomColumn<float>(random, size);
  w = RandomColumn<std::int64_t>(random, size);
  for (float& value : z) value *= 1.1f;
}

std::vector<ConstArrayView> RandomColumns::views() const {
  return {ConstArrayView(absl::MakeSpan(x)), ConstArrayView(absl::MakeSpan(y)),
          ConstArrayView(absl::MakeSpan(z)), ConstArrayView(absl::MakeSpan(w))};
}

}  // namespace concord::sequence
