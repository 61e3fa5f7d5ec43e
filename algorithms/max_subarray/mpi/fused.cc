// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The tree of max_subarray.h over the stretches of all ranks. A leaf belongs to
// the rank that has its first element; what others have of it is sent there.
// Each rank goes through its leaves as tbb/fused does, and tells the others
// what the largest nodes of the tree that are its own amount to, at most two of
// a size. Of these everybody makes the whole tree, so no bit depends on how
// many ranks there are or where stretches end.

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "absl/strings/str_cat.h"
#include "concord/algorithms/max_subarray/max_subarray.h"
#include "concord/algorithms/max_subarray/max_subarray_summary.h"
#include "concord/algorithms/max_subarray/tbb/leaves.h"
#include "concord/backends/mpi/chunk_shares.h"
#include "concord/backends/mpi/nodes.h"
#include "concord/backends/mpi/spread_results.h"
#include "concord/backends/mpi/team_backend.h"
#include "concord/backends/tbb/simd.h"
#include "concord/core/errors.h"
#include "concord/core/registry.h"

#define CONCORD_SIMD_FILE "concord/algorithms/max_subarray/tbb/kernel.h"
#include "concord/backends/tbb/simd_for_each.h"

namespace concord::max_subarray {
namespace {

template <typename T>
using LeafNode = Node<LeafSummary<T>>;

// Makes one node of neighbours as long as there are any.
template <typename S>
void AppendNode(std::vector<Node<S>>& nodes, Node<S> node) {
  while (!nodes.empty() && nodes.back().level == node.level &&
         (nodes.back().first >> node.level) % 2 == 0) {
    const Node<S>& left = nodes.back();
    node = {left.first, node.level + 1, Combine(left.total, node.total)};
    nodes.pop_back();
  }
  nodes.push_back(node);
}

// What is at hand of a rank's leaves.
template <typename T>
struct Leaves {
  const T* stretch;
  Range elements;  // of the stretch
  const T* border;
  std::int64_t border_leaf;  // lies at `border`; -1: none does
  std::int64_t n;            // elements of the array

  LeafSummary<T> ByElements(std::int64_t leaf) const {
    constexpr std::int64_t kLeaf = kLeafElements<T>;
    const std::int64_t first = leaf * kLeaf;
    const T* const in =
        leaf == border_leaf ? border : stretch + (first - elements.first);
    return Moved<T>(SummaryOfLeaf<SumOf<T>>(in, 0, std::min(kLeaf, n - first)),
                    first);
  }

  // By leaves, of `count` of them, the border's not among them.
  LeafSummary<T> Summarize(std::int64_t leaf, std::int64_t count) const {
    const std::int64_t first = leaf * kLeafElements<T>;
    const LeafSummary<T> summary = CONCORD_SIMD_CHOOSE(
        SummarizeRange<T, kLeafElements<T>>)(stretch + (first - elements.first),
                                             elements.last - first, 0, count);
    return Moved<T>(summary, leaf);
  }

  // The same summary with places by elements.
  LeafSummary<T> Located(LeafSummary<T> summary) const {
    summary = LocateBest<T>(
        summary, [&](std::int64_t leaf) { return ByElements(leaf); });
    summary.prefix_end = ByElements(summary.prefix_end).prefix_end;
    summary.suffix_begin = ByElements(summary.suffix_begin).suffix_begin;
    return summary;
  }
};

class MaxSubarrayTeam : public OnTeam<MaxSubarray> {
 public:
  absl::Status Compute(ConstArrayView in, ArrayView sum, ArrayView run,
                       const Options&) override {
    return Dispatch(in.type(), [&](auto tag) {
      return ComputeFor<typename decltype(tag)::type>(in, sum, run);
    });
  }

 private:
  template <typename T>
  absl::Status ComputeFor(ConstArrayView in, ArrayView sum, ArrayView run) {
    const absl::Status prepared = Prepare<T>(in);
    RETURN_IF_ERROR(backend().team().AgreeOn(
        absl::StrCat("max_subarray of ", in.size(), " ", Name(in.type())),
        prepared));
    SumOf<T> best;
    std::int64_t bounds[2];
    if (in.empty()) {
      StoreEmptyResult(&best, bounds);
    } else {
      RETURN_IF_ERROR(FetchBorder<T>(in));
      SummarizeOwn<T>(in);
      RETURN_IF_ERROR(TellNodes<T>());
      StoreResult(Root<T>(), in.size(), &best, bounds);
    }
    RETURN_IF_ERROR(
        backend().Copy(ConstArrayView(&best, 1, Memory::Host()), sum));
    return backend().Copy(ConstArrayView(bounds, 2, Memory::Host()), run);
  }

  // Whatever can fail on one rank alone.
  template <typename T>
  absl::Status Prepare(ConstArrayView in) {
    ASSIGN_OR_RETURN(stretches_, backend().Stretches(in));
    shares_ = ShareChunks(stretches_, in.size(), kLeafElements<T>);
    std::vector<std::int64_t> nodes;
    for (const Range& leaves : shares_.chunks) {
      nodes.push_back(static_cast<std::int64_t>(
          CutIntoNodes<LeafSummary<T>>(leaves.first, leaves.size()).size()));
    }
    nodes_ = InOrder(nodes);
    constexpr std::int64_t kBytes = sizeof(LeafSummary<T>);
    Backend& local = *backend().local();
    ASSIGN_OR_RETURN(own_, local.Allocate(ElementType::kUInt8,
                                          Mine(nodes_).size() * kBytes));
    ASSIGN_OR_RETURN(told_, local.Allocate(ElementType::kUInt8,
                                           nodes_.back().last * kBytes));
    ASSIGN_OR_RETURN(border_, local.Allocate(in.type(), kLeafElements<T>));
    return absl::OkStatus();
  }

  // The last leaf is put together in one place if it is in several.
  template <typename T>
  absl::Status FetchBorder(ConstArrayView in) {
    const Range mine = Mine(stretches_);
    const Range tail = Mine(shares_.tails);
    T* rest = border_.data<T>();
    if (!tail.empty()) {
      const std::int64_t first =
          (Mine(shares_.chunks).last - 1) * kLeafElements<T>;
      std::memcpy(rest, OnHost(in, {first, mine.last}).data(),
                  static_cast<std::size_t>(mine.last - first) * sizeof(T));
      rest += mine.last - first;
    }
    return Redistribute(backend().team(), stretches_, OnHost(in, mine).data(),
                        shares_.tails, rest, sizeof(T));
  }

  template <typename T>
  void SummarizeOwn(ConstArrayView in) {
    constexpr std::int64_t kChunkLeaves =
        kChunkBytes / (kLeafElements<T> * std::int64_t{sizeof(T)});
    const Range mine = Mine(stretches_);
    const Range own = Mine(shares_.chunks);
    const bool has_border = !Mine(shares_.tails).empty();
    const Leaves<T> leaves = {OnHost(in, mine).template data<T>(), mine,
                              border_.data<T>(), has_border ? own.last - 1 : -1,
                              in.size()};
    // Nodes no larger than a chunk, for the workers.
    std::vector<LeafNode<T>> pieces;
    const std::int64_t last = own.last - (has_border ? 1 : 0);
    for (std::int64_t first = own.first; first < last;) {
      const std::int64_t end =
          std::min(last, (first / kChunkLeaves + 1) * kChunkLeaves);
      for (const LeafNode<T>& node :
           CutIntoNodes<LeafSummary<T>>(first, end - first)) {
        pieces.push_back(node);
      }
      first = end;
    }
    const auto count = static_cast<std::int64_t>(pieces.size());
    backend().ForEachWorker([&](int w) {
      const Range share = ShareOf({0, count}, w, backend().workers());
      for (std::int64_t p = share.first; p < share.last; ++p) {
        LeafNode<T>& piece = pieces[static_cast<std::size_t>(p)];
        piece.total =
            leaves.Summarize(piece.first, std::int64_t{1} << piece.level);
      }
    });
    std::vector<LeafNode<T>> nodes;
    for (const LeafNode<T>& piece : pieces) AppendNode(nodes, piece);
    if (has_border) {
      const std::int64_t leaf = leaves.border_leaf;
      AppendNode(nodes,
                 {leaf, 0,
                  SummaryOfWholeLeaf(leaves.border,
                                     std::min<std::int64_t>(
                                         kLeafElements<T>,
                                         in.size() - leaf * kLeafElements<T>),
                                     leaf)});
    }
    auto* out = reinterpret_cast<LeafSummary<T>*>(own_.data<std::uint8_t>());
    for (const LeafNode<T>& node : nodes) *out++ = leaves.Located(node.total);
  }

  template <typename T>
  absl::Status TellNodes() {
    return Redistribute(backend().team(), nodes_, own_.view().data(),
                        AllOf(nodes_.back().last, backend().team().size()),
                        told_.view().data(), sizeof(LeafSummary<T>));
  }

  // Of the whole array.
  template <typename T>
  LeafSummary<T> Root() const {
    const auto* told =
        reinterpret_cast<const LeafSummary<T>*>(told_.data<std::uint8_t>());
    std::vector<LeafNode<T>> nodes;
    for (const Range& leaves : shares_.chunks) {
      for (LeafNode<T> node :
           CutIntoNodes<LeafSummary<T>>(leaves.first, leaves.size())) {
        node.total = *told++;
        AppendNode(nodes, node);
      }
    }
    // What has no neighbour goes up as it is.
    LeafSummary<T> root = nodes.back().total;
    for (auto node = nodes.rbegin() + 1; node != nodes.rend(); ++node) {
      root = Combine(node->total, root);
    }
    return root;
  }

  Range Mine(const Ranges& ranges) const { return backend().Mine(ranges); }

  // Of the current call.
  Ranges stretches_;
  ChunkShares shares_;  // of leaves
  Ranges nodes_;        // of the ranks, in order
  Array own_;
  Array told_;
  Array border_;
};

const bool kRegistered = Registry<MaxSubarray>::Get().Add<MaxSubarrayTeam>(
    "mpi", "fused", /*rank=*/10,
    "each rank its leaves; the largest nodes of the tree told to all",
    Contract()
        .SpecialValues("a NaN, or infinities of both signs: NaN, and the run "
                       "is the whole input")
        .Boundaries({2 * kChunkBytes, 3 * kChunkBytes})
        .Boundaries({2 * kChunkBytes, 3 * kChunkBytes}, {4, 8})
        .Notes("with 64-bit integers the sum of every run has to fit 64 bits"),
    RanksOnCpus());

}  // namespace
}  // namespace concord::max_subarray
