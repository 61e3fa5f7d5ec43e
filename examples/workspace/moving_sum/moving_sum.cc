// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "moving_sum/moving_sum.h"

#include "concord/backends/tbb/tbb_backend.h"
#include "concord/core/registry.h"
#include "core/array.h"

namespace example {
namespace {

using Interface = MovingSum::Interface;

class MovingSumSerial : public Interface {
 public:
  absl::Status Compute(concord::ConstArrayView in, concord::ArrayView out,
                       const Options& options) override {
    concord::Dispatch(in.type(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      for (std::int64_t i = 0; i < in.size(); ++i) {
        std::uint64_t sum = 0;
        for (std::int64_t k = FirstOf(options.window, i); k <= i; ++k) {
          sum += static_cast<std::uint64_t>(in.data<T>()[k]);
        }
        out.data<T>()[i] = static_cast<T>(sum);
      }
    });
    return absl::OkStatus();
  }
};

// What a thread takes at a time.
constexpr std::int64_t kChunk = 16'384;

// Each thread slides the window over chunks: an element comes in, one goes out.
class MovingSumTbb : public concord::OnTbb<Interface> {
 public:
  absl::Status Compute(concord::ConstArrayView in, concord::ArrayView out,
                       const Options& options) override {
    concord::Dispatch(in.type(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      const std::int64_t chunks = (in.size() + kChunk - 1) / kChunk;
      backend().ForEach(chunks, [&](std::int64_t chunk) {
        const std::int64_t first = chunk * kChunk;
        Slide(in.data<T>(), out.data<T>(), first,
              std::min(first + kChunk, in.size()), options.window);
      });
    });
    return absl::OkStatus();
  }

 private:
  template <typename T>
  static void Slide(const T* in, T* out, std::int64_t first, std::int64_t last,
                    std::int64_t window) {
    std::uint64_t sum = 0;
    for (std::int64_t k = FirstOf(window, first); k < first; ++k) {
      sum += static_cast<std::uint64_t>(in[k]);
    }
    for (std::int64_t i = first; i < last; ++i) {
      sum += static_cast<std::uint64_t>(in[i]);
      out[i] = static_cast<T>(sum);
      const std::int64_t next = FirstOf(window, i + 1);
      if (next > 0) sum -= static_cast<std::uint64_t>(in[next - 1]);
    }
  }
};

const bool kRegistered =
    concord::Registry<Interface>::Get().Add<MovingSumSerial>(
        "serial", "reference", /*rank=*/0, "a loop for each window",
        concord::Contract()) &&
    concord::Registry<Interface>::Get().Add<MovingSumTbb>(
        "tbb", "sliding", /*rank=*/10, "windows that slide over chunks",
        concord::Contract().Boundaries({kChunk}));

}  // namespace
}  // namespace example
