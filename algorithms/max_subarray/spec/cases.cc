// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/algorithms/max_subarray/spec/cases.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

#include "concord/core/distributions.h"
#include "concord/core/errors.h"
#include "concord/core/random.h"

namespace concord::max_subarray {
namespace {

constexpr const char* kOwn[] = {"negative", "steps", "edges"};

// Of "last": so many elements at the end are large, and of the others none is
// positive, so that indexes of too few bits miss the best run.
constexpr std::int64_t kLargeAtTheEnd = 5;

template <typename T>
void Negate(absl::Span<T> values) {
  for (T& x : values) {
    if constexpr (std::is_signed_v<T>) {
      if (x > 0) x = static_cast<T>(-x);
    }
  }
}

template <typename T>
void FillSteps(absl::Span<T> values, std::uint64_t seed) {
  Random random(seed);
  for (T& x : values) {
    const auto step = static_cast<int>(random.Below(3));
    x = static_cast<T>(std::is_signed_v<T> ? step - 1 : step / 2);
  }
}

template <typename T>
void FillEdges(absl::Span<T> values) {
  constexpr std::size_t kEvery = 256;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const bool at_edge = (i + 1) % kEvery < 2;
    values[i] = at_edge ? T{1} : static_cast<T>(std::is_signed_v<T> ? -1 : 0);
  }
}

// Halves 64-bit integers until `size` of them fit.
template <typename T>
void Shrink(absl::Span<T> values) {
  if constexpr (std::is_integral_v<T> && sizeof(T) == 8) {
    T divisor = 2;
    while (static_cast<std::size_t>(divisor) / 2 < values.size()) divisor *= 2;
    for (T& x : values) x /= divisor;
  }
}

}  // namespace

std::vector<std::string> MaxSubarrayDistributions(ElementType type) {
  // The first one serves the tests of the largest size.
  std::vector<std::string> names = {"last"};
  for (const std::string& name : DistributionsFor(type)) names.push_back(name);
  names.insert(names.end(), std::begin(kOwn), std::end(kOwn));
  return names;
}

absl::StatusOr<HostArray> DrawForMaxSubarray(const std::string& distribution,
                                             ElementType type,
                                             std::int64_t size,
                                             std::uint64_t seed) {
  const bool own = distribution == "last" ||
                   std::find(std::begin(kOwn), std::end(kOwn), distribution) !=
                       std::end(kOwn);
  ASSIGN_OR_RETURN(HostArray drawn,
                   Draw(own ? "uniform" : distribution, type, size, seed));
  Dispatch(type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const absl::Span<T> values = drawn.span<T>();
    if (distribution == "last") {
      Negate(values);
      const auto large = std::min(kLargeAtTheEnd, size);
      std::fill(values.end() - large, values.end(),
                std::numeric_limits<T>::max() / T{2});
    }
    if (distribution == "negative") Negate(values);
    if (distribution == "steps") FillSteps(values, seed);
    if (distribution == "edges") FillEdges(values);
    if (distribution != "steps" && distribution != "edges") Shrink(values);
  });
  return drawn;
}

std::vector<Case> MaxSubarraySpecialCases() {
  std::vector<Case> cases;
  const auto add = [&](const char* label, HostArray in) {
    cases.push_back(MakeCase(label, {}, std::move(in)));
  };
  using Limits = std::numeric_limits<std::int64_t>;
  add("no elements of a type whose sums have no infinity",
      HostArray::Of<std::int32_t>({}));
  add("no floats", HostArray::Of<float>({}));
  add("the example of the textbooks",
      HostArray::Of<std::int32_t>({-2, 1, -3, 4, -1, 2, 1, -5, 4}));
  // An exclusive scan of minima that starts with the first prefix sum, not with
  // the empty one, loses the runs that begin at the first element.
  add("the best run begins at the first element",
      HostArray::Of<std::int32_t>({1, 2, 3}));
  add("one element", HostArray::Of<std::int32_t>({5}));
  add("the smallest integer", HostArray::Of<std::int64_t>({Limits::min()}));
  add("sums as large as they may be",
      HostArray::Of<std::int64_t>({Limits::max(), Limits::min(), 1}));
  add("the largest sum of unsigned integers",
      HostArray::Of<std::uint64_t>(
          {0, std::numeric_limits<std::uint64_t>::max(), 0}));
  add("an earlier run that is as good, and a longer one",
      HostArray::Of<std::int32_t>({0, 2, -2, 2, 0, -5, 2}));
  add("bytes whose sum is no byte",
      HostArray::Of<std::int8_t>({127, 127, -1, 127}));

  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  constexpr float kInf = std::numeric_limits<float>::infinity();
  add("a NaN", HostArray::Of<float>({1, 2, kNan, 3}));
  add("opposite infinities", HostArray::Of<float>({1, kInf, 2, -kInf, 3}));
  add("infinity", HostArray::Of<float>({-1, 2, kInf, -2, 3}));
  add("nothing but negative infinity", HostArray::Of<float>({-kInf, -kInf}));
  add("negative infinity between", HostArray::Of<float>({4, -kInf, 3}));
  add("negative zeros", HostArray::Of<float>({-0.0f, -0.0f}));
  add("floats whose sum is no float",
      HostArray::Of<float>({std::numeric_limits<float>::max(),
                            std::numeric_limits<float>::max(), -1.0f}));
  // In the tree the small ones meet the large one together or one by one.
  HostArray large_and_small(ElementType::kFloat64, {100});
  std::fill_n(large_and_small.data<double>(), 100, 1.0);
  large_and_small.data<double>()[3] = 0x1p53;
  add("the order of additions shows", std::move(large_and_small));
  return cases;
}

}  // namespace concord::max_subarray
