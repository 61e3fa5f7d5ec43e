// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// The vector part of vectorized.cc, compiled for each target of
// backends/tbb/simd.h: plain loops, which the compiler turns into vectors.

namespace concord::transform {
namespace CONCORD_SIMD {
using namespace ::concord::CONCORD_SIMD;

template <typename Op>
void TransformLoop(Op op, const typename Op::In* in, typename Op::Out* out,
                   std::int64_t n) {
  // The output is the input or far from it: no element is needed after it has
  // been overwritten.
#if defined(__clang__)
#pragma clang loop vectorize(assume_safety)
#else
#pragma GCC ivdep
#endif
  for (std::int64_t i = 0; i < n; ++i) out[i] = op(in[i]);
}

// The same past the caches: each block is made in the first-level cache.
template <typename Op>
void TransformStreaming(Op op, const typename Op::In* in, typename Op::Out* out,
                        std::int64_t n) {
  using Out = typename Op::Out;
  constexpr std::int64_t kBlock = kStreamingBlockBytes / sizeof(Out);
  alignas(64) Out block[kBlock];
  // From a cache line on, so that no block ends within one.
  const auto past_line = reinterpret_cast<std::uintptr_t>(out) % 64;
  std::int64_t i = std::min<std::int64_t>(
      n, static_cast<std::int64_t>((64 - past_line) % 64 / sizeof(Out)));
  TransformLoop(op, in, out, i);
  for (; i + kBlock <= n; i += kBlock) {
    TransformLoop(op, in + i, block, kBlock);
    const bool last = i + 2 * kBlock > n;
    StreamTo(out + i, block, sizeof(block), last ? nullptr : in + i + kBlock);
  }
  TransformLoop(op, in + i, out + i, n - i);
  FinishStreaming();
}

}  // namespace CONCORD_SIMD
}  // namespace concord::transform
