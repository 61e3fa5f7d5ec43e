// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Vectors over elements, threads over blocks of them. Large outputs are written
// with streaming stores, which spare the reading of what they overwrite.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>

#include "concord/algorithms/transform/transform.h"
#include "concord/algorithms/transform/transform_operators.h"
#include "concord/backends/tbb/simd.h"
#include "concord/backends/tbb/streaming.h"
#include "concord/backends/tbb/tbb_backend.h"
#include "concord/core/registry.h"

namespace concord::transform {
namespace {

// What is made in the first-level cache before it is streamed out.
constexpr std::int64_t kStreamingBlockBytes = 8 << 10;

// Fewer bytes of input and output together are left to the calling thread:
// waking another takes longer than they do.
constexpr std::int64_t kParallelBytes = 512 << 10;

// What a thread takes at a time, of the larger of input and output.
constexpr std::int64_t kThreadBytes = 256 << 10;

}  // namespace
}  // namespace concord::transform

#define CONCORD_SIMD_FILE "concord/algorithms/transform/tbb/kernel.h"
#include "concord/backends/tbb/simd_for_each.h"

namespace concord::transform {
namespace {

template <typename Op>
void TransformArray(TbbBackend& backend, Op op, ConstArrayView in_view,
                    ArrayView out_view) {
  const auto* in = static_cast<const typename Op::In*>(in_view.data());
  auto* out = static_cast<typename Op::Out*>(out_view.data());
  const std::int64_t n = in_view.size();
  // In place the lines to be overwritten are in the cache already.
  const bool stream =
      out_view.bytes() >= kStreamingBytes && in_view.data() != out_view.data();
  const auto transform = stream ? CONCORD_SIMD_CHOOSE(TransformStreaming<Op>)
                                : CONCORD_SIMD_CHOOSE(TransformLoop<Op>);
  if (in_view.bytes() + out_view.bytes() < kParallelBytes) {
    transform(op, in, out, n);
    return;
  }
  constexpr std::int64_t kGrain =
      kThreadBytes / std::max(sizeof(*in), sizeof(*out));
  backend.ForEachRange(n, kGrain, [&](std::int64_t first, std::int64_t last) {
    transform(op, in + first, out + first, last - first);
  });
}

class TransformTbb : public OnTbb<Transform> {
 public:
  absl::Status Compute(ConstArrayView in, ArrayView out,
                       const Options& options) override {
    DispatchTransform(in.type(), options,
                      [&](auto op) { TransformArray(backend(), op, in, out); });
    return absl::OkStatus();
  }
};

const bool kRegistered = Registry<Transform>::Get().Add<TransformTbb>(
    "tbb", "vectorized", /*rank=*/10,
    "vectors over elements, threads over blocks, streaming stores",
    Contract()
        .InPlace()
        .SpecialValues(
            "IEEE 754; casts to integers saturate, NaN becomes 0; a NaN result "
            "is the quiet NaN, but abs only clears the sign bit")
        // Of input and output together 2, 5, 8, 9, 12 and 16 bytes for each
        // element.
        .Boundaries({kParallelBytes}, {2, 5, 8, 9, 12, 16})
        // Where streaming starts, and its blocks.
        .Boundaries({kStreamingBytes / 8})
        .Boundaries({kStreamingBlockBytes}, {1, 4, 8}));

}  // namespace
}  // namespace concord::transform
