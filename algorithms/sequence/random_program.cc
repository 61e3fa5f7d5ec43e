// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/algorithms/sequence/random_program.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "concord/core/expression/value_type.h"
#include "concord/core/random.h"

namespace concord::sequence {
namespace {

using expression::IsFloat;
using expression::IsInteger;
using expression::Type;

class Drawer {
 public:
  explicit Drawer(std::uint64_t seed) : random_(seed) {
    for (const auto& column : RandomProgramColumns()) {
      named_.push_back({column.name, {column.type}});
    }
  }

  std::string Program() {
    std::string text;
    const int names = Below(4);
    for (int k = 0; k < names; ++k) {
      const std::string name = absl::StrCat("s", k);
      std::vector<Type> types;
      absl::StrAppend(&text, name, " = ", Chain(types), ";\n");
      named_.push_back({name, types});
    }
    std::vector<Type> types;
    return absl::StrCat(text, Chain(types));
  }

 private:
  struct Value {
    std::string name;
    std::vector<Type> types;
  };

  int Below(int bound) {
    return static_cast<int>(random_.Below(static_cast<std::uint64_t>(bound)));
  }
  template <typename T>
  const T& OneOf(const std::vector<T>& values) {
    return values[random_.Below(values.size())];
  }
  Type AnyType() { return OneOf(expression::AllTypes()); }

  std::string Chain(std::vector<Type>& types) {
    std::string text = Source(types);
    const int stages = Below(6);
    for (int k = 0; k < stages; ++k) {
      absl::StrAppend(&text, "\n  |> ", Step(types));
    }
    return text;
  }

  // Recent ones more often.
  const Value& Named() {
    const std::size_t columns = 4;
    if (named_.size() > columns && Below(4) != 0) {
      return named_[columns + random_.Below(named_.size() - columns)];
    }
    return named_[random_.Below(columns)];
  }

  std::string Source(std::vector<Type>& types) {
    const int kind = Below(10);
    if (kind == 0) {
      const std::string function = Map({}, 1 + Below(2), types);
      return absl::StrCat("tabulate ", function, ", ", Below(300));
    }
    if (kind == 1) {
      const Value& value = Named();
      types = value.types;
      return absl::StrCat("concat ", value.name, " ", value.name);
    }
    if (kind <= 5) {
      std::string text = "zip";
      const int parts = 1 + Below(3);
      for (int k = 0; k < parts; ++k) {
        const Value& value = Named();
        if (types.size() + value.types.size() > 4) continue;
        types.insert(types.end(), value.types.begin(), value.types.end());
        absl::StrAppend(&text, " ", value.name);
      }
      if (!types.empty()) return text;
    }
    const Value& value = Named();
    types = value.types;
    return value.name;
  }

  std::string Step(std::vector<Type>& types) {
    switch (Below(12)) {
      case 0:
      case 1:
      case 2:
      case 3: {
        std::vector<Type> results;
        const std::string function = Map(types, 1 + Below(3), results);
        types = results;
        return absl::StrCat("map ", function);
      }
      case 4:
      case 5: {
        const std::vector<std::string> names = Names(types, "v");
        return absl::StrCat("filter ", absl::StrJoin(names, ", "), " -> ",
                            Of(Type::kBool, names, types, 2, /*map=*/true));
      }
      case 6:
      case 7:
        return absl::StrCat("scan ", Operator(types, Below(3) == 0));
      case 8:
        return absl::StrCat("scan_before ", Operator(types, true));
      case 9:
        return Tail(types);
      case 10:
        return absl::StrCat("slice ", Below(40), ", ", Below(400));
      default:
        return absl::StrCat("reduce ", Operator(types, Below(3) == 0));
    }
  }

  std::string Tail(std::vector<Type>& types) {
    if (Below(2) == 0) return "last";
    types = {Type::kInt64};
    return "count";
  }

  static std::vector<std::string> Names(const std::vector<Type>& types,
                                        absl::string_view letter) {
    std::vector<std::string> names;
    for (std::size_t k = 0; k < types.size(); ++k) {
      names.push_back(absl::StrCat(letter, k));
    }
    return names;
  }

  std::string Map(const std::vector<Type>& from, int results,
                  std::vector<Type>& types) {
    const std::vector<std::string> names = Names(from, "v");
    std::vector<std::string> values;
    for (int k = 0; k < results; ++k) {
      types.push_back(AnyType());
      values.push_back(Of(types.back(), names, from, 3, /*map=*/true));
    }
    const std::string tuple =
        results == 1 ? values[0]
                     : absl::StrCat("(", absl::StrJoin(values, ", "), ")");
    if (from.empty()) return tuple;
    return absl::StrCat(absl::StrJoin(names, ", "), " -> ", tuple);
  }

  std::string Operator(const std::vector<Type>& types, bool has_start) {
    std::string text;
    if (types.size() == 1 && types[0] != Type::kBool && Below(2) == 0) {
      const std::vector<std::string> known = {"a + b", "a * b", "min(a, b)",
                                              "max(a, b)"};
      text = OneOf(known);
    } else {
      const std::vector<std::string> a = Names(types, "a");
      const std::vector<std::string> b = Names(types, "b");
      std::vector<std::string> names = a;
      names.insert(names.end(), b.begin(), b.end());
      std::vector<Type> both = types;
      both.insert(both.end(), types.begin(), types.end());
      std::vector<std::string> values;
      for (Type type : types) {
        values.push_back(Of(type, names, both, 2, /*map=*/false));
      }
      text = absl::StrCat("(", absl::StrJoin(a, ", "), "), (",
                          absl::StrJoin(b, ", "), ") -> ");
      if (types.size() == 1) text = "a0, b0 -> ";
      absl::StrAppend(&text, types.size() == 1 ? "" : "(",
                      absl::StrJoin(values, ", "),
                      types.size() == 1 ? "" : ")");
    }
    if (has_start) {
      std::vector<std::string> values;
      for (Type type : types) values.push_back(Constant(type));
      absl::StrAppend(&text, " from ", types.size() == 1 ? "" : "(",
                      absl::StrJoin(values, ", "),
                      types.size() == 1 ? "" : ")");
    }
    return absl::StrCat(text, " unchecked");
  }

  std::string Constant(Type type) {
    if (type == Type::kBool) return Below(2) == 0 ? "true" : "false";
    return absl::StrCat(Name(type), "(", Below(100), ")");
  }

  // A value of the type, of what has these names and types. A map also has the
  // index and reads tables.
  std::string Of(Type type, const std::vector<std::string>& names,
                 const std::vector<Type>& types, int depth, bool map) {
    if (depth == 0 || Below(6) == 0) return Leaf(type, names, types, map);
    const auto part = [&](Type t) {
      return Of(t, names, types, depth - 1, map);
    };
    if (Below(5) == 0) {
      return absl::StrCat("(", part(Type::kBool), " ? ", part(type), " : ",
                          part(type), ")");
    }
    if (map && Below(12) == 0) return Gather(type, part(Type::kInt64));
    if (type == Type::kBool) {
      const Type compared = Below(2) == 0 ? Type::kInt32 : AnyType();
      if (compared == Type::kBool) {
        return absl::StrCat("(", part(type), " ^ ", part(type), ")");
      }
      return absl::StrCat("(", part(compared), " < ", part(compared), ")");
    }
    const std::vector<std::string> integer = {"+", "-", "*", "/",
                                              "%", "&", ">>"};
    const std::vector<std::string> number = {"+", "-", "*", "/"};
    if (Below(4) == 0) {
      return absl::StrCat(Below(2) == 0 ? "min(" : "max(", part(type), ", ",
                          part(type), ")");
    }
    return absl::StrCat("(", part(type), " ",
                        OneOf(IsFloat(type) ? number : integer), " ",
                        part(type), ")");
  }

  // Mostly inside: what is read is a column of some hundreds.
  std::string Gather(Type type, const std::string& index) {
    const std::string column = OneOf(std::vector<std::string>{"x", "y", "z"});
    const std::string inside =
        Below(8) == 0 ? index : absl::StrCat("(", index, " & 15)");
    return absl::StrCat(Name(type), "(", column, "[", inside, "])");
  }

  std::string Leaf(Type type, const std::vector<std::string>& names,
                   const std::vector<Type>& types, bool map) {
    if (map && Below(8) == 0) return absl::StrCat(Name(type), "(i)");
    if (names.empty() || Below(5) == 0) return Constant(type);
    const std::size_t k = random_.Below(names.size());
    return types[k] == type ? names[k]
                            : absl::StrCat(Name(type), "(", names[k], ")");
  }

  Random random_;
  std::vector<Value> named_;
};

}  // namespace

std::vector<expression::Parameter> RandomProgramColumns() {
  return {{"x", Type::kInt32},
          {"y", Type::kInt8},
          {"z", Type::kFloat32},
          {"w", Type::kInt64}};
}

std::string RandomProgram(std::uint64_t seed) { return Drawer(seed).Program(); }

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
