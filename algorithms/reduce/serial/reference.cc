// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "concord/algorithms/reduce/reduce.h"
#include "concord/core/registry.h"

namespace concord::reduce {
namespace {

// Integers: any order gives the same result.
template <typename T, typename Op>
T ReduceLoop(const T* in, std::int64_t n) {
  T result = Op::Empty();
  for (std::int64_t i = 0; i < n; ++i) result = Op()(result, in[i]);
  return result;
}

// Floats: the tree of reduce.h, as it stands there.
template <typename T, typename Op>
class Tree {
 public:
  static T OfArray(const T* x, std::size_t n) {
    if (n == 0) return Op::Empty();
    if (n <= kChunk) return OfChunk(x, n);
    std::vector<T> chunks;
    for (std::size_t first = 0; first < n; first += kChunk) {
      chunks.push_back(OfChunk(x + first, std::min(n - first, kChunk)));
    }
    return OfArray(chunks.data(), chunks.size());
  }

 private:
  static constexpr std::size_t kLanes = Reduce::kRowBytes / sizeof(T);
  static constexpr std::size_t kSegment = Reduce::kSegmentBytes / sizeof(T);
  static constexpr std::size_t kChunk = Reduce::kChunkBytes / sizeof(T);

  static T OfChunk(const T* x, std::size_t n) {
    std::vector<T> segments(Reduce::kSegmentsPerChunk, Op::Identity());
    for (std::size_t first = 0; first < n; first += kSegment) {
      segments[first / kSegment] =
          OfSegment(x + first, std::min(n - first, kSegment));
    }
    return Halve(segments);
  }

  static T OfSegment(const T* x, std::size_t n) {
    std::vector<T> lanes(kLanes, Op::Identity());
    for (std::size_t i = 0; i < n; ++i) {
      lanes[i % kLanes] = Op()(lanes[i % kLanes], x[i]);
    }
    return Halve(lanes);
  }

  static T Halve(std::vector<T>& values) {
    for (std::size_t half = values.size() / 2; half > 0; half /= 2) {
      for (std::size_t j = 0; j < half; ++j) {
        values[j] = Op()(values[j], values[j + half]);
      }
    }
    return values[0];
  }
};

class ReduceSerial : public Reduce {
 public:
  absl::Status Compute(ConstArrayView in, ArrayView out,
                       const Options& options) override {
    DispatchReduce(options.op, in.type(), [&](auto op) {
      using Op = decltype(op);
      using T = typename Op::Element;
      if constexpr (std::is_floating_point_v<T>) {
        *out.data<T>() = CanonicalNan(Tree<T, Op>::OfArray(
            in.data<T>(), static_cast<std::size_t>(in.size())));
      } else {
        *out.data<T>() = ReduceLoop<T, Op>(in.data<T>(), in.size());
      }
    });
    return absl::OkStatus();
  }
};

const bool kRegistered = Registry<Reduce>::Get().Add<ReduceSerial>(
    "serial", "reference", /*rank=*/10,
    "a loop; floats in the order of the tree",
    Contract().SpecialValues("add, mul: IEEE 754 arithmetic in the order of "
                             "the tree; min, max: NaN if any is, -0.0 < +0.0"));

}  // namespace
}  // namespace concord::reduce
