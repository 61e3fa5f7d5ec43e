// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef EXAMPLE_MOVING_SUM_MOVING_SUM_H_
#define EXAMPLE_MOVING_SUM_MOVING_SUM_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "concord/core/small_kernel.h"

namespace example {

// Sums of each element and those before it, `window` of them in all:
//
//   for i in [0, n): out[i] = in[i - window + 1] + ... + in[i]
//
// Elements before the first count as 0. Sums wrap modulo 2^bits.
struct MovingSum {
  static constexpr char kName[] = "moving_sum";

  struct Options {
    std::int64_t window = 3;
  };

  using Interface = concord::SmallKernel<MovingSum>;

  static concord::Signature<Interface> Describe() {
    using concord::ElementType;
    return concord::Signature<Interface>("sums of the last elements")
        .Number("window", "how many elements", &Options::window, 1, 64)
        .Input(
            {"in",
             "the elements",
             {ElementType::kUInt8, ElementType::kInt32, ElementType::kInt64}})
        .Output({"out", "the sums", concord::SameTypeAs{0}, {"n"}});
  }

  template <typename T>
  static std::vector<T> Expected(absl::Span<const T> in,
                                 const Options& options) {
    // Sums of all elements before each; differences of these, modulo 2^64.
    std::vector<std::uint64_t> before(in.size() + 1);
    for (std::size_t i = 0; i < in.size(); ++i) {
      before[i + 1] = before[i] + static_cast<std::uint64_t>(in[i]);
    }
    std::vector<T> out(in.size());
    for (std::size_t i = 0; i < in.size(); ++i) {
      const std::size_t window = options.window;
      const std::size_t first = i + 1 - std::min(i + 1, window);
      out[i] = static_cast<T>(before[i + 1] - before[first]);
    }
    return out;
  }
};

}  // namespace example

#endif  // EXAMPLE_MOVING_SUM_MOVING_SUM_H_
