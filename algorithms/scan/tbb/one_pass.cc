// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// One pass over memory, with decoupled look-back (Merrill and Garland). Each
// thread takes the next chunk of the array, folds it to its aggregate (which
// brings it into the cache), publishes that, learns what all chunks before it
// amount to, publishes its own prefix, and only then scans the chunk, out of
// the cache. So the array is read from memory once and written once.

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include "concord/algorithms/scan/scan.h"
#include "concord/backends/tbb/backoff.h"
#include "concord/backends/tbb/simd.h"
#include "concord/backends/tbb/streaming.h"
#include "concord/backends/tbb/tbb_backend.h"
#include "concord/core/registry.h"

#define CONCORD_SIMD_FILE "concord/algorithms/scan/tbb/kernel.h"
#include "concord/backends/tbb/simd_for_each.h"

namespace concord::scan {
namespace {

// Well inside a second-level cache of 512 KiB and more, and so large that
// passing the prefix on costs nothing beside it.
constexpr std::int64_t kChunkBytes = std::int64_t{64} << 10;

// Fewer elements, or less than the largest vector holds, take the plain loop,
// which is what the baseline has.
template <typename T>
constexpr std::int64_t kVectorElements = std::max<std::int64_t>(16,
                                                                64 / sizeof(T));

// Smaller arrays are scanned by the calling thread alone: they are in its
// cache, and waking another thread takes as long.
constexpr std::int64_t kParallelBytes = std::int64_t{2} << 20;

// How far ahead a thread that scans alone fetches its input.
constexpr std::int64_t kAheadBytes = 2048;

template <typename T, typename Op>
auto ScanSpanFor(Scan::Kind kind) {
  return kind == Scan::Kind::kInclusive
             ? CONCORD_SIMD_CHOOSE(ScanSpan<T, Op, true>)
             : CONCORD_SIMD_CHOOSE(ScanSpan<T, Op, false>);
}

// Whether the order of operations does not show in the results.
template <typename T, typename Op>
constexpr bool kExact =
    std::is_integral_v<T> || std::is_same_v<Op, Minimum<T>> ||
    std::is_same_v<Op, Maximum<T>>;

template <typename T, typename Op>
auto StreamSpanFor(Scan::Kind kind, const T* out) {
  if (kExact<T, Op> || reinterpret_cast<std::uintptr_t>(out) % 64 == 0) {
    return kind == Scan::Kind::kInclusive
               ? CONCORD_SIMD_CHOOSE(StreamSpan<T, Op, true>)
               : CONCORD_SIMD_CHOOSE(StreamSpan<T, Op, false>);
  }
  return kind == Scan::Kind::kInclusive
             ? CONCORD_SIMD_CHOOSE(StreamBlocks<T, Op, true>)
             : CONCORD_SIMD_CHOOSE(StreamBlocks<T, Op, false>);
}

template <typename T, typename Op>
class OnePass {
 public:
  OnePass(ConstArrayView in, ArrayView out, Scan::Kind kind)
      : in_(in.data<T>()),
        out_(out.data<T>()),
        n_(in.size()),
        chunks_((n_ + kChunk - 1) / kChunk),
        // In place, the lines to be written are in the cache already.
        stream_(in.bytes() >= kStreamingBytes && in.data() != out.data()),
        scan_(ScanSpanFor<T, Op>(kind)),
        stream_span_(StreamSpanFor<T, Op>(kind, out_)) {}

  absl::Status Run(TbbBackend& backend) {
    // Sums and products of floats go by chunks whoever computes them, so that
    // their bits depend on n alone.
    if (kExact<T, Op> && backend.threads() == 1) {
      ScanFrom(0, n_, Op::Empty(), in_ + std::min(n_, kAhead));
      return absl::OkStatus();
    }
    states_.reset(new (std::nothrow) State[chunks_]);
    if (states_ == nullptr) {
      return absl::ResourceExhaustedError("no memory for the chunks of a scan");
    }
    // Chunks are taken in order, so whoever waits for a chunk waits for a
    // thread that is at work on it, however many threads there really are.
    backend.ForEach(backend.threads(), [this](std::int64_t) { Work(); });
    return absl::OkStatus();
  }

 private:
  static constexpr std::int64_t kChunk = kChunkBytes / sizeof(T);
  static constexpr std::int64_t kAhead = kAheadBytes / sizeof(T);

  enum Known { kNothing, kAggregate, kPrefix };

  // What is known of a chunk; on a cache line of its own.
  struct alignas(64) State {
    std::atomic<Known> known{kNothing};
    T aggregate;
    // Of all elements up to the end of the chunk.
    T prefix;
  };

  void Work() {
    std::int64_t chunk = next_.fetch_add(1);
    while (chunk < chunks_) {
      const std::int64_t first = chunk * kChunk;
      const std::int64_t last = std::min(n_, first + kChunk);
      State& state = states_[chunk];
      state.aggregate = Aggregate(first, last);
      state.known.store(kAggregate, std::memory_order_release);
      const T carry = LookBack(chunk);
      state.prefix = Op()(carry, state.aggregate);
      state.known.store(kPrefix, std::memory_order_release);
      // Taken before this one is finished, so that it can be fetched meanwhile.
      chunk = next_.fetch_add(1);
      ScanFrom(first, last, carry,
               chunk < chunks_ - 1 ? in_ + chunk * kChunk : nullptr);
    }
  }

  T Aggregate(std::int64_t first, std::int64_t last) const {
    if (last - first < kChunk) {
      return CONCORD_SIMD_CHOOSE(Fold<T, Op>)(in_ + first, last - first);
    }
    T quarters[4];
    CONCORD_SIMD_CHOOSE(FoldStreams<T, Op, 4>)
    (in_ + first, kChunkBytes / 512 / 4, quarters);
    return Op()(Op()(quarters[0], quarters[1]), Op()(quarters[2], quarters[3]));
  }

  // What the chunks before this one amount to: always the combination of their
  // aggregates from left to right, from wherever a prefix is known.
  T LookBack(std::int64_t chunk) const {
    std::int64_t begin = chunk;
    T carry = Op::Empty();
    while (begin > 0) {
      const State& before = states_[begin - 1];
      Known known;
      for (Backoff backoff;; backoff.Wait()) {
        known = before.known.load(std::memory_order_acquire);
        if (known != kNothing) break;
      }
      if (known == kPrefix) {
        carry = before.prefix;
        break;
      }
      --begin;
    }
    for (; begin < chunk; ++begin)
      carry = Op()(carry, states_[begin].aggregate);
    return carry;
  }

  // Meanwhile, what will be read next is fetched, from `fetch` on.
  void ScanFrom(std::int64_t first, std::int64_t last, T carry,
                const T* fetch) const {
    if (!stream_) {
      scan_(in_ + first, out_ + first, last - first, carry);
      return;
    }
    // What is being scanned is in the cache: asking for it is for nothing.
    stream_span_(in_ + first, out_ + first, last - first, carry,
                 fetch == nullptr ? in_ + first : fetch);
    FinishStreaming();
  }

  const T* const in_;
  T* const out_;
  const std::int64_t n_;
  const std::int64_t chunks_;
  const bool stream_;
  T (*const scan_)(const T*, T*, std::int64_t, T);
  T (*const stream_span_)(const T*, T*, std::int64_t, T, const T*);
  std::unique_ptr<State[]> states_;
  std::atomic<std::int64_t> next_{0};
};

// A function of its own, because its frame would slow down the calls for a
// handful of elements.
template <typename T, typename Op>
[[gnu::noinline]] absl::Status ScanVectors(TbbBackend& backend,
                                           ConstArrayView in, ArrayView out,
                                           Scan::Kind kind) {
  if (in.size() >= kParallelBytes / std::int64_t{sizeof(T)}) {
    return OnePass<T, Op>(in, out, kind).Run(backend);
  }
  ScanSpanFor<T, Op>(kind)(in.data<T>(), out.data<T>(), in.size(), Op::Empty());
  return absl::OkStatus();
}

class ScanTbb : public OnTbb<Scan> {
 public:
  absl::Status Compute(ConstArrayView in, ArrayView out,
                       const Options& options) override {
    return DispatchScan(options.op, in.type(), [&](auto op) -> absl::Status {
      using Op = decltype(op);
      using T = typename Op::Element;
      const T* const from = in.data<T>();
      if (in.size() >= kVectorElements<T>) {
        return ScanVectors<T, Op>(backend(), in, out, options.kind);
      }
      if (options.kind == Kind::kInclusive) {
        simd_baseline::ScanSpan<T, Op, true>(from, out.data<T>(), in.size(),
                                             Op::Empty());
      } else {
        simd_baseline::ScanSpan<T, Op, false>(from, out.data<T>(), in.size(),
                                              Op::Empty());
      }
      return absl::OkStatus();
    });
  }
};

const bool kRegistered = Registry<Scan>::Get().Add<ScanTbb>(
    "tbb", "one_pass", /*rank=*/10,
    "one pass over chunks in the cache, with decoupled look-back",
    Contract()
        .InPlace()
        .Determined(Determinism::kRunToRun)
        .SpecialValues("add, mul: IEEE 754 arithmetic; min, max: NaN from the "
                       "first NaN on, -0.0 < +0.0")
        .Boundaries({kVectorElements<std::int8_t>, kVectorElements<float>})
        .Boundaries({kChunkBytes, kParallelBytes}, {1, 4, 8})
        .Boundaries({kStreamingBytes / 8})
        .Notes("float sums and products depend on n and on the vector "
               "instructions of the CPU, not on the number of threads"));

}  // namespace
}  // namespace concord::scan
