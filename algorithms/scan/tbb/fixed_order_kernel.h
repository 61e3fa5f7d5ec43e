// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The vector part of fixed_order.cc, compiled for each target of
// backends/tbb/simd.h. The order of scan.h does not know how long vectors are:
// the nodes inside a vector, those of several and those of blocks follow the
// same rule.

#include "concord/backends/tbb/simd_vector.h"

namespace concord::scan {
namespace CONCORD_SIMD {
using namespace ::concord::CONCORD_SIMD;

// Lane i gets lane i ^ kDistance: each half of a node what the other has.
template <int kDistance, typename T, std::size_t... kLane>
inline Vector<T> SwapHalves(Vector<T> v, std::index_sequence<kLane...>) {
  return __builtin_shufflevector(v, v, (kLane ^ kDistance)...);
}
template <int kDistance, typename T>
inline Vector<T> SwapHalves(Vector<T> v) {
  return SwapHalves<kDistance, T>(v, std::make_index_sequence<kLanes<T>>());
}

// The lanes of `first` where bit kDistance of the lane is 0, otherwise those of
// `second`.
template <int kDistance, typename T, std::size_t... kLane>
inline Vector<T> JoinHalves(Vector<T> first, Vector<T> second,
                            std::index_sequence<kLane...>) {
  return __builtin_shufflevector(
      first, second, ((kLane & kDistance) != 0 ? kLanes<T> + kLane : kLane)...);
}

// Every other lane of `a` and `b` together, from lane kFirst on.
template <int kFirst, typename T, std::size_t... kLane>
inline Vector<T> EveryOther(Vector<T> a, Vector<T> b,
                            std::index_sequence<kLane...>) {
  return __builtin_shufflevector(a, b, (2 * kLane + kFirst)...);
}

// Upsweep and downsweep inside of a vector whose lanes hold, in each node of
// kSize lanes, the total of that node: returns the exclusive scan after
// `prefix`, and sets `total` to that of the vector, both in all lanes.
template <int kSize, typename T, typename Op>
inline Vector<T> SweepLanes(Vector<T> totals, Vector<T> prefix,
                            Vector<T>& total) {
  if constexpr (kSize == kLanes<T>) {
    total = totals;
    return prefix;
  } else {
    const Vector<T> others = SwapHalves<kSize, T>(totals);
    const Vector<T> before = SweepLanes<2 * kSize, T, Op>(
        Apply(Op(), totals, others), prefix, total);
    return JoinHalves<kSize, T>(before, Apply(Op(), before, others),
                                std::make_index_sequence<kLanes<T>>());
  }
}

// The totals of kLanes nodes of kVectors elements each, one after the other.
template <int kVectors, typename T, typename Op>
inline Vector<T> NodeTotals(const T* x) {
  if constexpr (kVectors == 1) {
    return Load(x);
  } else {
    constexpr auto kEach = std::make_index_sequence<kLanes<T>>();
    const Vector<T> a = NodeTotals<kVectors / 2, T, Op>(x);
    const Vector<T> b =
        NodeTotals<kVectors / 2, T, Op>(x + kVectors / 2 * kLanes<T>);
    return Apply(Op(), EveryOther<0, T>(a, b, kEach),
                 EveryOther<1, T>(a, b, kEach));
  }
}

template <typename T>
inline constexpr int kVectorsOfBlock = kFixedOrderBlock<T> / kLanes<T>;

// The total of a whole block.
template <typename T, typename Op>
T BlockTotal(const T* x) {
  Vector<T> total;
  SweepLanes<1, T, Op>(NodeTotals<kVectorsOfBlock<T>, T, Op>(x), Vector<T>{},
                       total);
  return total[0];
}

// Scans the n elements of a block, which may be a part of one only at the end
// of the array, after `prefix`. Returns the total of a whole block. `out` may
// be `in`.
template <typename T, typename Op, bool kInclusive>
T ScanBlock(const T* in, T* out, std::int64_t n, T prefix) {
  // As NodeCounter, with vectors of equal lanes.
  Vector<T> totals[16];
  Vector<T> befores[16];
  Vector<T> before = Broadcast(prefix);
  int count = 0;
  for (; (count + 1) * kLanes<T> <= n; ++count) {
    Vector<T> total;
    const Vector<T> x = Load(in + count * kLanes<T>);
    const Vector<T> scanned = SweepLanes<1, T, Op>(x, before, total);
    const Vector<T> result = kInclusive ? Apply(Op(), scanned, x) : scanned;
    Store<T>(Canonical<T>(result), out + count * kLanes<T>);
    Vector<T> before_node = before;
    int level = 0;
    for (; (count >> level & 1) != 0; ++level) {
      total = Apply(Op(), totals[level], total);
      before_node = befores[level];
    }
    totals[level] = total;
    befores[level] = before_node;
    before = Apply(Op(), before_node, total);
  }
  if (count == kVectorsOfBlock<T>) {
    int level = 0;
    while (2 << level <= kVectorsOfBlock<T>) ++level;
    return totals[level][0];
  }
  // What is left does not fill a vector.
  T lanes[kLanes<T>];
  const std::int64_t first = count * kLanes<T>;
  for (int i = 0; i < kLanes<T>; ++i) {
    lanes[i] = first + i < n ? in[first + i] : Op::Identity();
  }
  Vector<T> total;
  const Vector<T> scanned = SweepLanes<1, T, Op>(Load(lanes), before, total);
  for (int i = 0; first + i < n; ++i) {
    out[first + i] =
        CanonicalNan(kInclusive ? Op()(scanned[i], lanes[i]) : scanned[i]);
  }
  return T{};
}

}  // namespace CONCORD_SIMD
}  // namespace concord::scan
