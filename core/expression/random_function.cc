// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/core/expression/random_function.h"

#include <algorithm>
#include <limits>
#include <type_traits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "concord/core/expression/operation.h"

namespace concord::expression {
namespace {

template <typename T>
std::vector<T> Edges() {
  using Limits = std::numeric_limits<T>;
  std::vector<T> edges = {T{0},
                          T{1},
                          static_cast<T>(-1),
                          T{2},
                          Limits::max(),
                          Limits::lowest(),
                          static_cast<T>(Limits::max() / 2),
                          static_cast<T>(8 * sizeof(T) - 1),
                          static_cast<T>(8 * sizeof(T))};
  if constexpr (std::is_floating_point_v<T>) {
    for (T edge :
         {static_cast<T>(-0.0), Limits::infinity(), -Limits::infinity(),
          Limits::quiet_NaN(), -Limits::quiet_NaN(), Limits::denorm_min(),
          Limits::min(), T{0.5}, T{-2.5}, static_cast<T>(0x1p31),
          static_cast<T>(0x1p63), static_cast<T>(0x1p64)}) {
      edges.push_back(edge);
    }
  } else {
    edges.push_back(static_cast<T>(Limits::max() - 1));
    edges.push_back(static_cast<T>(Limits::min() + 1));
  }
  return edges;
}

class Draw {
 public:
  Draw(std::uint64_t seed, const RandomFunctionShape& shape)
      : random_(seed), shape_(shape) {}

  RandomFunctionParts Run() {
    DrawScope();
    for (int k = 0; k < shape_.operations; ++k) AddOperation();
    std::vector<int>& results = parts_.nodes.results;
    for (int k = 0; k < shape_.results; ++k) {
      results.push_back(k == 0 ? Count() - 1 : Any());
    }
    return std::move(parts_);
  }

 private:
  int Below(int bound) {
    return static_cast<int>(random_.Below(static_cast<std::uint64_t>(bound)));
  }
  int Count() const { return static_cast<int>(parts_.nodes.nodes.size()); }
  Type TypeOf(int node) const { return parts_.nodes.nodes[node].type; }
  int Add(const Node& node) {
    parts_.nodes.nodes.push_back(node);
    return Count() - 1;
  }

  Type AnyType() {
    const std::vector<Type>& types =
        shape_.types.empty() ? AllTypes() : shape_.types;
    return types[Below(static_cast<int>(types.size()))];
  }

  void DrawScope() {
    std::vector<Type> types;
    for (int k = 0; k < shape_.parameters; ++k) types.push_back(AnyType());
    parts_.scope = Scope::OfColumns(types);
    for (int k = 0; k < shape_.tables; ++k) {
      parts_.scope.tables.push_back(
          {absl::StrCat("t", k), StoredAs(AnyType())});
    }
    for (int k = 0; k < shape_.parameters; ++k) {
      Add({Op::kParameter, types[k], -1, -1, -1, static_cast<Word>(k)});
    }
    if (shape_.parameters == 0 || Below(4) == 0) {
      Add({Op::kIndex, Type::kInt64});
    }
  }

  int Any() {
    const int recent = std::min(Count(), 3);
    return Below(2) == 0 ? Below(Count()) : Count() - 1 - Below(recent);
  }

  // A value that is there, a constant, or a cast of what is there.
  int AnyOf(Type type) {
    for (int tries = 0; tries < 8; ++tries) {
      const int node = Any();
      if (TypeOf(node) == type) return node;
    }
    if (Below(2) == 0) {
      return Add({Op::kConstant, type, -1, -1, -1,
                  Canonical(type, RandomValue(random_, type))});
    }
    return Add({Op::kCast, type, Any()});
  }

  void AddOperation() {
    constexpr int kFirst = static_cast<int>(Op::kCast);
    const int count = static_cast<int>(AllOperations().size()) - kFirst;
    const Op op = AllOperations()[kFirst + Below(count)];
    if (op == Op::kCast) {
      Add({op, AnyType(), Any()});
    } else if (op == Op::kGather) {
      AddGather();
    } else {
      AddOperation(op);
    }
  }

  void AddGather() {
    if (parts_.scope.tables.empty()) return;
    const int table = Below(static_cast<int>(parts_.scope.tables.size()));
    int index = AnyOf(Type::kInt64);
    if (Below(2) == 0) {  // otherwise nearly all of them are outside
      index = Add({Op::kAnd, Type::kInt64, index,
                   Add({Op::kConstant, Type::kInt64, -1, -1, -1, Word{15}})});
    }
    Add({Op::kGather, ValueTypeOf(parts_.scope.tables[table].type), index, -1,
         -1, static_cast<Word>(table)});
  }

  // Of a type that the operation is for, preferably of a value that is there.
  void AddOperation(Op op) {
    Type type = TypeOf(Any());
    for (int tries = 0; tries < 8 && !IsFor(op, type); ++tries) {
      type = TypeOf(Any());
    }
    if (!IsFor(op, type)) return;
    int operands[3] = {-1, -1, -1};
    for (int k = 0; k < OperandsOf(op); ++k) {
      const bool condition = op == Op::kSelect && k == 0;
      operands[k] = AnyOf(condition ? Type::kBool : type);
    }
    const bool gives_bool = IsComparison(op) || op == Op::kIsNan;
    Add({op, gives_bool ? Type::kBool : type, operands[0], operands[1],
         operands[2]});
  }

  Random random_;
  RandomFunctionShape shape_;
  RandomFunctionParts parts_;
};

}  // namespace

Word RandomValue(Random& random, Type type) {
  const std::uint64_t bits = random.Bits();
  if (type == Type::kBool) return bits & 1;
  return Dispatch(StoredAs(type), [&](auto tag) -> Word {
    using T = typename decltype(tag)::type;
    static const auto* const kEdges = new std::vector<T>(Edges<T>());
    const std::uint64_t kind = random.Below(4);
    if (kind < 2) return ToWord((*kEdges)[random.Below(kEdges->size())]);
    if (kind == 2) {
      const auto small = static_cast<std::int32_t>(bits % 512) - 256;
      return ToWord(static_cast<T>(static_cast<T>(small) / T{4}));
    }
    return ToWord(FromWord<T>(bits));
  });
}

RandomFunctionParts DrawFunction(std::uint64_t seed,
                                 const RandomFunctionShape& shape) {
  return Draw(seed, shape).Run();
}

Function RandomFunction(std::uint64_t seed, const RandomFunctionShape& shape) {
  RandomFunctionParts parts = DrawFunction(seed, shape);
  return *Function::Create(std::move(parts.scope), std::move(parts.nodes));
}

}  // namespace concord::expression
