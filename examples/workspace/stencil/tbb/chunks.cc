// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstdint>

#include "concord/backends/tbb/tbb_backend.h"
#include "concord/core/registry.h"
#include "stencil/stencil.h"

namespace example {
namespace {

// What a thread takes at a time.
constexpr std::int64_t kChunk = 16'384;

// Chunks on all threads. The neighbours move along in registers, and each
// element is read once.
class StencilTbb : public concord::OnTbb<Stencil> {
 public:
  absl::Status Compute(concord::ConstArrayView in, concord::ArrayView out,
                       const Options& options) override {
    concord::Dispatch(in.type(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      const std::int64_t chunks = (in.size() + kChunk - 1) / kChunk;
      backend().ForEach(chunks, [&](std::int64_t chunk) {
        const std::int64_t first = chunk * kChunk;
        Slide(in.data<T>(), out.data<T>(), first,
              std::min(first + kChunk, in.size()), in.size(), options);
      });
    });
    return absl::OkStatus();
  }

 private:
  template <typename T>
  static void Slide(const T* in, T* out, std::int64_t first, std::int64_t last,
                    std::int64_t n, const Options& options) {
    const auto left = static_cast<std::uint64_t>(options.left);
    const auto centre = static_cast<std::uint64_t>(options.centre);
    const auto right = static_cast<std::uint64_t>(options.right);
    const auto element = [&](std::int64_t i) {
      return static_cast<std::uint64_t>(in[i]);
    };
    std::uint64_t before = first == 0 ? 0 : element(first - 1);
    std::uint64_t here = element(first);
    for (std::int64_t i = first; i < last; ++i) {
      const std::uint64_t behind = i + 1 < n ? element(i + 1) : 0;
      out[i] = static_cast<T>(left * before + centre * here + right * behind);
      before = here;
      here = behind;
    }
  }
};

const bool kRegistered = concord::Registry<Stencil>::Get().Add<StencilTbb>(
    "tbb", "chunks", /*rank=*/10, "chunks on all threads",
    concord::Contract().Boundaries({kChunk}));

}  // namespace
}  // namespace example
