// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "concord/algorithms/max_subarray/max_subarray.h"
#include "concord/core/errors.h"
#include "concord/core/spec.h"

namespace concord::max_subarray {
namespace {

// Every run of a longer array takes too long.
constexpr std::int64_t kLongestForBruteForce = 300;

template <typename T>
using Best = MaxRun<SumOf<T>>;

template <typename T>
absl::StatusOr<Best<T>> ResultFor(const Law::Run& run, const Case& test_case,
                                  absl::Span<const T> in) {
  Case other = test_case;
  other.inputs.at("in") = HostArray::Of<T>(in);
  ASSIGN_OR_RETURN(Results results, run(other));
  const auto* const bounds = results.at("run").data<std::int64_t>();
  return Best<T>{*results.at("sum").data<SumOf<T>>(), bounds[0], bounds[1]};
}

template <typename Sum>
absl::Status MustBe(const MaxRun<Sum>& got, const MaxRun<Sum>& wanted) {
  if (got.sum == wanted.sum && got.first == wanted.first &&
      got.last == wanted.last) {
    return absl::OkStatus();
  }
  return InternalError(got.sum, " in [", got.first, ", ", got.last,
                       ") instead of ", wanted.sum, " in [", wanted.first, ", ",
                       wanted.last, ")");
}

// Calls `check(values)` with the elements of a case whose sums are exact and
// that is not empty; other cases pass.
template <typename F>
absl::Status ForIntegers(const Case& test_case, F check) {
  const HostArray& in = test_case.inputs.at("in");
  return Dispatch(in.type(), [&](auto tag) -> absl::Status {
    using T = typename decltype(tag)::type;
    if constexpr (std::is_integral_v<T>) {
      if (in.size() > 0) return check(in.span<T>());
    }
    return absl::OkStatus();
  });
}

absl::Status CheckBruteForce(const Law::Run& run, const Case& test_case) {
  return ForIntegers(test_case, [&](auto values) -> absl::Status {
    using T = std::remove_const_t<typename decltype(values)::element_type>;
    const auto n = static_cast<std::int64_t>(values.size());
    if (n > kLongestForBruteForce) return absl::OkStatus();
    Best<T> wanted{static_cast<SumOf<T>>(values[0]), 0, 1};
    for (std::int64_t first = 0; first < n; ++first) {
      SumOf<T> sum = 0;
      for (std::int64_t last = first + 1; last <= n; ++last) {
        sum += static_cast<SumOf<T>>(values[last - 1]);
        if (sum > wanted.sum) wanted = {sum, first, last};
      }
    }
    ASSIGN_OR_RETURN(Best<T> got, ResultFor<T>(run, test_case, values));
    return MustBe(got, wanted);
  });
}

// So low that no run is better with it than without, and that none of it is
// better than an element; nothing where T has no such number.
template <typename T>
std::vector<T> Separator(absl::Span<const T> values) {
  __int128 sum = 0;
  for (const T x : values) {
    sum += x < T{0} ? -static_cast<__int128>(x) : static_cast<__int128>(x);
  }
  if constexpr (sizeof(T) == 8) {
    if (sum >= std::numeric_limits<T>::max()) return {};
    return {static_cast<T>(-sum - 1)};
  } else {
    const T lowest = std::numeric_limits<T>::min();
    return std::vector<T>(
        static_cast<std::size_t>(sum / -std::int64_t{lowest}) + 1, lowest);
  }
}

// result(x ++ separator ++ y) is the better of result(x) and result(y), that of
// x when they are equal.
absl::Status CheckConcatenation(const Law::Run& run, const Case& test_case) {
  return ForIntegers(test_case, [&](auto values) -> absl::Status {
    using T = std::remove_const_t<typename decltype(values)::element_type>;
    if constexpr (std::is_signed_v<T>) {
      const std::size_t cut = values.size() / 3;
      if (cut == 0) return absl::OkStatus();
      const auto front = values.subspan(0, cut);
      const auto back = values.subspan(cut);
      std::vector<T> joined(front.begin(), front.end());
      const std::vector<T> separator = Separator<T>(values);
      if (separator.empty()) return absl::OkStatus();
      joined.insert(joined.end(), separator.begin(), separator.end());
      const auto shift = static_cast<std::int64_t>(joined.size());
      joined.insert(joined.end(), back.begin(), back.end());

      ASSIGN_OR_RETURN(Best<T> of_front, ResultFor<T>(run, test_case, front));
      ASSIGN_OR_RETURN(Best<T> of_back, ResultFor<T>(run, test_case, back));
      ASSIGN_OR_RETURN(Best<T> whole, ResultFor<T>(run, test_case, joined));
      of_back.first += shift;
      of_back.last += shift;
      return MustBe(whole, of_back.sum > of_front.sum ? of_back : of_front);
    } else {
      return absl::OkStatus();
    }
  });
}

absl::Status CheckMirror(const Law::Run& run, const Case& test_case) {
  return ForIntegers(test_case, [&](auto values) -> absl::Status {
    using T = std::remove_const_t<typename decltype(values)::element_type>;
    ASSIGN_OR_RETURN(Best<T> result, ResultFor<T>(run, test_case, values));
    const std::vector<T> reversed(values.rbegin(), values.rend());
    ASSIGN_OR_RETURN(Best<T> mirrored, ResultFor<T>(run, test_case, reversed));
    if (mirrored.sum == result.sum) return absl::OkStatus();
    return InternalError(mirrored.sum, " instead of ", result.sum);
  });
}

// The exact sum of the run is as near to the largest as the documentation says.
template <typename T>
absl::Status CheckFloats(const Law::Run& run, const Case& test_case) {
  const auto values = test_case.inputs.at("in").span<T>();
  long double magnitude = 0;
  for (const T x : values) magnitude += std::abs(x);
  // Sums are doubles, which may overflow where these do not.
  if (values.empty() || !std::isfinite(static_cast<double>(magnitude))) {
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(Best<T> got, ResultFor<T>(run, test_case, values));
  const auto n = static_cast<std::int64_t>(values.size());
  if (got.first < 0 || got.first >= got.last || got.last > n) {
    return InternalError("no run: [", got.first, ", ", got.last, ")");
  }
  long double largest = values[0];
  long double ending = 0;
  long double of_run = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    ending = std::max<long double>(ending, 0) + values[i];
    largest = std::max(largest, ending);
    if (got.first <= i && i < got.last) of_run += values[i];
  }
  const long double roundings =
      MaxSubarray::kLeafBytes / sizeof(T) + 2 * std::log2(n) + 2;
  const long double tolerance = roundings * 0x1p-53L * magnitude;
  const long double sum = got.sum;
  if (std::abs(sum - of_run) <= tolerance &&
      std::abs(sum - largest) <= 2 * tolerance) {
    return absl::OkStatus();
  }
  return InternalError(got.sum, " is not within ",
                       static_cast<double>(tolerance), " of the run's sum ",
                       static_cast<double>(of_run), " and the largest, ",
                       static_cast<double>(largest));
}

absl::Status CheckAccuracy(const Law::Run& run, const Case& test_case) {
  switch (test_case.type) {
    case ElementType::kFloat32:
      return CheckFloats<float>(run, test_case);
    case ElementType::kFloat64:
      return CheckFloats<double>(run, test_case);
    default:
      return absl::OkStatus();
  }
}

const bool kRegistered = RegisterLaws<MaxSubarray>({
    {"brute_force",
     "no run has a larger sum, an equal one does not begin earlier or end "
     "earlier",
     CheckBruteForce},
    {"concatenation",
     "of x, a low separator and y the result is that of x or y, x if equal",
     CheckConcatenation},
    {"mirror", "the reversed array has the same sum", CheckMirror},
    {"accuracy", "sums of floats keep the documented error bound",
     CheckAccuracy},
});

}  // namespace
}  // namespace concord::max_subarray
