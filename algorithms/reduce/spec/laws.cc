// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/algorithms/reduce/spec/laws.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "concord/algorithms/reduce/reduce.h"
#include "concord/core/exact_float.h"

namespace concord::reduce {
namespace {

bool IsExact(const Case& test_case) {
  const std::string& op = test_case.options.at("op");
  return !IsFloat(test_case.type) || op == "min" || op == "max";
}

// The result for another input, otherwise the same case.
absl::StatusOr<HostArray> ResultFor(const Law::Run& run, const Case& test_case,
                                    HostArray in) {
  Case other = test_case;
  other.inputs.at("in") = std::move(in);
  absl::StatusOr<Results> results = run(other);
  if (!results.ok()) return results.status();
  return results->at("out");
}

absl::Status MustEqual(const HostArray& got, const HostArray& wanted) {
  if (got == wanted) return absl::OkStatus();
  return absl::InternalError(
      absl::StrCat(got.ToString(0), " instead of ", wanted.ToString(0)));
}

absl::Status CheckConcatenation(const Law::Run& run, const Case& test_case) {
  if (!IsExact(test_case)) return absl::OkStatus();
  const HostArray& in = test_case.inputs.at("in");
  const std::int64_t cut = in.size() / 3;
  absl::StatusOr<HostArray> whole = ResultFor(run, test_case, in);
  if (!whole.ok()) return whole.status();
  absl::StatusOr<HostArray> front =
      ResultFor(run, test_case, in.Without(cut, in.size()));
  if (!front.ok()) return front.status();
  absl::StatusOr<HostArray> back =
      ResultFor(run, test_case, in.Without(0, cut));
  if (!back.ok()) return back.status();
  HostArray parts(in.type(), {2});
  Dispatch(in.type(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    parts.data<T>()[0] = *front->data<T>();
    parts.data<T>()[1] = *back->data<T>();
  });
  absl::StatusOr<HostArray> combined =
      ResultFor(run, test_case, std::move(parts));
  if (!combined.ok()) return combined.status();
  return MustEqual(*combined, *whole);
}

absl::Status CheckPermutation(const Law::Run& run, const Case& test_case) {
  if (!IsExact(test_case)) return absl::OkStatus();
  const HostArray& in = test_case.inputs.at("in");
  absl::StatusOr<HostArray> result = ResultFor(run, test_case, in);
  if (!result.ok()) return result.status();
  HostArray permuted = in;
  Dispatch(in.type(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const absl::Span<T> values = permuted.span<T>();
    std::reverse(values.begin(), values.end());
    std::rotate(values.begin(), values.begin() + values.size() / 3,
                values.end());
  });
  absl::StatusOr<HostArray> other =
      ResultFor(run, test_case, std::move(permuted));
  if (!other.ok()) return other.status();
  return MustEqual(*other, *result);
}

// How many roundings an element of a sum goes through in the tree: 31 from row
// to row, log2 of the lanes and of the segments, for each level of chunks.
template <typename T>
double RoundingsOfTree(std::int64_t n) {
  const double lanes = Reduce::kRowBytes / sizeof(T);
  const double each_level = (Reduce::kRowsPerSegment - 1) + std::log2(lanes) +
                            std::log2(Reduce::kSegmentsPerChunk);
  const std::int64_t chunk = Reduce::kChunkBytes / sizeof(T);
  int levels = 1;
  for (; n > chunk; n = (n + chunk - 1) / chunk) ++levels;
  return levels * each_level;
}

absl::Status CheckAccuracy(const Law::Run& run, const Case& test_case) {
  if (IsExact(test_case)) return absl::OkStatus();
  const HostArray& in = test_case.inputs.at("in");
  absl::StatusOr<HostArray> result = ResultFor(run, test_case, in);
  if (!result.ok()) return result.status();
  return Dispatch(in.type(), [&](auto tag) -> absl::Status {
    using T = typename decltype(tag)::type;
    if constexpr (std::is_floating_point_v<T>) {
      ExactSum<T> sum;
      ExactProduct<T> product;
      for (const T x : in.span<T>()) {
        sum.Add(x);
        product.Multiply(x);
      }
      const bool is_sum = test_case.options.at("op") == "add";
      const double wanted = is_sum ? sum.value() : product.value();
      const double tolerance =
          is_sum ? sum.Tolerance(RoundingsOfTree<T>(in.size()))
                 : product.Tolerance(static_cast<double>(in.size()));
      const double got = *result->data<T>();
      const bool same =
          got == wanted || (std::isnan(got) && std::isnan(wanted));
      if (same || std::isinf(tolerance) ||
          std::abs(got - wanted) <= tolerance) {
        return absl::OkStatus();
      }
      return absl::InternalError(absl::StrCat(got, " is not within ", tolerance,
                                              " of the exact ", wanted));
    }
    return absl::OkStatus();
  });
}

}  // namespace

std::vector<Law> ReduceLaws() {
  return {
      {"concatenation",
       "reduce(x ++ y) = reduce(x) op reduce(y), where op is exact",
       CheckConcatenation},
      {"permutation",
       "the order of the elements does not matter, where op is exact",
       CheckPermutation},
      {"accuracy",
       "sums and products of floats keep the documented error bounds",
       CheckAccuracy},
  };
}

}  // namespace concord::reduce
