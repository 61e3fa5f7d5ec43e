// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The vector part of the scan of one_pass.cc, compiled for each target of
// backends/tbb/simd.h.

#include "concord/backends/tbb/simd_fold.h"
#include "concord/backends/tbb/simd_vector.h"

namespace concord::scan {
namespace CONCORD_SIMD {
using namespace ::concord::CONCORD_SIMD;

// Hillis and Steele: after steps of 1, 2, 4, ... lanes, each lane has taken in
// all before it. Starts at kDistance.
template <int kDistance, typename T, typename Op>
inline Vector<T> ScanLanes(Vector<T> v) {
  if constexpr (kDistance < kLanes<T>) {
    const Vector<T> before =
        ShiftLanes<kDistance, T>(v, Broadcast(Op::Identity()));
    return ScanLanes<2 * kDistance, T, Op>(Apply(Op(), before, v));
  } else {
    return v;
  }
}

// One step of the same within groups of eight bytes, where a shift of 64-bit
// integers is far cheaper than a permutation of bytes.
template <int kDistance, typename T, typename Op>
inline Vector<T> StepInGroups(Vector<T> v) {
  using Groups = Vector<std::uint64_t>;
  constexpr int kBits = 8 * kDistance;
  const Groups identity = (Groups)Broadcast(Op::Identity()) >> (64 - kBits);
  const Groups before = (Groups)v << kBits | identity;
  return Apply(Op(), (Vector<T>)before, v);
}

// The inclusive scan of one vector.
template <typename T, typename Op>
inline Vector<T> ScanVector(Vector<T> v) {
  if constexpr (sizeof(T) > 1) {
    return ScanLanes<1, T, Op>(v);
  } else {
    v = StepInGroups<1, T, Op>(v);
    v = StepInGroups<2, T, Op>(v);
    v = StepInGroups<4, T, Op>(v);
    // What precedes each group, in all of its bytes.
    const Vector<T> totals = SplatLast<8, T>(v);
    const Vector<T> before = ScanLanes<8, T, Op>(
        ShiftLanes<8, T>(totals, Broadcast(Op::Identity())));
    return Apply(Op(), before, v);
  }
}

// The scan of one vector of elements that come after others which amount to
// `before`, which is moved on past it.
template <typename T, typename Op, bool kInclusive>
inline Vector<T> ScanNext(const T* in, Vector<T>& before) {
  const Vector<T> scanned = ScanVector<T, Op>(Load(in));
  const Vector<T> inclusive = Apply(Op(), before, scanned);
  const Vector<T> result =
      kInclusive ? inclusive : ShiftLanes<1, T>(inclusive, before);
  // Not the last lane of `inclusive`: this way only one operation of each
  // vector has to wait for the vector before.
  before = Apply(Op(), before, SplatLast<kLanes<T>, T>(scanned));
  return Canonical<T>(result);
}

// Scans n elements that come after others which amount to `carry`; returns
// what they amount to together. `out` may be `in`.
template <typename T, typename Op, bool kInclusive>
T ScanSpan(const T* in, T* out, std::int64_t n, T carry) {
  std::int64_t i = 0;
  // With 16 bytes the plain loop is as fast or faster (half the time for
  // 64-bit minima, a quarter for bytes); only 32-bit sums would gain.
  if constexpr (CONCORD_SIMD_BYTES > 16) {
    Vector<T> before = Broadcast(carry);
    for (; i + kLanes<T> <= n; i += kLanes<T>) {
      Store<T>(ScanNext<T, Op, kInclusive>(in + i, before), out + i);
    }
    carry = before[0];
  }
  for (; i < n; ++i) {
    const T next = Op()(carry, in[i]);
    out[i] = CanonicalNan(kInclusive ? next : carry);
    carry = next;
  }
  return carry;
}

// Past the caches (streaming.h), to memory that is aligned to vectors.
template <typename T>
inline void Stream(Vector<T> v, T* to) {
#if CONCORD_SIMD_BYTES == 64
  _mm512_stream_si512(reinterpret_cast<__m512i*>(to), (__m512i)v);
#elif CONCORD_SIMD_BYTES == 32
  _mm256_stream_si256(reinterpret_cast<__m256i*>(to), (__m256i)v);
#else
  Store<T>(v, to);
#endif
}

// As ScanSpan, with streaming stores. For every line that it writes, it asks
// for as much from `fetch` on, which will be read soon: memory is at its best
// when reading and writing go on at the same time.
template <typename T, typename Op, bool kInclusive>
T StreamSpan(const T* in, T* out, std::int64_t n, T carry, const T* fetch) {
  constexpr std::int64_t kLine = 64 / sizeof(T);
  const auto misaligned = static_cast<std::int64_t>(
      -reinterpret_cast<std::uintptr_t>(out) % 64 / sizeof(T));
  std::int64_t i = std::min(n, misaligned);
  carry = ScanSpan<T, Op, kInclusive>(in, out, i, carry);
  if constexpr (CONCORD_SIMD_BYTES > 16) {
    Vector<T> before = Broadcast(carry);
    for (; i + kLine <= n; i += kLine) {
      __builtin_prefetch(fetch + i);
      for (int j = 0; j < kLine; j += kLanes<T>) {
        Stream<T>(ScanNext<T, Op, kInclusive>(in + i + j, before), out + i + j);
      }
    }
    carry = before[0];
  } else {
    alignas(64) T line[kLine];
    for (; i + kLine <= n; i += kLine) {
      __builtin_prefetch(fetch + i);
      carry = ScanSpan<T, Op, kInclusive>(in + i, line, kLine, carry);
      StreamLine(out + i, line);
    }
  }
  return ScanSpan<T, Op, kInclusive>(in + i, out + i, n - i, carry);
}

// As ScanSpan, bit for bit, with streaming stores to an `out` that starts
// anywhere: StreamSpan puts other elements together into vectors where `out`
// does not start with a line, and sums of floats are rounded otherwise then.
template <typename T, typename Op, bool kInclusive>
T StreamBlocks(const T* in, T* out, std::int64_t n, T carry, const T* fetch) {
  constexpr std::int64_t kBlock = 4096 / sizeof(T);
  alignas(64) T block[kBlock];
  for (std::int64_t i = 0; i < n; i += kBlock) {
    const std::int64_t size = std::min(kBlock, n - i);
    carry = ScanSpan<T, Op, kInclusive>(in + i, block, size, carry);
    StreamTo(out + i, block, size * std::int64_t{sizeof(T)}, fetch + i);
  }
  return carry;
}

}  // namespace CONCORD_SIMD
}  // namespace concord::scan
