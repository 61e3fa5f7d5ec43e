// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Scans in the fixed order of scan.h, by any operator, in one pass: each thread
// computes a chunk into its cache, finds the totals of its nodes level by level
// upwards, learns what precedes the chunk, and goes downwards to what precedes
// each node.
//
// A chunk stands in the reverse order of its numbers' bits. There the left
// nodes of a level are its first half and the right ones its second half, in
// the same order, and a node is where its left half was: nothing moves from
// level to level.

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "concord/algorithms/sequence/tbb/ordered.h"
#include "concord/algorithms/sequence/tbb/passes.h"
#include "concord/backends/tbb/backoff.h"
#include "concord/backends/tbb/simd.h"
#include "concord/core/element_width.h"
#include "concord/core/operators.h"

#define CONCORD_SIMD_FILE "concord/algorithms/sequence/tbb/rows_kernel.h"
#include "concord/backends/tbb/simd_for_each.h"

namespace concord::sequence {
namespace {

using expression::Operator;
using expression::Type;

// Elements of a chunk, at most, as a power of two: the chunk is a node.
constexpr int kMostLevels = 13;

// What precedes all elements; nothing if results begin with the first.
std::optional<Tuple> Beginning(const Pass& pass) {
  if (pass.start.has_value()) return pass.start;
  if (pass.op->built_in().has_value()) return OfNothing(*pass.op);
  return std::nullopt;
}

// What precedes each chunk, told to one after the other. Like scan's
// NodeCounter: a node for each bit of the number of chunks so far.
class ChunkPrefixes {
 public:
  explicit ChunkPrefixes(const Pass& pass)
      : op_(*pass.op), prefix_(Beginning(pass)), nodes_(63) {}

  // Waits for the chunks before; `total` is what this one amounts to. Returns
  // false if another thread has given up.
  bool Take(std::int64_t chunk, const Tuple& total,
            std::optional<Tuple>& before) {
    for (Backoff backoff; turn_.load(std::memory_order_acquire) != chunk;
         backoff.Wait()) {
      if (gave_up_.load(std::memory_order_relaxed)) return false;
    }
    before = prefix_;
    Append(chunk, total);
    turn_.store(chunk + 1, std::memory_order_release);
    return true;
  }

  std::atomic<bool>& gave_up() { return gave_up_; }

 private:
  struct Node {
    Tuple total;
    std::optional<Tuple> before;
  };

  void Append(std::int64_t chunk, const Tuple& total) {
    std::size_t level = 0;
    while ((chunk >> level & 1) != 0) ++level;
    Node& node = nodes_[level];
    node.total = total;
    for (std::size_t k = 0; k < level; ++k) {
      node.total = op_.Apply(nodes_[k].total, node.total);
    }
    node.before = level == 0 ? prefix_ : nodes_[level - 1].before;
    prefix_ = node.before.has_value() ? op_.Apply(*node.before, node.total)
                                      : node.total;
  }

  const Operator& op_;
  std::atomic<std::int64_t> turn_{0};
  std::atomic<bool> gave_up_{false};
  // Of whose turn it is.
  std::optional<Tuple> prefix_;
  std::vector<Node> nodes_;
};

// The numbers of so many bits, with these in reverse order.
std::vector<std::int64_t> Reversed(int bits) {
  std::vector<std::int64_t> numbers = {0};
  for (int bit = bits - 1; bit >= 0; --bit) {
    const std::size_t half = numbers.size();
    for (std::size_t k = 0; k < half; ++k) {
      numbers.push_back(numbers[k] + (std::int64_t{1} << bit));
    }
  }
  return numbers;
}

// Puts elements where their numbers are, with the bits in reverse order; the
// second time puts them back.
class BitReversal {
 public:
  explicit BitReversal(int bits)
      : rows_(Reversed(bits / 2)), columns_(Reversed(bits - bits / 2)) {}

  void Apply(Type type, const void* from, void* to) const {
    DispatchWidth(StoredAs(type), [&](auto width) {
      using T = decltype(width);
      Move(static_cast<const T*>(from), static_cast<T*>(to));
    });
  }

 private:
  template <typename T>
  void Move(const T* from, T* to) const {
    const auto rows = static_cast<std::int64_t>(rows_.size());
    const auto width = static_cast<std::int64_t>(columns_.size());
    if (CONCORD_SIMD_CHOOSE(ReverseBitsOfSquares<T>)(
            from, to, rows, width, rows_.data(), columns_.data())) {
      return;
    }
    for (std::int64_t r = 0; r < rows; ++r) {
      for (std::int64_t e = 0; e < width; ++e) {
        to[columns_[e] * rows + rows_[r]] = from[r * width + e];
      }
    }
  }

  std::vector<std::int64_t> rows_, columns_;
};

struct ScanFunctions {
  explicit ScanFunctions(const Pass& pass)
      : prologue(*pass.prologue), combine(pass.op->function()) {
    if (pass.epilogue.has_value()) epilogue.emplace(*pass.epilogue);
  }

  Interpreter prologue;
  Interpreter combine;
  std::optional<Interpreter> epilogue;
};

// results[j] = a[j] op b[j] for j < n.
struct Combination {
  std::vector<const void*> operands;
  std::vector<void*> results;
  std::int64_t n;
};

// What one thread needs to scan chunks of 2^levels elements.
class NodeScan {
 public:
  NodeScan(const PassCall& call, const ScanFunctions& functions, int levels,
           ChunkPrefixes& prefixes)
      : call_(call),
        prefixes_(prefixes),
        size_(std::int64_t{1} << levels),
        reversal_(levels),
        prologue_(functions.prologue),
        combine_(functions.combine),
        x_(types(), size_),
        before_(types(), size_),
        results_(types(), size_) {
    if (functions.epilogue.has_value()) epilogue_.emplace(*functions.epilogue);
    // What a chunk lacks counts, and changes no result.
    for (const ArrayView& view : x_.views()) {
      std::memset(view.data(), 0, static_cast<std::size_t>(view.bytes()));
    }
    for (int level = 0; level <= levels; ++level) {
      totals_.emplace_back(types(), size_ >> level);
    }
    for (int level = 0; level < levels; ++level) {
      const std::int64_t half = size_ >> (level + 1);
      upwards_.push_back(
          Of(totals_[level], 0, totals_[level], half, totals_[level + 1], 0));
      downwards_.push_back(Of(before_, 0, totals_[level], 0, before_, half));
      upwards_.back().n = downwards_.back().n = half;
    }
    all_ = Of(before_, 0, totals_[0], 0, results_, 0);
    all_.n = size_;
  }

  // Elements [first, first + n), the chunk of this number.
  void Scan(std::int64_t chunk, std::int64_t first, std::int64_t n) {
    prologue_.Apply(PointersAt<const void, ConstArrayView>(call_.inputs, first),
                    x_.pointers(), call_.index + first, n);
    Reverse(x_, totals_[0].pointers());
    for (const Combination& level : upwards_) Combine(level);
    std::optional<Tuple> prefix;
    if (!prefixes_.Take(chunk, totals_.back().Get(0), prefix)) return;
    GoDownwards(prefix);
    Put(Results(prefix), first, n);
  }

 private:
  const std::vector<Type>& types() const { return call_.pass.op->types(); }

  static Combination Of(const ValueArrays& a, std::int64_t a_first,
                        const ValueArrays& b, std::int64_t b_first,
                        ValueArrays& results, std::int64_t results_first) {
    Combination combination{
        PointersAt<const void, ArrayView>(a.views(), a_first),
        PointersAt<void, ArrayView>(results.views(), results_first), 0};
    for (const void* b_of :
         PointersAt<const void, ArrayView>(b.views(), b_first)) {
      combination.operands.push_back(b_of);
    }
    return combination;
  }

  void Combine(const Combination& level) {
    combine_.Apply(level.operands, level.results, 0, level.n);
  }

  void Reverse(const ValueArrays& from, const std::vector<void*>& to) const {
    for (std::size_t k = 0; k < to.size(); ++k) {
      reversal_.Apply(types()[k], from.views()[k].data(), to[k]);
    }
  }

  // before_[i] = what precedes element i; but for the first, if nothing does.
  // What precedes a node precedes its left half, too.
  void GoDownwards(const std::optional<Tuple>& prefix) {
    before_.Set(0, prefix.value_or(Tuple(types().size())));
    for (std::size_t level = downwards_.size(); level-- > 0;) {
      Combine(downwards_[level]);
      if (!prefix.has_value()) {
        before_.Set(downwards_[level].n, totals_[level].Get(0));
      }
    }
  }

  const ValueArrays& Results(const std::optional<Tuple>& prefix) {
    const Pass& pass = call_.pass;
    if (pass.before) {
      if (!prefix.has_value()) before_.Set(0, *OfNothing(*pass.op));
      return before_;
    }
    Combine(all_);
    if (!prefix.has_value()) results_.Set(0, totals_[0].Get(0));
    return results_;
  }

  // As the outputs' elements from `first` on.
  void Put(const ValueArrays& reversed, std::int64_t first, std::int64_t n) {
    const std::vector<void*> outputs =
        PointersAt<void, ArrayView>(call_.outputs, first);
    if (!epilogue_.has_value() && n == size_) return Reverse(reversed, outputs);
    Reverse(reversed, x_.pointers());
    if (epilogue_.has_value()) {
      return epilogue_->Apply(Pointers(x_), outputs, first, n);
    }
    for (std::size_t k = 0; k < outputs.size(); ++k) {
      std::memcpy(outputs[k], x_.views()[k].data(),
                  static_cast<std::size_t>(n * BytesOf(types()[k])));
    }
  }

  const PassCall& call_;
  ChunkPrefixes& prefixes_;
  const std::int64_t size_;
  const BitReversal reversal_;
  InterpreterThread prologue_, combine_;
  std::optional<InterpreterThread> epilogue_;
  ValueArrays x_, before_, results_;
  // By level: of its nodes.
  std::vector<ValueArrays> totals_;
  std::vector<Combination> upwards_, downwards_;
  Combination all_;
};

}  // namespace

void ScanInNodes(TbbBackend& backend, const PassCall& call) {
  const ScanFunctions functions(call.pass);
  int levels = 0;
  while (levels < kMostLevels && std::int64_t{1} << levels < call.n) ++levels;
  ChunkPrefixes prefixes(call.pass);
  ForEachChunkInTurn(
      backend, call.n, std::int64_t{1} << levels, prefixes.gave_up(), [&] {
        auto scan =
            std::make_unique<NodeScan>(call, functions, levels, prefixes);
        return [scan = std::move(scan)](std::int64_t c, std::int64_t first,
                                        std::int64_t n) {
          scan->Scan(c, first, n);
        };
      });
}

}  // namespace concord::sequence
