// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Two passes over each rank's stretch: what it amounts to, and, once every rank
// has told the others, the scan itself. What comes before nothing, the last
// rank's stretch, is not added up where the order does not matter.
//
// Where the order matters, ranks tell the totals of nodes (scan.h): the largest
// that lie in their stretch, at most two of a size. Whatever precedes a stretch
// is made of such nodes, so every rank knows what one process alone would have
// had there: the bits do not depend on the ranks. Elsewhere one total of each
// rank suffices.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "concord/algorithms/scan/mpi/nodes.h"
#include "concord/algorithms/scan/scan.h"
#include "concord/algorithms/scan/scan_fixed_order.h"
#include "concord/backends/mpi/moved_input.h"
#include "concord/backends/mpi/team_backend.h"
#include "concord/backends/tbb/simd.h"
#include "concord/backends/tbb/streaming.h"
#include "concord/core/errors.h"
#include "concord/core/operators.h"
#include "concord/core/registry.h"

// A scan that goes on after what is before it, which implementations of `Scan`
// cannot be told.
#define CONCORD_SIMD_FILE "concord/algorithms/scan/tbb/kernel.h"
#include "concord/backends/tbb/simd_for_each.h"

namespace concord::scan {
namespace {

// Elements of a block, which fit into a first-level cache. A power of two, so
// that they are a node.
constexpr int kBlockLevel = 12;
constexpr std::int64_t kBlock = std::int64_t{1} << kBlockLevel;

// Where the order does not matter: of how much the shares of threads are
// multiples, and what is added up at a time, in four streams. Streams of 16 KiB
// take 1.3 times as long: the CPU has to find each anew.
constexpr std::int64_t kPieceBytes = std::int64_t{64} << 10;
template <typename T>
constexpr std::int64_t kPiece = kPieceBytes / sizeof(T);
constexpr std::int64_t kFoldBytes = std::int64_t{1} << 20;
template <typename T>
constexpr std::int64_t kFold = kFoldBytes / sizeof(T);

// How far ahead its input is fetched when it is scanned, as in one_pass.cc.
template <typename T>
constexpr std::int64_t kAhead = 2048 / sizeof(T);

class ScanTeam : public OnTeam<Scan> {
 public:
  absl::Status Compute(ConstArrayView in, ArrayView out,
                       const Options& options) override {
    absl::Status status = Prepare(in, out);
    RETURN_IF_ERROR(backend().team().AgreeOn(
        absl::StrCat("scan op=", static_cast<int>(options.op),
                     " kind=", static_cast<int>(options.kind), " of ",
                     in.size(), " ", Name(in.type())),
        status));
    const Range mine = backend().Mine(stretches_);
    ASSIGN_OR_RETURN(const ConstArrayView values, input_.Fetch(backend()));
    return DispatchScan(options.op, in.type(), [&](auto op) {
      using Op = decltype(op);
      if constexpr (kScanOrderMatters<Op>) {
        return ScanNodes<Op>(values, OnHost(out, mine), mine.first,
                             options.kind);
      } else {
        return ScanPieces<Op>(values, OnHost(out, mine), in.bytes(),
                              options.kind);
      }
    });
  }

 private:
  // Whatever can fail on one rank alone.
  absl::Status Prepare(ConstArrayView in, ArrayView out) {
    ASSIGN_OR_RETURN(stretches_, backend().Stretches(out));
    RETURN_IF_ERROR(input_.Prepare(backend(), in, stretches_));
    // Blocks at multiples of their size, of which one may be cut by either end
    // of the stretch; or the shares of workers.
    const std::int64_t blocks = backend().Mine(stretches_).size() / kBlock + 2;
    ASSIGN_OR_RETURN(totals_, backend().local()->Allocate(
                                  in.type(), std::max<std::int64_t>(
                                                 blocks, backend().workers())));
    return absl::OkStatus();
  }

  // Calls f(p) for the pieces 0 <= p < count, by all workers, each of which has
  // pieces that follow each other.
  template <typename F>
  void ForEachPiece(std::int64_t count, const F& f) {
    backend().ForEachWorker([&](int w) {
      const Range share = ShareOf({0, count}, w, backend().workers());
      for (std::int64_t p = share.first; p < share.last; ++p) f(p);
      FinishStreaming();
    });
  }

  // --- Any order ---

  template <typename Op, typename T = typename Op::Element>
  absl::Status ScanPieces(ConstArrayView in, ArrayView out, std::int64_t bytes,
                          Kind kind) {
    const T* const x = in.data<T>();
    T* const y = out.data<T>();
    T* const totals = totals_.data<T>();
    const std::int64_t n = in.size();
    const int workers = backend().workers();
    // Where a worker's share begins: pieces that follow each other.
    const auto begin = [&](int w) {
      const std::int64_t pieces = (n + kPiece<T> - 1) / kPiece<T>;
      return std::min(pieces * w / workers * kPiece<T>, n);
    };
    // What the last one of the last rank has comes before nothing.
    const int needed = IsLast() ? workers - 1 : workers;
    backend().ForEachWorker([&](int w) {
      if (w < needed) {
        totals[w] = TotalOfSpan<Op>(x + begin(w), begin(w + 1) - begin(w));
      }
    });
    // Each total becomes what precedes its share in the stretch.
    T total = Op::Empty();
    for (int w = 0; w < workers; ++w) {
      const T of_share = w < needed ? totals[w] : Op::Empty();
      totals[w] = total;
      total = Op()(total, of_share);
    }
    ASSIGN_OR_RETURN(const std::vector<T> all,
                     backend().team().AllGather(total));
    T carry = Op::Empty();
    for (int r = 0; r < backend().team().rank(); ++r) {
      carry = Op()(carry, all[static_cast<std::size_t>(r)]);
    }
    // In place, the lines to be written are in the cache already.
    const bool stream = bytes >= kStreamingBytes && x != y;
    const auto scan = ScanSpanFor<Op>(kind);
    const auto stream_span = StreamSpanFor<Op>(kind);
    backend().ForEachWorker([&](int w) {
      const std::int64_t first = begin(w);
      const std::int64_t size = begin(w + 1) - first;
      const T before = Op()(carry, totals[w]);
      if (stream) {
        stream_span(x + first, y + first, size, before,
                    x + std::min(first + kAhead<T>, n));
        FinishStreaming();
      } else {
        scan(x + first, y + first, size, before);
      }
    });
    return absl::OkStatus();
  }

  // Whether no rank has elements behind this one's.
  bool IsLast() const {
    const auto behind = stretches_.begin() + backend().team().rank() + 1;
    return std::all_of(behind, stretches_.end(),
                       [](const Range& stretch) { return stretch.empty(); });
  }

  template <typename Op, typename T = typename Op::Element>
  static T TotalOfSpan(const T* x, std::int64_t n) {
    T total = Op::Empty();
    for (; n >= kFold<T>; x += kFold<T>, n -= kFold<T>) {
      T quarters[4];
      CONCORD_SIMD_CHOOSE(FoldStreams<T, Op, 4>)
      (x, kFoldBytes / 512 / 4, quarters);
      total = Op()(total, Op()(Op()(quarters[0], quarters[1]),
                               Op()(quarters[2], quarters[3])));
    }
    return n == 0 ? total : Op()(total, CONCORD_SIMD_CHOOSE(Fold<T, Op>)(x, n));
  }

  template <typename Op>
  static auto ScanSpanFor(Kind kind) {
    using T = typename Op::Element;
    return kind == Kind::kInclusive
               ? CONCORD_SIMD_CHOOSE(ScanSpan<T, Op, true>)
               : CONCORD_SIMD_CHOOSE(ScanSpan<T, Op, false>);
  }
  template <typename Op>
  static auto StreamSpanFor(Kind kind) {
    using T = typename Op::Element;
    return kind == Kind::kInclusive
               ? CONCORD_SIMD_CHOOSE(StreamSpan<T, Op, true>)
               : CONCORD_SIMD_CHOOSE(StreamSpan<T, Op, false>);
  }

  // --- The order of the definition ---

  // What ranks tell each other.
  template <typename T>
  struct Told {
    std::int64_t count = 0;
    Node<T> nodes[kMostNodes];
  };

  template <typename Op, typename T = typename Op::Element>
  absl::Status ScanNodes(ConstArrayView in, ArrayView out, std::int64_t begin,
                         Kind kind) {
    const T* const x = in.data<T>();
    T* const y = out.data<T>();
    const std::int64_t end = begin + in.size();
    // Whole blocks of the array that lie in the stretch, and what is before.
    const std::int64_t first_block = (begin + kBlock - 1) / kBlock;
    const std::int64_t blocks =
        std::max<std::int64_t>(end / kBlock - first_block, 0);
    const std::int64_t head = std::min(first_block * kBlock, end);
    T* const totals = totals_.data<T>();
    ForEachPiece(blocks, [&](std::int64_t b) {
      totals[b] = TotalOf<Op>(
          absl::MakeConstSpan(x + (first_block + b) * kBlock - begin, kBlock));
    });
    ASSIGN_OR_RETURN(
        Cursor<Op> cursor,
        (CursorAt<Op>(begin, CutOf<Op>(x, begin, end, first_block))));

    const auto put = [&](std::int64_t place, T before) {
      const T value = x[place - begin];
      y[place - begin] =
          CanonicalNan(kind == Kind::kInclusive ? Op()(before, value) : before);
      return value;
    };
    for (std::int64_t place = begin; place < head; ++place) {
      cursor.Append(put(place, cursor.prefix()), 0);
    }
    // Each total becomes what precedes its block in the array.
    const std::int64_t pieces = blocks + (head + blocks * kBlock < end ? 1 : 0);
    for (std::int64_t b = 0; b < pieces; ++b) {
      const T before = cursor.prefix();
      if (b < blocks) cursor.Append(totals[b], kBlockLevel);
      totals[b] = before;
    }
    ForEachPiece(pieces, [&](std::int64_t b) {
      NodeCounter<Op> counter(totals[b]);
      const std::int64_t first = head + b * kBlock;
      const std::int64_t last = std::min(first + kBlock, end);
      for (std::int64_t place = first; place < last; ++place) {
        counter.Append(put(place, counter.prefix()));
      }
    });
    return absl::OkStatus();
  }

  // The nodes of the stretch [begin, end), with their totals: out of its
  // elements, or of the totals of its blocks.
  template <typename Op, typename T = typename Op::Element>
  Told<T> CutOf(const T* x, std::int64_t begin, std::int64_t end,
                std::int64_t first_block) const {
    Told<T> told = {};
    for (Node<T> node : CutIntoNodes<T>(begin, end - begin)) {
      node.total =
          node.level < kBlockLevel
              ? TotalOf<Op>(absl::MakeConstSpan(x + node.first - begin,
                                                std::size_t{1} << node.level))
              : TotalOf<Op>(absl::MakeConstSpan(
                    totals_.data<T>() + node.first / kBlock - first_block,
                    std::size_t{1} << (node.level - kBlockLevel)));
      told.nodes[told.count++] = node;
    }
    return told;
  }

  // Behind all elements before `begin`, in the state that one process alone
  // would have there.
  template <typename Op, typename T = typename Op::Element>
  absl::StatusOr<Cursor<Op>> CursorAt(std::int64_t begin, const Told<T>& mine) {
    ASSIGN_OR_RETURN(const std::vector<Told<T>> all,
                     backend().team().AllGather(mine));
    // Stretches follow each other, and so do their nodes.
    std::vector<Node<T>> told;
    for (const Told<T>& of_rank : all) {
      told.insert(told.end(), of_rank.nodes, of_rank.nodes + of_rank.count);
    }
    Cursor<Op> cursor;
    for (const Node<T>& node : CutIntoNodes<T>(0, begin)) {
      cursor.Append(TotalFrom<Op>(told, node.first, node.level), node.level);
    }
    return cursor;
  }

  // Of the current call.
  Ranges stretches_;
  MovedInput input_;
  Array totals_;
};

const bool kRegistered = Registry<Scan>::Get().Add<ScanTeam>(
    "mpi", "fixed_order", /*rank=*/10,
    "two passes over each rank's stretch, its totals told to all",
    Contract()
        .InPlace()
        .SpecialValues("add, mul: IEEE 754 arithmetic in the order of the "
                       "definition; min, max: NaN from the first NaN on, -0.0 "
                       "< +0.0")
        .Boundaries({kBlock, 2 * kBlock, 3 * kBlock})
        .Boundaries({kPieceBytes, 2 * kPieceBytes, kFoldBytes, 2 * kFoldBytes},
                    {1, 4, 8})
        .Boundaries({kStreamingBytes / 8})
        .Notes("an input that is cut elsewhere than the output is moved first, "
               "to scratch memory of its size"));

}  // namespace
}  // namespace concord::scan
