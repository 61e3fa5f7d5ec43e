// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/algorithms/sequence/random_text.h"

#include <cstddef>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace concord::sequence {

using expression::IsFloat;
using expression::Type;

std::string TupleText(const std::vector<std::string>& values) {
  return values.size() == 1
             ? values.front()
             : absl::StrCat("(", absl::StrJoin(values, ", "), ")");
}

namespace {

// A list's parts are made in its order, and a call's arguments in whatever
// order the compiler likes: another program of the same seed.
std::string Together(const std::vector<std::string>& parts) {
  return absl::StrJoin(parts, "");
}

}  // namespace

std::vector<std::string> RandomText::Names(const std::vector<Type>& types,
                                           absl::string_view letter) const {
  std::vector<std::string> names;
  for (std::size_t k = 0; k < types.size(); ++k) {
    names.push_back(absl::StrCat(letter, k));
  }
  return names;
}

std::string RandomText::Map(const std::vector<Type>& from, int results,
                            std::vector<Type>& types) {
  const Operands operands = {Names(from, "v"), from, /*map=*/true};
  std::vector<std::string> values;
  for (int k = 0; k < results; ++k) {
    types.push_back(AnyType());
    values.push_back(Value(types.back(), operands, 3));
  }
  const std::string tuple = TupleText(values);
  if (from.empty()) return tuple;
  return absl::StrCat(absl::StrJoin(operands.names, ", "), " -> ", tuple);
}

std::string RandomText::Predicate(const std::vector<Type>& from) {
  const Operands operands = {Names(from, "v"), from, /*map=*/true};
  return absl::StrCat(absl::StrJoin(operands.names, ", "), " -> ",
                      Value(Type::kBool, operands, 2));
}

std::string RandomText::BuiltIn(Type type, const std::string& a,
                                const std::string& b) {
  static const auto* const kOfAll =
      new std::vector<std::string>{"+", "*", "min", "max", "&", "|", "^"};
  const int first = type == Type::kBool ? 4 : 0;
  const int end = IsFloat(type) ? 4 : static_cast<int>(kOfAll->size());
  const std::string& op = (*kOfAll)[first + Below(end - first)];
  return op[0] == 'm' ? absl::StrCat(op, "(", a, ", ", b, ")")
                      : absl::StrCat(a, " ", op, " ", b);
}

RandomText::OperatorText RandomText::BuiltIns(const std::vector<Type>& types) {
  const std::vector<std::string> a = Names(types, "a"), b = Names(types, "b");
  std::vector<std::string> results;
  for (std::size_t k = 0; k < types.size(); ++k) {
    results.push_back(BuiltIn(types[k], a[k], b[k]));
  }
  return {absl::StrCat(TupleText(a), ", ", TupleText(b), " -> ",
                       TupleText(results)),
          true};
}

std::string RandomText::AnyOperator(const std::vector<Type>& types) {
  const std::vector<std::string> a = Names(types, "a"), b = Names(types, "b");
  Operands both = {a, types, /*map=*/false};
  both.names.insert(both.names.end(), b.begin(), b.end());
  both.types.insert(both.types.end(), types.begin(), types.end());
  std::vector<std::string> values;
  for (Type type : types) values.push_back(Value(type, both, 2));
  return absl::StrCat(TupleText(a), ", ", TupleText(b), " -> ",
                      TupleText(values));
}

RandomText::OperatorText RandomText::Operator(const std::vector<Type>& types) {
  const bool is_known = Chance(2);
  OperatorText op =
      is_known ? BuiltIns(types) : OperatorText{AnyOperator(types), false};
  if (Chance(3)) {
    std::vector<std::string> values;
    for (Type type : types) values.push_back(Constant(type));
    absl::StrAppend(&op.text, " from ", TupleText(values));
    op.begins = true;
  }
  if (!is_known || Chance(2)) absl::StrAppend(&op.text, " unchecked");
  return op;
}

std::string RandomText::Constant(Type type) {
  if (type == Type::kBool) return Chance(2) ? "true" : "false";
  return absl::StrCat(Name(type), "(", Below(100), ")");
}

std::string RandomText::Value(Type type, const Operands& of, int depth) {
  if (depth == 0 || Chance(6)) return Leaf(type, of);
  const auto part = [&](Type t) { return Value(t, of, depth - 1); };
  if (Chance(5)) {
    return Together(
        {"(", part(Type::kBool), " ? ", part(type), " : ", part(type), ")"});
  }
  if (of.map && mask_ >= 0 && Chance(12)) {
    return Gather(type, part(Type::kInt64));
  }
  if (type == Type::kBool) {
    const Type compared = Chance(2) ? Type::kInt32 : AnyType();
    if (compared == Type::kBool) {
      return Together({"(", part(type), " ^ ", part(type), ")"});
    }
    return Together({"(", part(compared), " < ", part(compared), ")"});
  }
  const std::vector<std::string> integer = {"+", "-", "*", "/", "%", "&", ">>"};
  const std::vector<std::string> number = {"+", "-", "*", "/"};
  if (Chance(4)) {
    return Together(
        {Chance(2) ? "min(" : "max(", part(type), ", ", part(type), ")"});
  }
  return Together({"(", part(type), " ",
                   OneOf(IsFloat(type) ? number : integer), " ", part(type),
                   ")"});
}

std::string RandomText::Gather(Type type, const std::string& index) {
  const std::string& column = OneOf(columns_).name;
  const std::string at = !stays_inside_ && Chance(8)
                             ? index
                             : absl::StrCat("(", index, " & ", mask_, ")");
  return absl::StrCat(Name(type), "(", column, "[", at, "])");
}

std::string RandomText::Leaf(Type type, const Operands& of) {
  if (of.map && Chance(8)) return absl::StrCat(Name(type), "(i)");
  if (of.names.empty() || Chance(5)) return Constant(type);
  const std::size_t k = random_.Below(of.names.size());
  return of.types[k] == type ? of.names[k]
                             : absl::StrCat(Name(type), "(", of.names[k], ")");
}

}  // namespace concord::sequence
