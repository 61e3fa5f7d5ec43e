// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/core/spec.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "concord/algorithms/scan/scan.h"
#include "concord/core/errors.h"
#include "concord/core/exact_float.h"
#include "concord/core/law_checks.h"

namespace concord::scan {
namespace {

// What the elements so far amount to, exactly. Nothing here uses
// core/operators.h, which is under test.
template <typename T>
class Prefix {
 public:
  explicit Prefix(Scan::Op op) : op_(op) {}

  void Append(T x) {
    ++count_;
    if constexpr (std::is_floating_point_v<T>) {
      if (op_ == Scan::Op::kAdd) float_sum_.Add(x);
      if (op_ == Scan::Op::kMul) float_product_.Multiply(x);
      if (std::isnan(x)) has_nan_ = true;
    } else {
      sum_ += static_cast<std::uint64_t>(x);
      product_ *= static_cast<std::uint64_t>(x);
    }
    if (Precedes(x, smallest_)) smallest_ = x;
    if (Precedes(largest_, x)) largest_ = x;
  }

  T value() const {
    if (has_nan_) return std::numeric_limits<T>::quiet_NaN();
    if (op_ == Scan::Op::kMin) return smallest_;
    if (op_ == Scan::Op::kMax) return largest_;
    if constexpr (std::is_floating_point_v<T>) {
      return op_ == Scan::Op::kAdd ? float_sum_.value()
                                   : float_product_.value();
    } else {
      return static_cast<T>(op_ == Scan::Op::kAdd ? sum_ : product_);
    }
  }

  // Of floats under add and mul: an implementation may take the elements one
  // after the other, with a rounding for each.
  double Tolerance() const {
    return op_ == Scan::Op::kAdd ? float_sum_.Tolerance(count_)
                                 : float_product_.Tolerance(count_);
  }

 private:
  using Limits = std::numeric_limits<T>;
  struct NoFloat {};
  using Sum =
      std::conditional_t<std::is_floating_point_v<T>, ExactSum<T>, NoFloat>;
  using Product =
      std::conditional_t<std::is_floating_point_v<T>, ExactProduct<T>, NoFloat>;

  // In the order in which -0.0 comes before +0.0.
  static bool Precedes(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) {
      return a < b || (a == b && std::signbit(a) && !std::signbit(b));
    } else {
      return a < b;
    }
  }

  const Scan::Op op_;
  double count_ = 0;
  std::uint64_t sum_ = 0;
  std::uint64_t product_ = 1;
  Sum float_sum_;
  Product float_product_;
  bool has_nan_ = false;
  T smallest_ = Limits::has_infinity ? Limits::infinity() : Limits::max();
  T largest_ = Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
};

// The order that scan.h defines for floats under add and mul, worked out level
// by level instead of from left to right.
template <typename T>
class FixedOrder {
 public:
  FixedOrder(absl::Span<const T> in, bool product) : product_(product) {
    totals_.emplace_back(in.begin(), in.end());
    while (totals_.back().size() > 1) {
      const std::vector<T>& halves = totals_.back();
      std::vector<T> nodes(halves.size() / 2);
      for (std::size_t i = 0; i < nodes.size(); ++i) {
        nodes[i] = Combine(halves[2 * i], halves[2 * i + 1]);
      }
      totals_.push_back(std::move(nodes));
    }
  }

  T Inclusive(std::size_t i) const {
    return Combine(Exclusive(i), totals_[0][i]);
  }

  T Exclusive(std::size_t i) const {
    T result = product_ ? 1 : 0;
    for (std::size_t level = totals_.size(); level-- > 0;) {
      const std::size_t nodes = i >> level;
      if (nodes % 2 == 1) result = Combine(result, totals_[level][nodes - 1]);
    }
    return result;
  }

 private:
  T Combine(T a, T b) const { return product_ ? a * b : a + b; }

  const bool product_;
  // By level: totals_[k] of the nodes of 2^k elements.
  std::vector<std::vector<T>> totals_;
};

// Whether `value`, in the order of the definition, is as near to the exact
// `wanted` as it has to be. Widens `tolerance`, which an implementation in
// another order may be off from `wanted`, to what it may be off from `value`.
template <typename T>
bool MoveTo(T value, T wanted, double& tolerance) {
  if (value == wanted || (std::isnan(value) && std::isnan(wanted))) return true;
  if (std::isinf(tolerance)) return true;
  const double distance = std::abs(static_cast<double>(value) - wanted);
  const bool right = distance <= tolerance;  // not if it is a NaN
  tolerance += distance;
  return right;
}

// How far two implementations, each in an order of its own, may be apart, of
// which one has computed `value`. `append` takes an element into `error`, that
// of no elements.
template <typename T, typename Error, typename Append>
std::vector<double> TolerancesOfOrders(const HostArray& in, bool inclusive,
                                       const HostArray& value, Error error,
                                       const Append& append) {
  std::vector<double> tolerance(in.size());
  for (std::int64_t i = 0; i < in.size(); ++i) {
    const T x = in.data<T>()[i];
    if (inclusive) append(error, x);
    const auto count = static_cast<double>(inclusive ? i + 1 : i);
    tolerance[i] = error.ToleranceOfTwo(count, value.data<T>()[i]);
    if (!inclusive) append(error, x);
  }
  return tolerance;
}

bool IsExact(const Case& test_case) {
  const std::string& op = test_case.options.at("op");
  return !IsFloat(test_case.type) || op == "min" || op == "max";
}

absl::StatusOr<HostArray> ResultFor(const Law::Run& run, Case test_case,
                                    const std::string& kind, HostArray in) {
  test_case.options["kind"] = kind;
  test_case.inputs.at("in") = std::move(in);
  ASSIGN_OR_RETURN(Results results, run(test_case));
  return results.at("out");
}

absl::Status CheckShift(const Law::Run& run, const Case& test_case) {
  const HostArray& in = test_case.inputs.at("in");
  const std::int64_t n = in.size();
  if (!IsExact(test_case) || n == 0) return absl::OkStatus();
  ASSIGN_OR_RETURN(HostArray inclusive,
                   ResultFor(run, test_case, "inclusive", in));
  ASSIGN_OR_RETURN(HostArray exclusive,
                   ResultFor(run, test_case, "exclusive", in));
  return MustEqual(exclusive.Without(0, 1), inclusive.Without(n - 1, n),
                   "the exclusive scan from [1] on");
}

absl::Status CheckConcatenation(const Law::Run& run, const Case& test_case) {
  const HostArray& in = test_case.inputs.at("in");
  if (!IsExact(test_case) || in.size() < 2) return absl::OkStatus();
  const std::string& kind = test_case.options.at("kind");
  const std::int64_t cut = in.size() / 3 + 1;
  ASSIGN_OR_RETURN(HostArray whole, ResultFor(run, test_case, kind, in));
  ASSIGN_OR_RETURN(HostArray front,
                   ResultFor(run, test_case, kind, in.Without(cut, in.size())));
  RETURN_IF_ERROR(MustEqual(whole.Without(cut, in.size()), front, "out"));

  ASSIGN_OR_RETURN(HostArray sums, ResultFor(run, test_case, "inclusive",
                                             in.Without(cut, in.size())));
  // What the front amounts to takes the place of its last element.
  HostArray back = in.Without(0, cut - 1);
  Dispatch(in.type(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    back.data<T>()[0] = sums.data<T>()[cut - 1];
  });
  ASSIGN_OR_RETURN(HostArray rest,
                   ResultFor(run, test_case, kind, std::move(back)));
  return MustEqual(whole.Without(0, cut), rest.Without(0, 1),
                   absl::StrCat("out from [", cut, "] on"));
}

class ScanSpec : public SpecOf<Scan> {
 public:
  std::vector<Case> SpecialCases() const override {
    constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
    constexpr float kInf = std::numeric_limits<float>::infinity();
    std::vector<Case> cases;
    for (const std::string& kind : Scan::GetSignature().ChoicesOf("kind")) {
      const auto add = [&](const char* label, const char* op, HostArray in) {
        cases.push_back(MakeCase(
            label, *CompleteOptions(options(), {{"kind", kind}, {"op", op}}),
            std::move(in)));
      };
      add("opposite infinities", "add",
          HostArray::Of<float>({1, kInf, 2, -kInf, 3}));
      add("infinity times zero", "mul",
          HostArray::Of<float>({2, 0, 3, kInf, 4}));
      for (const char* op : {"min", "max"}) {
        add("zeros of both signs", op,
            HostArray::Of<float>({0.0f, -0.0f, 0.0f}));
        add("a negative NaN", op,
            HostArray::Of<float>({1, kInf, -kNan, -kInf, 2}));
      }
      // So close to 1 that products of many stay in range in any order.
      HostArray factors(ElementType::kFloat64, {100'000});
      for (std::int64_t i = 0; i < factors.size(); ++i) {
        factors.data<double>()[i] =
            1 + static_cast<double>(i * 7919 % 2048 - 1024) * 0x1p-20;
      }
      add("100000 factors close to 1", "mul", std::move(factors));
    }
    return cases;
  }

  absl::StatusOr<Expectations> Expected(const Case& test_case) const override {
    ASSIGN_OR_RETURN(Options options, Parse(test_case.options));
    const HostArray& in = test_case.inputs.at("in");
    Expectation out;
    out.value = HostArray(in.type(), {in.size()});
    out.defines_bits = !IsExact(test_case);
    const bool right = Dispatch(in.type(), [&](auto tag) {
      return SetExpected<typename decltype(tag)::type>(in, options, out);
    });
    if (!right) {
      return InternalError(
          "the order of the definition does not keep the error bound");
    }
    Expectations expected;
    expected.emplace("out", std::move(out));
    return expected;
  }

  absl::Status AddTolerances(const Case& test_case,
                             Expectations& computed) const override {
    if (IsExact(test_case)) return absl::OkStatus();
    ASSIGN_OR_RETURN(Options options, Parse(test_case.options));
    const bool inclusive = options.kind == Scan::Kind::kInclusive;
    const HostArray& in = test_case.inputs.at("in");
    Expectation& out = computed.at("out");
    Dispatch(in.type(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      if constexpr (std::is_floating_point_v<T>) {
        out.tolerance = options.op == Scan::Op::kMul
                            ? TolerancesOfOrders<T>(
                                  in, inclusive, out.value, ErrorOfProduct<T>(),
                                  [](auto& error, T x) { error.Multiply(x); })
                            : TolerancesOfOrders<T>(
                                  in, inclusive, out.value, ErrorOfSum<T>(),
                                  [](auto& error, T x) { error.Add(x); });
      }
    });
    return absl::OkStatus();
  }

  // A NaN of a result is the quiet NaN of std::numeric_limits.
  bool nans_have_bits() const override { return true; }

  std::vector<PresetRows> preset_rows() const override {
    return {{"primitives",
             2,
             {"int8", "int32", "int64", "float32"},
             {"kind:exclusive,op:add"}},
            {"small"},
            {"medium"},
            {"processors"},
            {"block_sizes",
             0,
             {},
             {},
             {},
             {"naive", "work_efficient", "shared_memory"}}};
  }

 private:
  // False when the description contradicts itself.
  template <typename T>
  static bool SetExpected(const HostArray& in, const Options& options,
                          Expectation& out) {
    const bool inclusive = options.kind == Scan::Kind::kInclusive;
    T* const value = out.value.data<T>();
    Prefix<T> prefix(options.op);
    for (std::int64_t i = 0; i < in.size(); ++i) {
      const T x = in.data<T>()[i];
      if (inclusive) prefix.Append(x);
      value[i] = prefix.value();
      if constexpr (std::is_floating_point_v<T>) {
        if (out.defines_bits) out.tolerance.push_back(prefix.Tolerance());
      }
      if (!inclusive) prefix.Append(x);
    }
    bool right = true;
    if constexpr (std::is_floating_point_v<T>) {
      if (!out.defines_bits) return true;
      const FixedOrder<T> order(in.span<T>(), options.op == Scan::Op::kMul);
      for (std::int64_t i = 0; i < in.size(); ++i) {
        const T exact = value[i];
        value[i] = inclusive ? order.Inclusive(i) : order.Exclusive(i);
        if (std::isnan(value[i])) {
          value[i] = std::numeric_limits<T>::quiet_NaN();
        }
        right = MoveTo(value[i], exact, out.tolerance[i]) && right;
      }
    }
    return right;
  }
};

const bool kRegistered = RegisterSpec(new ScanSpec);

const bool kLawsAreRegistered = RegisterLaws<Scan>(
    {{"shift", "inclusive[i] = exclusive[i + 1], where op is exact",
      CheckShift},
     {"concatenation",
      "scan(x ++ y) = scan(x) ++ (what x amounts to op scan(y)), where "
      "op is exact",
      CheckConcatenation}});

}  // namespace
}  // namespace concord::scan
