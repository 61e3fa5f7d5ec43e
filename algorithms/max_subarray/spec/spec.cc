// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/core/spec.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "concord/algorithms/max_subarray/max_subarray.h"
#include "concord/core/distributions.h"
#include "concord/core/errors.h"
#include "concord/core/random.h"

namespace concord::max_subarray {
namespace {

// --- Cases ---

// The shared distributions (core/distributions.h) and
//
//   last         random, but the last elements are the largest: the best run
//                reaches the end
//   negative     no element is positive, where the type has negative ones
//   steps        -1, 0 and 1 (0 and 1 of unsigned types): many runs are equal
//   edges        -1, and a pair of 1s over each multiple of 256 elements: what
//                crosses a leaf or a tile is best
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

// 64-bit integers are made so small that the sum of every run fits.
absl::StatusOr<HostArray> DrawFor(const CaseRequest& request) {
  const std::string& distribution = request.distribution;
  const bool own = distribution == "last" ||
                   std::find(std::begin(kOwn), std::end(kOwn), distribution) !=
                       std::end(kOwn);
  ASSIGN_OR_RETURN(HostArray drawn,
                   Draw(own ? "uniform" : distribution, request.type,
                        request.size, request.seed));
  Dispatch(request.type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const absl::Span<T> values = drawn.span<T>();
    if (distribution == "last") {
      Negate(values);
      const auto large = std::min(kLargeAtTheEnd, request.size);
      std::fill(values.end() - large, values.end(),
                std::numeric_limits<T>::max() / T{2});
    }
    if (distribution == "negative") Negate(values);
    if (distribution == "steps") FillSteps(values, request.seed);
    if (distribution == "edges") FillEdges(values);
    if (distribution != "steps" && distribution != "edges") Shrink(values);
  });
  return drawn;
}

// --- What is right ---

using Wide = __int128;

// Of each end the best beginning is where the prefix sum is smallest, and first
// so.
template <typename T>
MaxRun<SumOf<T>> ExpectedOfIntegers(absl::Span<const T> in) {
  MaxRun<SumOf<T>> best{std::numeric_limits<SumOf<T>>::lowest(), 0, 0};
  bool any = false;
  Wide sum = 0, smallest = 0;
  std::int64_t where = 0;
  for (std::size_t i = 0; i < in.size(); ++i) {
    sum += in[i];
    if (!any || sum - smallest > static_cast<Wide>(best.sum)) {
      best = {static_cast<SumOf<T>>(sum - smallest), where,
              static_cast<std::int64_t>(i) + 1};
      any = true;
    }
    if (sum < smallest) {
      smallest = sum;
      where = static_cast<std::int64_t>(i) + 1;
    }
  }
  return best;
}

// The tree of max_subarray.h, on its own: nodes are pairs of neighbours, level
// by level, instead of halves from the root.
struct Node {
  struct Run {
    double sum;
    std::int64_t first, last;  // past the end
  };
  Run all, prefix, suffix, best;
};

const Node::Run& First(const Node::Run& a, const Node::Run& b) {
  return b.sum > a.sum ? b : a;
}

Node::Run Join(const Node::Run& a, const Node::Run& b) {
  return {a.sum + b.sum, a.first, b.last};
}

template <typename T>
Node LeafOf(absl::Span<const T> in, std::int64_t first) {
  Node leaf{};
  for (std::size_t i = 0; i < in.size(); ++i) {
    const auto at = first + static_cast<std::int64_t>(i);
    const Node::Run one{static_cast<double>(in[i]), at, at + 1};
    if (i == 0) {
      leaf = {one, one, one, one};
      continue;
    }
    leaf.all = Join(leaf.all, one);
    leaf.prefix = First(leaf.prefix, leaf.all);
    leaf.suffix = leaf.suffix.sum < 0 ? one : Join(leaf.suffix, one);
    leaf.best = First(leaf.best, leaf.suffix);
  }
  return leaf;
}

Node Pair(const Node& a, const Node& b) {
  Node node;
  node.all = Join(a.all, b.all);
  node.prefix = First(a.prefix, Join(a.all, b.prefix));
  const Node::Run longer = Join(a.suffix, b.all);
  node.suffix = longer.sum >= b.suffix.sum ? longer : b.suffix;
  node.best = First(First(a.best, Join(a.suffix, b.prefix)), b.best);
  return node;
}

template <typename T>
MaxRun<double> ExpectedOfFloats(absl::Span<const T> in) {
  if (in.empty()) return {-std::numeric_limits<double>::infinity(), 0, 0};
  const std::size_t length = MaxSubarray::kLeafBytes / sizeof(T);
  std::vector<Node> nodes;
  for (std::size_t i = 0; i < in.size(); i += length) {
    nodes.push_back(
        LeafOf(in.subspan(i, length), static_cast<std::int64_t>(i)));
  }
  while (nodes.size() > 1) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < nodes.size(); i += 2) {
      nodes[count++] =
          i + 1 < nodes.size() ? Pair(nodes[i], nodes[i + 1]) : nodes[i];
    }
    nodes.resize(count);
  }
  if (std::isnan(nodes[0].all.sum)) {
    return {std::numeric_limits<double>::quiet_NaN(), 0,
            static_cast<std::int64_t>(in.size())};
  }
  const Node::Run& best = nodes[0].best;
  return {best.sum == 0 ? 0 : best.sum, best.first, best.last};
}

// --- The spec ---

class MaxSubarraySpec : public SpecOf<MaxSubarray> {
 public:
  std::vector<std::string> Distributions(ElementType type) const override {
    // The first one serves the tests of the largest size.
    std::vector<std::string> names = {"last"};
    for (const std::string& name : DistributionsFor(type))
      names.push_back(name);
    names.insert(names.end(), std::begin(kOwn), std::end(kOwn));
    return names;
  }

  absl::StatusOr<HostArray> DrawInput(
      const CaseRequest& request) const override {
    return DrawFor(request);
  }

  std::vector<Case> SpecialCases() const override;

  absl::StatusOr<Expectations> Expected(const Case& test_case) const override {
    const HostArray& in = test_case.inputs.at("in");
    Expectations expected;
    Dispatch(in.type(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      MaxRun<SumOf<T>> best;
      if constexpr (std::is_floating_point_v<T>) {
        best = ExpectedOfFloats(in.span<T>());
      } else {
        best = ExpectedOfIntegers(in.span<T>());
      }
      expected["sum"].value = HostArray::Of<SumOf<T>>({best.sum});
      expected["run"].value =
          HostArray::Of<std::int64_t>({best.first, best.last});
    });
    return expected;
  }

  // A NaN of a result is the quiet NaN of std::numeric_limits.
  bool nans_have_bits() const override { return true; }

  std::vector<PresetRows> preset_rows() const override {
    return {{"applications", 1, {"int8", "int32", "int64", "float32"}}};
  }
};

std::vector<Case> MaxSubarraySpec::SpecialCases() const {
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

const bool kRegistered = RegisterSpec(new MaxSubarraySpec);

}  // namespace
}  // namespace concord::max_subarray
