// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/core/spec.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include "concord/algorithms/reduce/reduce.h"
#include "concord/core/distributions.h"
#include "concord/core/errors.h"
#include "concord/core/exact_float.h"

namespace concord::reduce {
namespace {

// Nothing here uses core/operators.h, which is under test.

// The tree of reduce.h, written from its root to its leaves: value 0 after the
// last halving is made of values 0 and 1 before it, and so on up. Nothing where
// there is no element; nothing combined with a value is the value.
template <typename T>
class TreeFromTheRoot {
 public:
  explicit TreeFromTheRoot(bool product) : product_(product) {}

  struct Value {
    bool there = false;
    T value = 0;
  };

  Value OfArray(absl::Span<const T> x) const {
    const std::size_t chunk = Reduce::kChunkBytes / sizeof(T);
    if (x.size() <= chunk) return OfChunk(x);
    std::vector<T> results;
    for (; !x.empty(); x.remove_prefix(std::min(x.size(), chunk))) {
      results.push_back(OfChunk(x.subspan(0, chunk)).value);
    }
    return OfArray(results);
  }

 private:
  static constexpr int kLanes = Reduce::kRowBytes / sizeof(T);

  Value Combine(Value a, Value b) const {
    if (!a.there || !b.there) return a.there ? a : b;
    return {true, product_ ? a.value * b.value : a.value + b.value};
  }

  // Value `index` once the halving with distance `half` is done.
  template <typename Leaf>
  Value Halved(int index, int half, int count, const Leaf& leaf) const {
    if (half == count) return leaf(index);
    return Combine(Halved(index, 2 * half, count, leaf),
                   Halved(index + half, 2 * half, count, leaf));
  }

  Value OfChunk(absl::Span<const T> x) const {
    const std::size_t segment = Reduce::kSegmentBytes / sizeof(T);
    return Halved(0, 1, Reduce::kSegmentsPerChunk, [&](int index) {
      const std::size_t first = std::min(x.size(), index * segment);
      return OfSegment(x.subspan(first, segment));
    });
  }

  Value OfSegment(absl::Span<const T> x) const {
    return Halved(0, 1, kLanes, [&](int lane) {
      Value sum;
      for (std::size_t i = lane; i < x.size(); i += kLanes) {
        sum = Combine(sum, {true, x[i]});
      }
      return sum;
    });
  }

  const bool product_;
};

template <typename T>
T ExpectedInteger(absl::Span<const T> in, Reduce::Op op) {
  using Limits = std::numeric_limits<T>;
  std::uint64_t sum = 0, product = 1, all = ~std::uint64_t{0}, any = 0, odd = 0;
  T smallest = Limits::max(), largest = Limits::min();
  for (const T x : in) {
    const auto wide = static_cast<std::uint64_t>(x);
    sum += wide;
    product *= wide;
    all &= wide;
    any |= wide;
    odd ^= wide;
    smallest = std::min(smallest, x);
    largest = std::max(largest, x);
  }
  switch (op) {
    case Reduce::Op::kAdd:
      return static_cast<T>(sum);
    case Reduce::Op::kMul:
      return static_cast<T>(product);
    case Reduce::Op::kMin:
      return smallest;
    case Reduce::Op::kMax:
      return largest;
    case Reduce::Op::kAnd:
      return static_cast<T>(all);
    case Reduce::Op::kOr:
      return static_cast<T>(any);
    case Reduce::Op::kXor:
      return static_cast<T>(odd);
  }
  __builtin_unreachable();
}

// The first in the order -inf < ... < -0.0 < +0.0 < ... < inf, or the last.
template <typename T>
T ExpectedExtreme(absl::Span<const T> in, bool largest) {
  constexpr T kInfinity = std::numeric_limits<T>::infinity();
  T best = largest ? -kInfinity : kInfinity;
  for (const T x : in) {
    if (std::isnan(x)) return std::numeric_limits<T>::quiet_NaN();
    const bool less =
        x < best || (x == best && std::signbit(x) && !std::signbit(best));
    const bool greater =
        x > best || (x == best && !std::signbit(x) && std::signbit(best));
    if (largest ? greater : less) best = x;
  }
  return best;
}

// Sums and products of floats have their order, and so their bits, from the
// tree. That the tree is accurate is a law.
template <typename T>
T ExpectedFloat(absl::Span<const T> in, Reduce::Op op) {
  if (op == Reduce::Op::kMin || op == Reduce::Op::kMax) {
    return ExpectedExtreme(in, op == Reduce::Op::kMax);
  }
  const bool is_product = op == Reduce::Op::kMul;
  const auto root = TreeFromTheRoot<T>(is_product).OfArray(in);
  if (std::isnan(root.value)) return std::numeric_limits<T>::quiet_NaN();
  return root.there ? root.value : static_cast<T>(is_product ? 1 : 0);
}

// How far another order of the same operations may lead from this result: each
// of the two has its own error. No implementation takes in more elements than
// these one after the other.
constexpr double kMostInSequence = 1 << 16;

template <typename T>
double ToleranceOfOrder(absl::Span<const T> in, bool is_product, T result) {
  const auto n = static_cast<double>(in.size());
  if (is_product) {
    ErrorOfProduct<T> error;
    for (const T x : in) error.Multiply(x);
    return error.ToleranceOfTwo(n, result);
  }
  ErrorOfSum<T> error;
  for (const T x : in) error.Add(x);
  return error.ToleranceOfTwo(std::min(n, kMostInSequence), result);
}

// Adds it to a result of `in`, if the order tells.
void AddToleranceOfOrder(const HostArray& in, Reduce::Op op, Expectation& out) {
  const bool is_product = op == Reduce::Op::kMul;
  if (!is_product && op != Reduce::Op::kAdd) return;
  Dispatch(in.type(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (std::is_floating_point_v<T>) {
      out.tolerance = {
          ToleranceOfOrder(in.span<T>(), is_product, *out.value.data<T>())};
    }
  });
}

class ReduceSpec : public SpecOf<Reduce> {
 public:
  std::vector<OptionMap> OptionCombinations(ElementType type) const override {
    std::vector<OptionMap> combinations;
    for (const std::string& name : Reduce::GetSignature().ChoicesOf("op")) {
      if (HasReduceOp(type, Parse({{"op", name}})->op)) {
        combinations.push_back({{"op", name}});
      }
    }
    return combinations;
  }

  std::vector<Case> SpecialCases() const override {
    std::vector<Case> cases;
    const auto add = [&](const char* label, const char* op, HostArray in) {
      cases.push_back(MakeCase(label, {{"op", op}}, std::move(in)));
    };
    constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
    constexpr float kInf = std::numeric_limits<float>::infinity();
    add("an empty sum of floats", "add", HostArray::Of<float>({}));
    add("a sum of negative zeros", "add", HostArray::Of<float>({-0.0f, -0.0f}));
    // Part of a segment, and part of a chunk: what pads the rest must be -0.0.
    for (const std::int64_t n : {5, 5000}) {
      add("a sum of many negative zeros", "add",
          *Draw("negative_zero", ElementType::kFloat32, n, 1));
    }
    add("opposite infinities", "add", HostArray::Of<float>({kInf, 1, -kInf}));
    add("infinity times zero", "mul", HostArray::Of<float>({kInf, 2, 0}));
    for (const char* op : {"min", "max"}) {
      add("zeros of both signs", op, HostArray::Of<float>({0.0f, -0.0f}));
      add("zeros of both signs", op, HostArray::Of<float>({-0.0f, 0.0f}));
      add("a negative NaN", op, HostArray::Of<float>({1, -kNan, -kInf, kInf}));
    }
    // Two rows and one element: the shortest in which the order can matter.
    for (const ElementType type :
         {ElementType::kFloat32, ElementType::kFloat64}) {
      const std::int64_t n = 2 * Reduce::kRowBytes / SizeOf(type) + 1;
      add("two rows and one element", "add", *Draw("uniform", type, n, 1));
    }
    // So close to 1 that a product of many stays in range, whatever the order.
    for (const ElementType type :
         {ElementType::kFloat32, ElementType::kFloat64}) {
      HostArray factors(type, {100'000});
      Dispatch(type, [&](auto tag) {
        using T = typename decltype(tag)::type;
        for (std::int64_t i = 0; i < factors.size(); ++i) {
          factors.data<T>()[i] =
              T{1} + static_cast<T>(static_cast<int>(i * 7919 % 2048) - 1024) *
                         static_cast<T>(0x1p-20);
        }
      });
      add("100000 factors close to 1", "mul", std::move(factors));
    }
    return cases;
  }

  absl::StatusOr<Expectations> Expected(const Case& test_case) const override {
    ASSIGN_OR_RETURN(Options options, Parse(test_case.options));
    const HostArray& in = test_case.inputs.at("in");
    Expectations expected;
    Expectation& out = expected["out"];
    Dispatch(in.type(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      if constexpr (std::is_floating_point_v<T>) {
        out.value = HostArray::Of<T>({ExpectedFloat(in.span<T>(), options.op)});
      } else {
        out.value =
            HostArray::Of<T>({ExpectedInteger(in.span<T>(), options.op)});
      }
    });
    AddToleranceOfOrder(in, options.op, out);
    out.defines_bits = !out.tolerance.empty();
    return expected;
  }

  absl::Status AddTolerances(const Case& test_case,
                             Expectations& computed) const override {
    ASSIGN_OR_RETURN(Options options, Parse(test_case.options));
    AddToleranceOfOrder(test_case.inputs.at("in"), options.op,
                        computed.at("out"));
    return absl::OkStatus();
  }

  // A NaN of a result is the quiet NaN of std::numeric_limits.
  bool nans_have_bits() const override { return true; }

  std::vector<PresetRows> preset_rows() const override {
    return {{"primitives", 1, {"all"}}, {"small"}, {"medium"}, {"processors"}};
  }
};

const bool kRegistered = RegisterSpec(new ReduceSpec);

}  // namespace
}  // namespace concord::reduce
