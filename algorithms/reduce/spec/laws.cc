// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "concord/algorithms/reduce/reduce.h"
#include "concord/core/errors.h"
#include "concord/core/exact_float.h"
#include "concord/core/law_checks.h"
#include "concord/core/spec.h"

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
  ASSIGN_OR_RETURN(Results results, run(other));
  return results.at("out");
}

absl::Status CheckConcatenation(const Law::Run& run, const Case& test_case) {
  if (!IsExact(test_case)) return absl::OkStatus();
  const HostArray& in = test_case.inputs.at("in");
  const std::int64_t cut = in.size() / 3;
  ASSIGN_OR_RETURN(HostArray whole, ResultFor(run, test_case, in));
  ASSIGN_OR_RETURN(HostArray front,
                   ResultFor(run, test_case, in.Without(cut, in.size())));
  ASSIGN_OR_RETURN(HostArray back,
                   ResultFor(run, test_case, in.Without(0, cut)));
  HostArray parts(in.type(), {2});
  Dispatch(in.type(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    parts.data<T>()[0] = *front.data<T>();
    parts.data<T>()[1] = *back.data<T>();
  });
  ASSIGN_OR_RETURN(HostArray combined,
                   ResultFor(run, test_case, std::move(parts)));
  return MustEqual(combined, whole, "out");
}

absl::Status CheckPermutation(const Law::Run& run, const Case& test_case) {
  if (!IsExact(test_case)) return absl::OkStatus();
  const HostArray& in = test_case.inputs.at("in");
  ASSIGN_OR_RETURN(HostArray result, ResultFor(run, test_case, in));
  HostArray permuted = in;
  Dispatch(in.type(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const absl::Span<T> values = permuted.span<T>();
    std::reverse(values.begin(), values.end());
    std::rotate(values.begin(), values.begin() + values.size() / 3,
                values.end());
  });
  ASSIGN_OR_RETURN(HostArray other,
                   ResultFor(run, test_case, std::move(permuted)));
  return MustEqual(other, result, "out");
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
  ASSIGN_OR_RETURN(HostArray result, ResultFor(run, test_case, in));
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
      const double got = *result.data<T>();
      const bool same =
          got == wanted || (std::isnan(got) && std::isnan(wanted));
      if (same || std::isinf(tolerance) ||
          std::abs(got - wanted) <= tolerance) {
        return absl::OkStatus();
      }
      return InternalError(got, " is not within ", tolerance, " of the exact ",
                           wanted);
    }
    return absl::OkStatus();
  });
}

const bool kRegistered = RegisterLaws<Reduce>({
    {"concatenation",
     "reduce(x ++ y) = reduce(x) op reduce(y), where op is exact",
     CheckConcatenation},
    {"permutation",
     "the order of the elements does not matter, where op is exact",
     CheckPermutation},
    {"accuracy", "sums and products of floats keep the documented error bounds",
     CheckAccuracy},
});

}  // namespace
}  // namespace concord::reduce
