// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/algorithms/sequence/plan.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "absl/strings/str_cat.h"
#include "concord/algorithms/sequence/planner.h"
#include "concord/core/element_type.h"

namespace concord::sequence {
namespace {

using expression::Function;

int CountOperations(const std::optional<Function>& function) {
  return function.has_value() ? function->CountOperations() : 0;
}

int BytesOf(expression::Type type) {
  return static_cast<int>(SizeOf(StoredAs(type)));
}

std::string KindOf(const Pass& pass) {
  switch (pass.kind) {
    case Pass::Kind::kMap:
      return pass.last ? "last" : "map";
    case Pass::Kind::kFilter:
      return "filter";
    case Pass::Kind::kReduce:
      return pass.order == Pass::Order::kAny    ? "reduce in any order"
             : pass.order == Pass::Order::kTree ? "reduce in a tree"
                                                : "reduce in rows";
    case Pass::Kind::kScan:
      return absl::StrCat(
          pass.before ? "scan_before" : "scan",
          pass.order == Pass::Order::kAny ? " in any order" : " in nodes");
    case Pass::Kind::kCount:
      return "count";
  }
  return "unknown";
}

}  // namespace

int Pass::operations() const {
  return CountOperations(prologue) + CountOperations(epilogue) +
         (op.has_value() ? op->function().CountOperations() : 0);
}

int Pass::bytes_read() const {
  int bytes = 0;
  for (const Input& input : inputs) bytes += BytesOf(input.type);
  return bytes;
}

absl::StatusOr<Plan> MakePlan(const Program& program) {
  return Planner(program).Run();
}

std::int64_t Value(const Plan& plan, int extent,
                   absl::Span<const std::int64_t> sizes,
                   absl::Span<const std::int64_t> kept) {
  const Extent& e = plan.extents[extent];
  const auto part = [&](int number) {
    return Value(plan, number, sizes, kept);
  };
  std::int64_t sum = 0;
  switch (e.kind) {
    case Extent::Kind::kColumn:
      return sizes[e.number];
    case Extent::Kind::kConstant:
      return e.count;
    case Extent::Kind::kKept:
      return kept[e.number];
    case Extent::Kind::kSlice: {
      const std::int64_t size = part(e.of[0]);
      return std::min(e.count, size - std::min(e.first, size));
    }
    case Extent::Kind::kSum:
      for (int number : e.of) sum += part(number);
  }
  return sum;
}

std::string Explain(const Plan& plan, absl::Span<const std::int64_t> sizes) {
  std::string text;
  std::vector<std::int64_t> kept;
  for (std::size_t k = 0; k < plan.passes.size(); ++k) {
    const Pass& pass = plan.passes[k];
    const std::int64_t size = Value(plan, pass.extent, sizes, kept);
    kept.push_back(size);
    const std::int64_t n = pass.last ? 1 : size;
    std::int64_t written = 0;
    for (int output : pass.outputs) {
      const bool one =
          pass.kind == Pass::Kind::kReduce || pass.kind == Pass::Kind::kCount;
      written += BytesOf(plan.buffers[output].type) * (one ? 1 : n);
    }
    absl::StrAppend(&text, "pass ", k + 1, ": ", KindOf(pass), " of ", n,
                    " elements, ", pass.operations(), " operations, reads ",
                    pass.kind == Pass::Kind::kCount ? 0 : pass.bytes_read() * n,
                    " bytes, writes ", written, "\n");
  }
  return text;
}

}  // namespace concord::sequence
