// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Scans in the fixed order of scan.h, by any operator: within a chunk, the
// totals of nodes level by level upwards, then what precedes each node
// downwards. Before that, when there are several chunks, a sweep finds the
// totals of whole chunks, and so what precedes each.

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "concord/algorithms/sequence/tbb/ordered.h"
#include "concord/algorithms/sequence/tbb/passes.h"

namespace concord::sequence {
namespace {

using expression::Operator;
using expression::Type;

// Elements, a power of two: the chunk is a node.
constexpr int kLevels = 13;
constexpr std::int64_t kChunk = std::int64_t{1} << kLevels;

// What precedes all elements; nothing if results begin with the first.
std::optional<Tuple> Beginning(const Pass& pass) {
  if (pass.start.has_value()) return pass.start;
  if (pass.op->built_in().has_value()) return OfNothing(*pass.op);
  return std::nullopt;
}

// What precedes each chunk, from the totals of the chunks. Like scan's
// NodeCounter: a node for each bit of the number of chunks so far.
std::vector<std::optional<Tuple>> Prefixes(const Pass& pass,
                                           const ValueArrays& totals,
                                           std::int64_t chunks) {
  struct Node {
    Tuple total;
    std::optional<Tuple> before;
  };
  const Operator& op = *pass.op;
  std::vector<Node> nodes(63);
  std::vector<std::optional<Tuple>> prefixes = {Beginning(pass)};
  for (std::int64_t c = 0; c + 1 < chunks; ++c) {
    Node node = {totals.Get(c), prefixes.back()};
    std::size_t level = 0;
    for (; (c >> level & 1) != 0; ++level) {
      node = {op.Apply(nodes[level].total, node.total), nodes[level].before};
    }
    prefixes.push_back(node.before.has_value()
                           ? op.Apply(*node.before, node.total)
                           : node.total);
    nodes[level] = std::move(node);
  }
  return prefixes;
}

// to[2 * j] = even[j], to[2 * j + 1] = odd[j], of n in all.
void PutTogether(const ValueArrays& even, const ValueArrays& odd,
                 std::int64_t n, ValueArrays& to) {
  for (std::size_t k = 0; k < to.types().size(); ++k) {
    ByWidth(BytesOf(to.types()[k]), [&](auto width) {
      using T = decltype(width);
      const T* const a = static_cast<const T*>(even.views()[k].data());
      const T* const b = static_cast<const T*>(odd.views()[k].data());
      T* const x = static_cast<T*>(to.views()[k].data());
      for (std::int64_t j = 0; j < n / 2; ++j) {
        x[2 * j] = a[j];
        x[2 * j + 1] = b[j];
      }
      if (n % 2 != 0) x[n - 1] = a[n / 2];
    });
  }
}

void CopyValues(const ValueArrays& from, std::int64_t n,
                const std::vector<void*>& to) {
  for (std::size_t k = 0; k < to.size(); ++k) {
    std::memcpy(to[k], from.views()[k].data(),
                static_cast<std::size_t>(n * BytesOf(from.types()[k])));
  }
}

struct ScanFunctions {
  explicit ScanFunctions(const Pass& pass)
      : prologue(*pass.prologue), combine(pass.op->function()) {
    if (pass.epilogue.has_value()) epilogue.emplace(*pass.epilogue);
  }

  Interpreter prologue;
  Interpreter combine;
  std::optional<Interpreter> epilogue;
};

class NodeScan {
 public:
  NodeScan(const PassCall& call, const ScanFunctions& functions)
      : call_(call),
        prologue_(functions.prologue),
        combine_(functions.combine),
        x_(types(), Most()),
        totals_(types(), Most()),
        odd_(types(), Most()),
        before_(types(), Most()),
        next_(types(), Most()),
        pairs_(types(), Most()) {
    if (functions.epilogue.has_value()) epilogue_.emplace(*functions.epilogue);
    for (std::int64_t size = Most(); size > 1; size = (size + 1) / 2) {
      even_.emplace_back(types(), size / 2 + 1);
    }
  }

  // What a whole chunk amounts to.
  Tuple Total(std::int64_t first) {
    Load(first, kChunk);
    return pairs_.Total(combine_, x_, kChunk);
  }

  // Scans elements [first, first + n), which come after others that amount to
  // `prefix`.
  void Scan(std::int64_t first, std::int64_t n,
            const std::optional<Tuple>& prefix) {
    Load(first, n);
    const int levels = Upwards(n);
    Downwards(n, levels, prefix);
    const Pass& pass = call_.pass;
    const ValueArrays* results = &before_;
    if (pass.before) {
      if (!prefix.has_value()) before_.Set(0, *OfNothing(*pass.op));
    } else {
      Combine(before_, x_, n, next_);
      if (!prefix.has_value()) next_.Set(0, x_.Get(0));
      results = &next_;
    }
    const std::vector<void*> outputs =
        PointersAt<void, ArrayView>(call_.outputs, first);
    if (epilogue_.has_value()) {
      epilogue_->Apply(Pointers(*results), outputs, first, n);
    } else {
      CopyValues(*results, n, outputs);
    }
  }

 private:
  const std::vector<Type>& types() const { return call_.pass.op->types(); }
  std::int64_t Most() const { return std::min(call_.n, kChunk); }

  void Load(std::int64_t first, std::int64_t n) {
    prologue_.Apply(PointersAt<const void, ConstArrayView>(call_.inputs, first),
                    x_.pointers(), call_.index + first, n);
  }

  // to[j] = a[j] op b[j].
  void Combine(const ValueArrays& a, const ValueArrays& b, std::int64_t n,
               ValueArrays& to) {
    std::vector<const void*> parameters = Pointers(a);
    for (const void* second : Pointers(b)) parameters.push_back(second);
    combine_.Apply(parameters, to.pointers(), 0, n);
  }

  // The totals of even nodes at each level, as far as odd ones follow. Returns
  // the level at which one node begins.
  int Upwards(std::int64_t n) {
    int level = 0;
    for (std::int64_t begin = n, whole = n; begin > 1; ++level) {
      // The last node may not be whole, and is even or not needed then.
      const ValueArrays& from = level == 0 ? x_ : totals_;
      TakeApart(from, begin / 2, even_[level], odd_);
      Combine(even_[level], odd_, whole / 2, totals_);
      begin = (begin + 1) / 2;
      whole /= 2;
    }
    return level;
  }

  // before_[i] = what precedes element i; but for the first, if nothing does.
  void Downwards(std::int64_t n, int levels,
                 const std::optional<Tuple>& prefix) {
    before_.Set(0, prefix.value_or(Tuple(types().size())));
    for (int level = levels - 1; level >= 0; --level) {
      const std::int64_t begin = (n + (std::int64_t{1} << level) - 1) >> level;
      Combine(before_, even_[level], begin / 2, odd_);
      if (!prefix.has_value()) odd_.Set(0, even_[level].Get(0));
      PutTogether(before_, odd_, begin, next_);
      std::swap(before_, next_);
    }
  }

  const PassCall& call_;
  InterpreterThread prologue_, combine_;
  std::optional<InterpreterThread> epilogue_;
  ValueArrays x_, totals_, odd_, before_, next_;
  std::vector<ValueArrays> even_;
  Pairs pairs_;
};

}  // namespace

void ScanInNodes(TbbBackend& backend, const PassCall& call) {
  const ScanFunctions functions(call.pass);
  const auto make_scan = [&] {
    return std::make_unique<NodeScan>(call, functions);
  };
  const std::int64_t chunks = (call.n + kChunk - 1) / kChunk;
  ValueArrays totals(call.pass.op->types(), chunks);
  // The last chunk precedes nothing.
  ForEachChunk(backend, (chunks - 1) * kChunk, kChunk, [&] {
    return [&, scan = make_scan()](std::int64_t c, std::int64_t first,
                                   std::int64_t) {
      totals.Set(c, scan->Total(first));
    };
  });
  const std::vector<std::optional<Tuple>> prefixes =
      Prefixes(call.pass, totals, chunks);
  ForEachChunk(backend, call.n, kChunk, [&] {
    return [&, scan = make_scan()](std::int64_t c, std::int64_t first,
                                   std::int64_t n) {
      scan->Scan(first, n, prefixes[static_cast<std::size_t>(c)]);
    };
  });
}

}  // namespace concord::sequence
