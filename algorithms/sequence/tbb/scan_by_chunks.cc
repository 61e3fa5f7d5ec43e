// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Scans by operators that are exact, in one pass: each thread computes a chunk
// into its cache, publishes what it amounts to, learns what all chunks before
// it do (decoupled look-back, as in scan/tbb/one_pass.cc) and scans it there.

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "concord/algorithms/reduce/reduce.h"
#include "concord/algorithms/scan/scan.h"
#include "concord/algorithms/sequence/tbb/passes.h"
#include "concord/backends/tbb/backoff.h"
#include "concord/backends/tbb/simd.h"
#include "concord/backends/tbb/streaming.h"
#include "concord/core/operators.h"

#define CONCORD_SIMD_FILE "concord/algorithms/scan/tbb/kernel.h"
#include "concord/backends/tbb/simd_for_each.h"

namespace concord::scan {
namespace {

template <typename T, typename Op>
T BestFold(const T* x, std::int64_t n) {
  return CONCORD_SIMD_CHOOSE(Fold<T, Op>)(x, n);
}

template <typename T, typename Op, bool kInclusive>
void BestScanSpan(const T* in, T* out, std::int64_t n, T carry) {
  CONCORD_SIMD_CHOOSE(ScanSpan<T, Op, kInclusive>)(in, out, n, carry);
}

}  // namespace
}  // namespace concord::scan

namespace concord::sequence {
namespace {

constexpr std::int64_t kChunk = std::int64_t{1} << 14;

// What is known of a chunk; on a cache line of its own.
template <typename T>
struct alignas(64) ChunkState {
  enum Known { kNothing, kAggregate, kPrefix };

  std::atomic<Known> known{kNothing};
  T aggregate;
  // Of all elements up to the end of the chunk.
  T prefix;

  // Nothing if another thread has given up.
  Known Wait(const std::atomic<bool>& gave_up) const {
    for (Backoff backoff;; backoff.Wait()) {
      const Known now = known.load(std::memory_order_acquire);
      if (now != kNothing || gave_up.load(std::memory_order_relaxed)) {
        return now;
      }
    }
  }
};

template <typename Op>
class ChunkScan {
 public:
  using T = typename Op::Element;

  ChunkScan(const PassCall& call, OutsideReads& outside)
      : call_(call),
        outside_(outside),
        prologue_(*call.pass.prologue),
        beginning_(call.pass.start.has_value()
                       ? expression::FromWord<T>((*call.pass.start)[0])
                       : Op::Empty()),
        states_(static_cast<std::size_t>((call.n + kChunk - 1) / kChunk)) {
    if (call.pass.epilogue.has_value()) epilogue_.emplace(*call.pass.epilogue);
  }

  void Run(TbbBackend& backend) {
    // Chunks are begun in order, so that each waits only for others that are
    // being worked on.
    ForEachChunkInTurn(backend, call_.n, kChunk, gave_up_, [&] {
      return [this, worker = std::make_unique<Worker>(*this)](
                 std::int64_t c, std::int64_t first, std::int64_t n) {
        Chunk(*worker, c, first, n);
      };
    });
  }

 private:
  struct Worker {
    explicit Worker(const ChunkScan& scan)
        : prologue(scan.prologue_, scan.call_.tables),
          x(scan.call_.pass.op->types(), std::min(scan.call_.n, kChunk)) {
      if (scan.epilogue_.has_value()) epilogue.emplace(*scan.epilogue_);
    }

    InterpreterThread prologue;
    std::optional<InterpreterThread> epilogue;
    ValueArrays x;
  };

  void Chunk(Worker& worker, std::int64_t c, std::int64_t first,
             std::int64_t n) {
    worker.prologue.Apply(
        PointersAt<const void, ConstArrayView>(call_.inputs, first),
        worker.x.pointers(), call_.index + first, n);
    outside_.Add(worker.prologue);
    T* const x = worker.x.views()[0].template data<T>();
    ChunkState<T>& state = states_[static_cast<std::size_t>(c)];
    state.aggregate = scan::BestFold<T, Op>(x, n);
    state.known.store(ChunkState<T>::kAggregate, std::memory_order_release);
    const std::optional<T> before = LookBack(c);
    if (!before.has_value()) return;
    const T carry = *before;
    state.prefix = Op()(carry, state.aggregate);
    state.known.store(ChunkState<T>::kPrefix, std::memory_order_release);
    const std::vector<void*> outputs =
        PointersAt<void, ArrayView>(call_.outputs, first);
    T* const to = epilogue_.has_value() ? x : static_cast<T*>(outputs[0]);
    if (call_.pass.before) {
      scan::BestScanSpan<T, Op, false>(x, to, n, carry);
    } else {
      scan::BestScanSpan<T, Op, true>(x, to, n, carry);
    }
    if (epilogue_.has_value()) worker.epilogue->Apply({x}, outputs, first, n);
  }

  // What precedes the chunk; nothing if another thread has given up.
  std::optional<T> LookBack(std::int64_t c) const {
    T after = Op::Identity();
    for (std::int64_t k = c - 1; k >= 0; --k) {
      const ChunkState<T>& state = states_[static_cast<std::size_t>(k)];
      const auto known = state.Wait(gave_up_);
      if (known == ChunkState<T>::kNothing) return std::nullopt;
      if (known == ChunkState<T>::kPrefix) return Op()(state.prefix, after);
      after = Op()(state.aggregate, after);
    }
    return Op()(beginning_, after);
  }

  const PassCall& call_;
  OutsideReads& outside_;
  const Interpreter prologue_;
  std::optional<Interpreter> epilogue_;
  const T beginning_;
  std::vector<ChunkState<T>> states_;
  std::atomic<bool> gave_up_{false};
};

concord::Reduce::Op ReduceOpOf(expression::Op op) {
  switch (op) {
    case expression::Op::kMultiply:
      return concord::Reduce::Op::kMul;
    case expression::Op::kMinimum:
      return concord::Reduce::Op::kMin;
    case expression::Op::kMaximum:
      return concord::Reduce::Op::kMax;
    default:
      return concord::Reduce::Op::kAdd;
  }
}

// Vectors of these are scanned by scan/tbb/kernel.h, where any order is right.
template <typename Op>
constexpr bool IsScanned() {
  using T = typename Op::Element;
  constexpr bool kOrdered =
      std::is_same_v<Op, Minimum<T>> || std::is_same_v<Op, Maximum<T>>;
  constexpr bool kSums =
      std::is_same_v<Op, Add<T>> || std::is_same_v<Op, Multiply<T>>;
  return kOrdered || (kSums && std::is_integral_v<T>);
}

}  // namespace

bool CanScanByChunks(const Pass& pass) {
  const expression::Op op = *pass.op->built_in();
  return op != expression::Op::kAnd && op != expression::Op::kOr &&
         op != expression::Op::kXor;
}

void ScanByChunks(TbbBackend& backend, const PassCall& call,
                  OutsideReads& outside) {
  const expression::Operator& op = *call.pass.op;
  reduce::DispatchReduce(ReduceOpOf(*op.built_in()), StoredAs(op.types()[0]),
                         [&](auto operation) {
                           using Op = decltype(operation);
                           if constexpr (IsScanned<Op>()) {
                             ChunkScan<Op>(call, outside).Run(backend);
                           }
                         });
}

}  // namespace concord::sequence
