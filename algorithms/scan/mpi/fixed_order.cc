// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Two passes over each rank's stretch: what its blocks amount to, and, once
// every rank has told the others, the scan itself.
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
#include "concord/algorithms/reduce/reduce.h"
#include "concord/algorithms/scan/mpi/nodes.h"
#include "concord/algorithms/scan/scan.h"
#include "concord/algorithms/scan/scan_fixed_order.h"
#include "concord/backends/mpi/moved_input.h"
#include "concord/backends/mpi/team_backend.h"
#include "concord/core/errors.h"
#include "concord/core/registry.h"

namespace concord::scan {
namespace {

// Elements of a block, which fit into a first-level cache. A power of two, so
// that they are a node.
constexpr int kBlockLevel = 12;
constexpr std::int64_t kBlock = std::int64_t{1} << kBlockLevel;

Reduce::Op ReduceOpOf(Scan::Op op) {
  switch (op) {
    case Scan::Op::kMul:
      return Reduce::Op::kMul;
    case Scan::Op::kMin:
      return Reduce::Op::kMin;
    case Scan::Op::kMax:
      return Reduce::Op::kMax;
    case Scan::Op::kAdd:
      break;
  }
  return Reduce::Op::kAdd;
}

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
        return ScanBlocks<Op>(values, OnHost(out, mine), options);
      }
    });
  }

 private:
  // Whatever can fail on one rank alone.
  absl::Status Prepare(ConstArrayView in, ArrayView out) {
    ASSIGN_OR_RETURN(stretches_, backend().Stretches(out));
    RETURN_IF_ERROR(scans_.Make(backend()));
    RETURN_IF_ERROR(sums_.Make(backend()));
    RETURN_IF_ERROR(input_.Prepare(backend(), in, stretches_));
    // Blocks that begin with the stretch, or at multiples of their size: one
    // may be cut by either end of it.
    const std::int64_t size = backend().Mine(stretches_).size();
    ASSIGN_OR_RETURN(totals_,
                     backend().local()->Allocate(in.type(), size / kBlock + 2));
    return absl::OkStatus();
  }

  // Calls f(w, b) for the blocks 0 <= b < count, by all workers, each of which
  // has blocks that follow each other. The first failure.
  template <typename F>
  absl::Status ForEachBlock(std::int64_t count, const F& f) {
    const int workers = backend().workers();
    std::vector<absl::Status> statuses(static_cast<std::size_t>(workers));
    backend().ForEachWorker([&](int w) {
      for (std::int64_t b = count * w / workers; b < count * (w + 1) / workers;
           ++b) {
        statuses[static_cast<std::size_t>(w)].Update(f(w, b));
      }
    });
    absl::Status status;
    for (const absl::Status& of_worker : statuses) status.Update(of_worker);
    return status;
  }

  // --- Any order ---

  template <typename Op, typename T = typename Op::Element>
  absl::Status ScanBlocks(ConstArrayView in, ArrayView out,
                          const Options& options) {
    const std::int64_t n = in.size();
    const std::int64_t blocks = (n + kBlock - 1) / kBlock;
    const auto size = [n](std::int64_t b) {
      return std::min(kBlock, n - b * kBlock);
    };
    Reduce::Options sum;
    sum.op = ReduceOpOf(options.op);
    absl::Status status = ForEachBlock(blocks, [&](int w, std::int64_t b) {
      return sums_[w].Run(in.Slice(b * kBlock, size(b)),
                          totals_.view().Slice(b, 1), sum);
    });
    RETURN_IF_ERROR(backend().team().Agree(status));
    // Each total becomes what precedes its block in the stretch.
    T total = Op::Empty();
    for (std::int64_t b = 0; b < blocks; ++b) {
      const T of_block = std::exchange(totals_.data<T>()[b], total);
      total = Op()(total, of_block);
    }
    ASSIGN_OR_RETURN(const std::vector<T> all,
                     backend().team().AllGather(total));
    T carry = Op::Empty();
    for (int r = 0; r < backend().team().rank(); ++r) {
      carry = Op()(carry, all[static_cast<std::size_t>(r)]);
    }
    return ForEachBlock(blocks, [&](int w, std::int64_t b) {
      const ArrayView result = out.Slice(b * kBlock, size(b));
      absl::Status scanned =
          scans_[w].Run(in.Slice(b * kBlock, size(b)), result, options);
      const T before = Op()(carry, totals_.data<T>()[b]);
      for (T& value : result.span<T>()) {
        value = CanonicalNan(Op()(before, value));
      }
      return scanned;
    });
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
    RETURN_IF_ERROR(ForEachBlock(blocks, [&](int, std::int64_t b) {
      totals[b] = TotalOf<Op>(
          absl::MakeConstSpan(x + (first_block + b) * kBlock - begin, kBlock));
      return absl::OkStatus();
    }));
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
    return ForEachBlock(pieces, [&](int, std::int64_t b) {
      NodeCounter<Op> counter(totals[b]);
      const std::int64_t first = head + b * kBlock;
      const std::int64_t last = std::min(first + kBlock, end);
      for (std::int64_t place = first; place < last; ++place) {
        counter.Append(put(place, counter.prefix()));
      }
      return absl::OkStatus();
    });
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
  // From call to call.
  OfWorkers<Scan> scans_;
  OfWorkers<Reduce> sums_;
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
        .Notes("an input that is cut elsewhere than the output is moved first, "
               "to scratch memory of its size"));

}  // namespace
}  // namespace concord::scan
