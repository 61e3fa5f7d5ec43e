// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "concord/algorithms/max_subarray/max_subarray.h"
#include "concord/algorithms/max_subarray/spec/cases.h"
#include "concord/core/array_io.h"
#include "concord/core/output_file.h"
#include "concord/core/spec.h"

namespace concord::max_subarray {
namespace {

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

class MaxSubarraySpec : public SpecOf<MaxSubarray> {
 public:
  std::vector<std::string> Distributions(ElementType type) const override {
    return MaxSubarrayDistributions(type);
  }

  absl::StatusOr<HostArray> DrawInput(const CaseRequest& request,
                                      const OptionMap&) const override {
    return DrawForMaxSubarray(request.distribution, request.type, request.size,
                              request.seed);
  }

  std::vector<Case> SpecialCases() const override {
    return MaxSubarraySpecialCases();
  }

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

  std::vector<PresetRows> preset_rows() const override {
    return {{"applications", 1, {"int8", "int32", "int64", "float32"}}};
  }
};

const bool kRegistered = RegisterSpec(new MaxSubarraySpec);

}  // namespace
}  // namespace concord::max_subarray
