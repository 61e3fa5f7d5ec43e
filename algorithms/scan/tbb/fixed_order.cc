// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The order that scan.h defines, Blelloch's (1990), in one pass over memory.
// Chunks are nodes of it. As in one_pass.cc each thread takes the next chunk,
// reads it for its total and scans it out of the cache; but what is handed from
// chunk to chunk are totals of nodes, as in the tree of P. M. Fenwick ("A new
// data structure for cumulative frequency tables", 1994): each chunk publishes
// the largest node that ends with it, and what precedes a chunk is made of as
// many nodes as its number has bits. So it does not matter who was when done.

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include "concord/algorithms/scan/scan.h"
#include "concord/algorithms/scan/scan_fixed_order.h"
#include "concord/backends/tbb/backoff.h"
#include "concord/backends/tbb/simd.h"
#include "concord/backends/tbb/streaming.h"
#include "concord/backends/tbb/tbb_backend.h"
#include "concord/core/registry.h"

namespace concord::scan {
namespace {

// All of these are powers of two, so that they are nodes. What they are good
// for: see one_pass.cc.
constexpr int kChunkLevel = 7;  // 2^7 blocks
constexpr std::int64_t kBlockBytes = 1024;
constexpr std::int64_t kChunkBytes = kBlockBytes << kChunkLevel;
constexpr std::int64_t kParallelBytes = std::int64_t{2} << 20;
constexpr std::int64_t kAheadBytes = 2 * kBlockBytes;

}  // namespace

template <typename T>
inline constexpr int kFixedOrderBlock = kBlockBytes / sizeof(T);

}  // namespace concord::scan

#define CONCORD_SIMD_FILE "concord/algorithms/scan/tbb/fixed_order_kernel.h"
#include "concord/backends/tbb/simd_for_each.h"
#include "concord/core/value_or_throw.h"

namespace concord::scan {
namespace {

template <typename T, typename Op>
class ChunkPass {
 public:
  ChunkPass(ConstArrayView in, ArrayView out, Scan::Kind kind)
      : in_(in.data<T>()),
        out_(out.data<T>()),
        n_(in.size()),
        chunks_((n_ + kChunk - 1) / kChunk),
        // In place, the lines to be written are in the cache already.
        stream_(in.bytes() >= kStreamingBytes && in.data() != out.data()),
        total_(CONCORD_SIMD_CHOOSE(BlockTotal<T, Op>)),
        scan_(kind == Scan::Kind::kInclusive
                  ? CONCORD_SIMD_CHOOSE(ScanBlock<T, Op, true>)
                  : CONCORD_SIMD_CHOOSE(ScanBlock<T, Op, false>)) {}

  absl::Status Run(TbbBackend& backend) {
    if (backend.threads() == 1 || n_ < kParallelBytes / kSize) {
      ScanFrom(0, n_, Op::Empty(), in_ + std::min(n_, kAheadBytes / kSize));
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
  static constexpr std::int64_t kSize = sizeof(T);
  static constexpr std::int64_t kChunk = kChunkBytes / kSize;
  static constexpr std::int64_t kBlock = kFixedOrderBlock<T>;

  // The largest node that ends with a chunk; on a cache line of its own.
  struct alignas(64) State {
    std::atomic<bool> known{false};
    T total;
  };

  void Work() {
    std::int64_t chunk = next_.fetch_add(1);
    while (chunk < chunks_) {
      if (chunk + 1 < chunks_) Publish(chunk);
      const T prefix = PrefixOf(chunk);
      const std::int64_t first = chunk * kChunk;
      // Taken before this one is finished, so that it can be fetched meanwhile.
      chunk = next_.fetch_add(1);
      ScanFrom(first, std::min(n_, first + kChunk), prefix,
               chunk < chunks_ - 1 ? in_ + chunk * kChunk : nullptr);
    }
  }

  void Publish(std::int64_t chunk) {
    NodeCounter<Op> counter(Op::Empty());
    for (std::int64_t i = 0; i < kChunk; i += kBlock) {
      counter.Append(total_(in_ + chunk * kChunk + i));
    }
    T total = counter.total(kChunkLevel);
    for (int level = 0; (chunk >> level & 1) != 0; ++level) {
      total = Op()(NodeBefore(chunk, level), total);
    }
    states_[chunk].total = total;
    states_[chunk].known.store(true, std::memory_order_release);
  }

  T PrefixOf(std::int64_t chunk) const {
    T prefix = Op::Empty();
    for (int level = 62; level >= 0; --level) {
      if ((chunk >> level & 1) == 0) continue;
      prefix = Op()(prefix, NodeBefore(chunk, level));
    }
    return prefix;
  }

  // The node of 2^level chunks in what precedes `chunk`.
  T NodeBefore(std::int64_t chunk, int level) const {
    const State& last = states_[(chunk >> level << level) - 1];
    for (Backoff backoff; !last.known.load(std::memory_order_acquire);
         backoff.Wait()) {
    }
    return last.total;
  }

  // Meanwhile, what will be read next is fetched, from `fetch` on.
  void ScanFrom(std::int64_t first, std::int64_t last, T prefix,
                const T* fetch) const {
    NodeCounter<Op> counter(prefix);
    alignas(64) T block[kBlock];
    for (; first < last; first += kBlock) {
      const std::int64_t n = std::min(last - first, kBlock);
      counter.Append(scan_(in_ + first, stream_ ? block : out_ + first, n,
                           counter.prefix()));
      if (!stream_) continue;
      StreamTo(out_ + first, block, n * kSize, fetch);
      if (fetch != nullptr) fetch += n;
    }
    if (stream_) FinishStreaming();
  }

  const T* const in_;
  T* const out_;
  const std::int64_t n_;
  const std::int64_t chunks_;
  const bool stream_;
  T (*const total_)(const T*);
  T (*const scan_)(const T*, T*, std::int64_t, T);
  std::unique_ptr<State[]> states_;
  std::atomic<std::int64_t> next_{0};
};

class ScanTbbFixedOrder : public OnTbb<Scan> {
 public:
  explicit ScanTbbFixedOrder(const std::shared_ptr<Backend>& backend)
      : any_order_(ValueOrThrow(Registry<Scan>::Get().Create(backend))) {}

  absl::Status Compute(ConstArrayView in, ArrayView out,
                       const Options& options) override {
    return DispatchScan(options.op, in.type(), [&](auto op) -> absl::Status {
      using Op = decltype(op);
      using T = typename Op::Element;
      if constexpr (kScanOrderMatters<Op>) {
        return ChunkPass<T, Op>(in, out, options.kind).Run(backend());
      } else {
        return any_order_->Run(in, out, options);
      }
    });
  }

 private:
  // The default, for all whose results do not depend on the order.
  std::unique_ptr<Scan> any_order_;
};

const bool kRegistered = Registry<Scan>::Get().Add<ScanTbbFixedOrder>(
    "tbb", "fixed_order", /*rank=*/5,
    "floats in the order of the definition: one pass that hands on nodes",
    Contract()
        .InPlace()
        .SpecialValues(
            "add, mul: IEEE 754 arithmetic in the order of the definition; "
            "min, max: NaN from the first NaN on, -0.0 < +0.0")
        .Boundaries({kBlockBytes, kChunkBytes, kParallelBytes}, {4, 8})
        .Boundaries({kStreamingBytes / 8})
        .Notes("runs the default where the order does not matter: integers, "
               "min, max"));

}  // namespace
}  // namespace concord::scan
