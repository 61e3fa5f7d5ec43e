// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/algorithms/max_subarray/max_subarray.h"

#include <algorithm>
#include <limits>

#include "concord/core/call.h"
#include "concord/core/errors.h"

namespace concord {
namespace {

// Whether the sum of every run fits 64 bits: the extreme ones lie between the
// extreme prefix sums.
template <typename T>
absl::Status CheckSums(absl::Span<const T> in) {
  if constexpr (std::is_integral_v<T> && sizeof(T) == 8) {
    __extension__ using Wide = __int128;
    Wide sum = 0, smallest = 0, largest = 0, lowest = 0, highest = 0;
    for (const T x : in) {
      sum += x;
      highest = std::max(highest, sum - smallest);
      lowest = std::min(lowest, sum - largest);
      smallest = std::min(smallest, sum);
      largest = std::max(largest, sum);
    }
    if (lowest < std::numeric_limits<T>::min() ||
        highest > static_cast<Wide>(std::numeric_limits<T>::max())) {
      return InvalidArgumentError(
          "the sum of a run of these elements does not fit ",
          Name(ElementTypeOf<T>()), "; max_subarray needs that all do");
    }
  }
  return absl::OkStatus();
}

}  // namespace

const Signature<MaxSubarray>& MaxSubarray::GetSignature() {
  static const auto* const signature = new Signature<MaxSubarray>(
      Signature<MaxSubarray>(
          "the largest sum of a run of neighbours, and where the run is")
          .Input({"in", "the elements"})
          .Output({"sum",
                   "the largest sum",
                   {"int64, uint64 or float64, as the input is",
                    [](const Options&, Views in) {
                      return max_subarray::SumTypeOf(in[0].type());
                    }},
                   {"1"}})
          .Output({"run",
                   "its first element, and the one past its last",
                   Always{ElementType::kInt64},
                   {"2"}})
          .Examines([](const Options&, Views in) {
            return Dispatch(in[0].type(), [&](auto tag) {
              return CheckSums(in[0].span<typename decltype(tag)::type>());
            });
          })
          .Calls([](MaxSubarray& max_subarray, Views in, MutableViews out,
                    const Options& options) {
            return max_subarray.Compute(in[0], out[0], out[1], options);
          }));
  return *signature;
}

absl::Status MaxSubarray::Run(ConstArrayView in, ArrayView sum, ArrayView run,
                              const Options& options) {
  return GetSignature().Run(*this, {in}, {sum, run}, options);
}

ElementType max_subarray::SumTypeOf(ElementType type) {
  return Dispatch(type, [](auto tag) {
    return ElementTypeOf<SumOf<typename decltype(tag)::type>>();
  });
}

absl::Status ComputeMaxSubarray(const std::shared_ptr<Backend>& backend,
                                ConstArrayView in, ArrayView sum, ArrayView run,
                                absl::string_view variant) {
  return RunOnHost<MaxSubarray>(backend, variant, {}, {in}, {sum, run});
}

const bool kRegistered = RegisterAlgorithm<MaxSubarray>();

}  // namespace concord
