// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/backends/cuda/nvrtc/cpp_printer.h"

#include <cstddef>
#include <vector>

#include "absl/strings/str_cat.h"
#include "concord/backends/cuda/nvrtc/cpp_prelude.h"
#include "concord/core/expression/operation.h"
#include "concord/core/expression/value_type.h"

namespace concord::nvrtc {
namespace {

using absl::StrCat;
using expression::Function;
using expression::Name;
using expression::Node;
using expression::Op;
using expression::Type;

// "Add" for kAdd, as the prelude names it.
absl::string_view CppName(Op op) {
  static constexpr const char* kNames[] = {
#define CONCORD_NAME(enumerator, name, operands, takes) #enumerator,
      CONCORD_FOR_EACH_OPERATION(CONCORD_NAME)
#undef CONCORD_NAME
  };
  return absl::string_view(kNames[static_cast<int>(op)]).substr(1);
}

std::string Operands(const Node& node) {
  std::string text;
  for (const int operand : {node.a, node.b, node.c}) {
    if (operand < 0) continue;
    absl::StrAppend(&text, text.empty() ? "v" : ", v", operand);
  }
  return text;
}

std::string ValueOf(const Function& function, const Node& node) {
  const auto type_of = [&](int operand) {
    return Name(function.nodes()[operand].type);
  };
  const std::string call = StrCat("(", Operands(node), ")");
  switch (node.op) {
    case Op::kParameter:
    case Op::kGather:
      return StrCat(CppName(node.op), "<", Name(node.type), ", ", node.bits,
                    ">", call);
    case Op::kIndex:
      return StrCat(CppName(node.op), "()");
    case Op::kConstant:
      return StrCat("Constant<", Name(node.type), ">(0x", absl::Hex(node.bits),
                    "ull)");
    case Op::kCast:
      return StrCat("Cast<", Name(node.type), ", ", type_of(node.a), ">", call);
    default:
      return StrCat(CppName(node.op), "<",
                    type_of(node.op == Op::kSelect ? node.b : node.a), ">",
                    call);
  }
}

}  // namespace

std::string CppPrelude() { return StrCat(CppValues(), CppOperations()); }

std::string PrintAsCpp(const Function& function, absl::string_view name) {
  std::string text = StrCat("CONCORD_FUNCTION(", name, ") {\n");
  const std::vector<Node>& nodes = function.nodes();
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    const Node& node = nodes[k];
    absl::StrAppend(&text, "  const ", Name(node.type), " v", k, " = ",
                    ValueOf(function, node), ";");
    if (node.op == Op::kConstant) {
      absl::StrAppend(&text, "  // ",
                      expression::ToString(node.type, node.bits));
    }
    absl::StrAppend(&text, "\n");
  }
  for (std::size_t k = 0; k < function.results().size(); ++k) {
    const int result = function.results()[k];
    absl::StrAppend(&text, "  Result<", Name(nodes[result].type), ", ", k,
                    ">(v", result, ");\n");
  }
  return text + "}\n";
}

}  // namespace concord::nvrtc
