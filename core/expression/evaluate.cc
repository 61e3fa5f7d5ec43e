// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/core/expression/evaluate.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "concord/core/expression/apply.h"
#include "concord/core/guarded.h"

namespace concord::expression {
namespace {

absl::Status CheckHostArray(absl::string_view name,
                            const ConstArrayView& view) {
  return CheckArray(name, view, Memory::Host(), "EvaluateColumns");
}

template <typename View>
absl::Status CheckColumns(absl::string_view what,
                          const std::vector<Type>& types,
                          absl::Span<const View> columns, std::int64_t n) {
  if (columns.size() != types.size()) {
    return absl::InvalidArgumentError(absl::StrCat("the function has ",
                                                   types.size(), " ", what,
                                                   ", not ", columns.size()));
  }
  for (std::size_t k = 0; k < types.size(); ++k) {
    const std::string name = absl::StrCat(what, "[", k, "]");
    absl::Status status = CheckType(name, columns[k], StoredAs(types[k]));
    if (status.ok()) status = CheckSize(name, columns[k], n);
    if (status.ok()) status = CheckHostArray(name, columns[k]);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status CheckTables(const Function& function,
                         absl::Span<const ConstArrayView> tables) {
  if (tables.size() != function.tables().size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("the function has ", function.tables().size(),
                     " tables, not ", tables.size()));
  }
  for (std::size_t k = 0; k < tables.size(); ++k) {
    const Table& table = function.tables()[k];
    absl::Status status = CheckType(table.name, tables[k], table.type);
    if (status.ok()) status = CheckHostArray(table.name, tables[k]);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status ReadOutside(const Function& function,
                         absl::Span<const ConstArrayView> tables,
                         const OutsideRead& read, std::int64_t element) {
  const std::string& name = function.tables()[read.table].name;
  return absl::OutOfRangeError(
      absl::StrCat("element ", element, " reads ", name, "[", read.index,
                   "], and ", name, " has ", tables[read.table].size(),
                   " elements; no element before it reads outside"));
}

// An index as it was before it became an int64.
std::string IndexText(const Nodes& nodes, int node, std::int64_t index) {
  const Node& at = nodes.nodes[node];
  const bool is_unsigned =
      at.op == Op::kCast && nodes.nodes[at.a].type == Type::kUInt64;
  return is_unsigned ? absl::StrCat(static_cast<std::uint64_t>(index))
                     : absl::StrCat(index);
}

}  // namespace

Evaluated Evaluate(const Nodes& nodes, absl::Span<const Word> arguments,
                   std::int64_t index,
                   absl::Span<const ConstArrayView> tables) {
  Evaluated evaluated;
  std::vector<Word> values;
  values.reserve(nodes.nodes.size());
  const auto value = [&](int operand) {
    return operand < 0 ? Word{0} : values[operand];
  };
  const auto gather = [&](const Node& node) -> Word {
    const ConstArrayView& table = tables[node.bits];
    const auto at = static_cast<std::int64_t>(value(node.a));
    if (at >= 0 && at < table.size()) {
      return Load(table.type(), table.data(), at);
    }
    if (!evaluated.outside.has_value()) {
      evaluated.outside = OutsideRead{static_cast<int>(node.bits),
                                      IndexText(nodes, node.a, at)};
    }
    return 0;
  };
  for (const Node& node : nodes.nodes) {
    switch (node.op) {
      case Op::kParameter:
        values.push_back(arguments[node.bits]);
        break;
      case Op::kIndex:
        values.push_back(static_cast<Word>(index));
        break;
      case Op::kConstant:
        values.push_back(node.bits);
        break;
      case Op::kCast:
        values.push_back(
            Cast(nodes.nodes[node.a].type, node.type, value(node.a)));
        break;
      case Op::kGather:
        values.push_back(gather(node));
        break;
      default: {
        const int operand = node.op == Op::kSelect ? node.b : node.a;
        values.push_back(Apply(node.op, nodes.nodes[operand].type,
                               value(node.a), value(node.b), value(node.c)));
      }
    }
  }
  evaluated.results.reserve(nodes.results.size());
  for (int result : nodes.results) {
    evaluated.results.push_back(
        Canonical(nodes.nodes[result].type, values[result]));
  }
  return evaluated;
}

Evaluated Evaluate(const Function& function, absl::Span<const Word> arguments,
                   std::int64_t index,
                   absl::Span<const ConstArrayView> tables) {
  return Evaluate(function.form(), arguments, index, tables);
}

absl::Status EvaluateColumns(const Function& function, std::int64_t n,
                             absl::Span<const ConstArrayView> columns,
                             absl::Span<const ConstArrayView> tables,
                             absl::Span<const ArrayView> out) {
  return Guarded([&] {
    const std::vector<Type> in_types = function.ParameterTypes();
    const std::vector<Type> out_types = function.ResultTypes();
    absl::Status status = CheckColumns("columns", in_types, columns, n);
    if (status.ok()) status = CheckColumns("results", out_types, out, n);
    if (status.ok()) status = CheckTables(function, tables);
    if (!status.ok()) return status;
    std::vector<Word> arguments(columns.size());
    for (std::int64_t i = 0; i < n; ++i) {
      for (std::size_t k = 0; k < columns.size(); ++k) {
        arguments[k] = LoadValue(in_types[k], columns[k].data(), i);
      }
      const Evaluated evaluated = Evaluate(function, arguments, i, tables);
      for (std::size_t k = 0; k < out.size(); ++k) {
        StoreValue(out_types[k], out[k].data(), i, evaluated.results[k]);
      }
      if (evaluated.outside.has_value() && status.ok()) {
        status = ReadOutside(function, tables, *evaluated.outside, i);
      }
    }
    return status;
  });
}

Word LoadValue(Type type, const void* elements, std::int64_t index) {
  const Word word = Load(StoredAs(type), elements, index);
  return type == Type::kBool ? Word{word != 0} : word;
}

void StoreValue(Type type, void* elements, std::int64_t index, Word value) {
  Store(StoredAs(type), elements, index, value);
}

}  // namespace concord::expression
