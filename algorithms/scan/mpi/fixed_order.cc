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
// rank suffices; a GPU takes the way of nodes there, too.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "concord/algorithms/scan/mpi/blocks.h"
#include "concord/algorithms/scan/mpi/nodes.h"
#include "concord/algorithms/scan/scan.h"
#include "concord/algorithms/scan/scan_fixed_order.h"
#include "concord/backends/mpi/moved_input.h"
#include "concord/backends/mpi/team_backend.h"
#include "concord/backends/tbb/simd.h"
#include "concord/backends/tbb/streaming.h"
#include "concord/core/errors.h"
#include "concord/core/host_array.h"
#include "concord/core/operators.h"
#include "concord/core/registry.h"

// A scan that goes on after what is before it, which implementations of `Scan`
// cannot be told.
#define CONCORD_SIMD_FILE "concord/algorithms/scan/tbb/kernel.h"
#include "concord/backends/tbb/simd_for_each.h"

namespace concord::scan {
namespace {

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

// The blocks of a stretch in host memory, by the workers of the rank.
class BlocksOfWorkers : public Blocks {
 public:
  explicit BlocksOfWorkers(TeamBackend& backend) : backend_(backend) {}

  absl::Status Total(ConstArrayView in, Scan::Op op,
                     ArrayView totals) override {
    DispatchScan(op, in.type(), [&](auto any_op) {
      using Op = decltype(any_op);
      using T = typename Op::Element;
      ForEachBlock(totals.size(), [&](std::int64_t b) {
        totals.data<T>()[b] =
            TotalOf<Op>(absl::MakeConstSpan(in.data<T>() + b * kBlock, kBlock));
      });
    });
    return absl::OkStatus();
  }

  absl::Status Run(ConstArrayView in, ConstArrayView before, ArrayView out,
                   const Scan::Options& options) override {
    DispatchScan(options.op, in.type(), [&](auto any_op) {
      using Op = decltype(any_op);
      using T = typename Op::Element;
      const T* const x = in.data<T>();
      T* const y = out.data<T>();
      ForEachBlock(before.size(), [&](std::int64_t b) {
        NodeCounter<Op> counter(before.data<T>()[b]);
        const std::int64_t last = std::min((b + 1) * kBlock, in.size());
        for (std::int64_t i = b * kBlock; i < last; ++i) {
          counter.Append(Put<Op>(x[i], counter.prefix(), options.kind, y[i]));
        }
      });
    });
    return absl::OkStatus();
  }

  // Writes the result of an element, which it returns.
  template <typename Op, typename T = typename Op::Element>
  static T Put(T element, T before, Scan::Kind kind, T& result) {
    result = CanonicalNan(kind == Scan::Kind::kInclusive ? Op()(before, element)
                                                         : before);
    return element;
  }

 private:
  // By all workers, each of which has blocks that follow each other.
  template <typename F>
  void ForEachBlock(std::int64_t count, const F& f) {
    backend_.ForEachWorker([&](int w) {
      const Range share = ShareOf({0, count}, w, backend_.workers());
      for (std::int64_t b = share.first; b < share.last; ++b) f(b);
    });
  }

  TeamBackend& backend_;
};

// What fits into no block, at either end of a stretch, on the host.
struct Ends {
  static constexpr std::int64_t kBytes = kBlock * 8;

  alignas(8) char head[kBytes];
  alignas(8) char tail[kBytes];
};

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
      const ArrayView results = backend().Here(out, mine);
      if constexpr (!kScanOrderMatters<Op>) {
        if (backend().local()->memory().is_host()) {
          return ScanPieces<Op>(values, results, in.bytes(), options.kind);
        }
      }
      return ScanNodes<Op>(values, results, mine.first, options);
    });
  }

 private:
  // Whatever can fail on one rank alone.
  absl::Status Prepare(ConstArrayView in, ArrayView out) {
    ASSIGN_OR_RETURN(stretches_, backend().Stretches(out));
    RETURN_IF_ERROR(input_.Prepare(backend(), in, stretches_));
    if (blocks_ == nullptr) {
      if (backend().local()->info().name == "cuda") {
        ASSIGN_OR_RETURN(blocks_,
                         Registry<Blocks>::Get().Create(backend().local()));
      } else {
        blocks_ = std::make_unique<BlocksOfWorkers>(backend());
      }
    }
    // Blocks at multiples of their size, of which one may be cut by either end
    // of the stretch; or the shares of workers.
    const std::int64_t blocks = backend().Mine(stretches_).size() / kBlock + 2;
    const std::int64_t totals =
        std::max<std::int64_t>(blocks, backend().workers());
    ASSIGN_OR_RETURN(totals_, backend().local()->Allocate(in.type(), totals));
    ASSIGN_OR_RETURN(host_totals_, HostArray::Make(in.type(), {totals}));
    return absl::OkStatus();
  }

  // --- Any order ---

  template <typename Op, typename T = typename Op::Element>
  absl::Status ScanPieces(ConstArrayView in, ArrayView out, std::int64_t bytes,
                          Kind kind) {
    const T* const x = in.data<T>();
    T* const y = out.data<T>();
    T* const totals = host_totals_.data<T>();
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

  // Of `in`, which begins at `begin` in the whole array.
  template <typename Op, typename T = typename Op::Element>
  absl::Status ScanNodes(ConstArrayView in, ArrayView out, std::int64_t begin,
                         const Options& options) {
    const std::int64_t end = begin + in.size();
    // Whole blocks of the array that lie in the stretch, and what is before.
    const std::int64_t first_block = (begin + kBlock - 1) / kBlock;
    const std::int64_t blocks =
        std::max<std::int64_t>(end / kBlock - first_block, 0);
    const std::int64_t head = std::min(first_block * kBlock, end) - begin;
    const std::int64_t body = blocks * kBlock;
    const std::int64_t tail = in.size() - head - body;
    RETURN_IF_ERROR(backend().team().Agree(
        TotalBlocks(in, options.op, head, blocks, tail)));
    T* const totals = host_totals_.data<T>();
    ASSIGN_OR_RETURN(Cursor<Op> cursor,
                     (CursorAt<Op>(begin, CutOf<Op>(begin, end, first_block))));

    T* const first = reinterpret_cast<T*>(ends_.head);
    for (std::int64_t i = 0; i < head; ++i) {
      const T before = cursor.prefix();
      cursor.Append(
          BlocksOfWorkers::Put<Op>(first[i], before, options.kind, first[i]),
          0);
    }
    // Each total becomes what precedes its block in the array.
    const std::int64_t pieces = blocks + (tail > 0 ? 1 : 0);
    for (std::int64_t b = 0; b < pieces; ++b) {
      const T before = cursor.prefix();
      if (b < blocks) cursor.Append(totals[b], kBlockLevel);
      totals[b] = before;
    }
    Backend& local = *backend().local();
    const ArrayView before = totals_.view().Slice(0, pieces);
    RETURN_IF_ERROR(local.Copy(host_totals_.view().Slice(0, pieces), before));
    RETURN_IF_ERROR(local.Copy(ConstArrayView(first, head, Memory::Host()),
                               out.Slice(0, head)));
    return blocks_->Run(in.Slice(head, body + tail), before,
                        out.Slice(head, body + tail), options);
  }

  // The totals of whole blocks, and the elements on either side, to the host.
  absl::Status TotalBlocks(ConstArrayView in, Op op, std::int64_t head,
                           std::int64_t blocks, std::int64_t tail) {
    Backend& local = *backend().local();
    const ArrayView totals = totals_.view().Slice(0, blocks);
    RETURN_IF_ERROR(
        blocks_->Total(in.Slice(head, blocks * kBlock), op, totals));
    RETURN_IF_ERROR(local.Copy(totals, host_totals_.view().Slice(0, blocks)));
    RETURN_IF_ERROR(
        local.Copy(in.Slice(0, head),
                   ArrayView(ends_.head, in.type(), head, Memory::Host())));
    return local.Copy(in.Slice(in.size() - tail, tail),
                      ArrayView(ends_.tail, in.type(), tail, Memory::Host()));
  }

  // The nodes of the stretch [begin, end), with their totals: out of elements
  // at its ends, or of the totals of its blocks.
  template <typename Op, typename T = typename Op::Element>
  Told<T> CutOf(std::int64_t begin, std::int64_t end,
                std::int64_t first_block) const {
    const auto* const head = reinterpret_cast<const T*>(ends_.head);
    const auto* const tail = reinterpret_cast<const T*>(ends_.tail);
    const std::int64_t body_end = std::max(end / kBlock, first_block) * kBlock;
    const auto totals = host_totals_.span<T>();
    Told<T> told = {};
    for (Node<T> node : CutIntoNodes<T>(begin, end - begin)) {
      if (node.level < kBlockLevel) {
        const T* const elements = node.first < first_block * kBlock
                                      ? head + (node.first - begin)
                                      : tail + (node.first - body_end);
        node.total = TotalOf<Op>(
            absl::MakeConstSpan(elements, std::size_t{1} << node.level));
      } else {
        node.total = TotalOf<Op>(absl::MakeConstSpan(
            totals.data() + node.first / kBlock - first_block,
            std::size_t{1} << (node.level - kBlockLevel)));
      }
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
  HostArray host_totals_;
  Ends ends_;
  // From call to call.
  std::unique_ptr<Blocks> blocks_;
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
