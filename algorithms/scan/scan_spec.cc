// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "algorithms/scan/scan.h"
#include "core/distributions.h"
#include "core/exact_float.h"
#include "core/spec.h"

namespace concord {
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

bool IsExact(const Case& test_case) {
  const std::string& op = test_case.options.at("op");
  return !IsFloat(test_case.type) || op == "min" || op == "max";
}

absl::StatusOr<HostArray> ResultFor(const Law::Run& run, Case test_case,
                                    const std::string& kind, HostArray in) {
  test_case.options["kind"] = kind;
  test_case.inputs.at("in") = std::move(in);
  absl::StatusOr<Results> results = run(test_case);
  if (!results.ok()) return results.status();
  return results->at("out");
}

// got[i] = wanted[i] for the first `count` elements.
absl::Status MustBegin(const HostArray& got, const HostArray& wanted,
                       std::int64_t count) {
  return Dispatch(got.type(), [&](auto tag) -> absl::Status {
    using T = typename decltype(tag)::type;
    for (std::int64_t i = 0; i < count; ++i) {
      const HostArray a = HostArray::Of<T>({got.data<T>()[i]});
      const HostArray b = HostArray::Of<T>({wanted.data<T>()[i]});
      if (a == b) continue;
      return absl::InternalError(absl::StrCat("[", i, "] is ", a.ToString(0),
                                              " instead of ", b.ToString(0)));
    }
    return absl::OkStatus();
  });
}

absl::Status CheckShift(const Law::Run& run, const Case& test_case) {
  const HostArray& in = test_case.inputs.at("in");
  if (!IsExact(test_case) || in.size() == 0) return absl::OkStatus();
  absl::StatusOr<HostArray> inclusive =
      ResultFor(run, test_case, "inclusive", in);
  if (!inclusive.ok()) return inclusive.status();
  absl::StatusOr<HostArray> exclusive =
      ResultFor(run, test_case, "exclusive", in);
  if (!exclusive.ok()) return exclusive.status();
  return MustBegin(exclusive->Without(0, 1), *inclusive, in.size() - 1);
}

absl::Status CheckConcatenation(const Law::Run& run, const Case& test_case) {
  const HostArray& in = test_case.inputs.at("in");
  if (!IsExact(test_case) || in.size() < 2) return absl::OkStatus();
  const std::string& kind = test_case.options.at("kind");
  const std::int64_t cut = in.size() / 3 + 1;
  absl::StatusOr<HostArray> whole = ResultFor(run, test_case, kind, in);
  if (!whole.ok()) return whole.status();
  absl::StatusOr<HostArray> front =
      ResultFor(run, test_case, kind, in.Without(cut, in.size()));
  if (!front.ok()) return front.status();
  absl::Status status = MustBegin(*whole, *front, cut);
  if (!status.ok()) return status;

  absl::StatusOr<HostArray> sums =
      ResultFor(run, test_case, "inclusive", in.Without(cut, in.size()));
  if (!sums.ok()) return sums.status();
  // What the front amounts to takes the place of its last element.
  HostArray back = in.Without(0, cut - 1);
  Dispatch(in.type(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    back.data<T>()[0] = sums->data<T>()[cut - 1];
  });
  absl::StatusOr<HostArray> rest =
      ResultFor(run, test_case, kind, std::move(back));
  if (!rest.ok()) return rest.status();
  return MustBegin(whole->Without(0, cut), rest->Without(0, 1),
                   in.size() - cut);
}

OptionSpec Choice(const char* name, const char* help, const char* by_default,
                  const std::vector<std::string>& choices) {
  OptionSpec option;
  option.name = name;
  option.kind = OptionSpec::Kind::kChoice;
  option.help = help;
  option.default_value = by_default;
  option.choices = choices;
  return option;
}

class ScanSpec : public SpecOf<Scan> {
 public:
  std::string summary() const override {
    return "prefix sums, or products, minima, maxima";
  }

  std::vector<OptionSpec> options() const override {
    return {Choice("kind", "whether a result takes in its own element",
                   "exclusive", ScanKindNames()),
            Choice("op", "how elements are combined", "add", ScanOpNames())};
  }

  absl::StatusOr<Case> Generate(const CaseRequest& request) const override {
    absl::StatusOr<OptionMap> complete =
        CompleteOptions(options(), request.options);
    if (!complete.ok()) return complete.status();
    absl::StatusOr<HostArray> in =
        Draw(request.distribution, request.type, request.size, request.seed);
    if (!in.ok()) return in.status();
    return MakeCase(
        absl::StrCat("n=", request.size, " ", Name(request.type), " ",
                     request.distribution, " seed=", request.seed),
        *std::move(complete), *std::move(in));
  }

  std::vector<Case> SpecialCases() const override {
    constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
    constexpr float kInf = std::numeric_limits<float>::infinity();
    std::vector<Case> cases;
    for (const std::string& kind : ScanKindNames()) {
      const auto add = [&](const char* label, const char* op, HostArray in) {
        cases.push_back(
            MakeCase(label, {{"kind", kind}, {"op", op}}, std::move(in)));
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

  absl::StatusOr<std::vector<OutputSpec>> OutputsOf(
      const Case& test_case) const override {
    absl::StatusOr<Options> options = Parse(test_case.options);
    if (!options.ok()) return options.status();
    const HostArray& in = test_case.inputs.at("in");
    return std::vector<OutputSpec>{{"out", in.type(), {in.size()}, "in"}};
  }

  absl::StatusOr<std::map<std::string, Expectation>> Expected(
      const Case& test_case) const override {
    absl::StatusOr<Options> options = Parse(test_case.options);
    if (!options.ok()) return options.status();
    const HostArray& in = test_case.inputs.at("in");
    Expectation out;
    out.value = HostArray(in.type(), {in.size()});
    Dispatch(in.type(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      Prefix<T> prefix(options->op);
      for (std::int64_t i = 0; i < in.size(); ++i) {
        const T x = in.data<T>()[i];
        if (options->kind == Scan::Kind::kInclusive) prefix.Append(x);
        out.value.data<T>()[i] = prefix.value();
        if constexpr (std::is_floating_point_v<T>) {
          if (!IsExact(test_case)) out.tolerance.push_back(prefix.Tolerance());
        }
        if (options->kind == Scan::Kind::kExclusive) prefix.Append(x);
      }
    });
    std::map<std::string, Expectation> expected;
    expected.emplace("out", std::move(out));
    return expected;
  }

  std::vector<Law> laws() const override {
    return {{"shift", "inclusive[i] = exclusive[i + 1], where op is exact",
             CheckShift},
            {"concatenation",
             "scan(x ++ y) = scan(x) ++ (what x amounts to op scan(y)), where "
             "op is exact",
             CheckConcatenation}};
  }

  Floor FloorOf(const Case& test_case) const override {
    const std::int64_t bytes = test_case.inputs.at("in").view().bytes();
    return {bytes, bytes};
  }

 protected:
  absl::StatusOr<Options> Parse(const OptionMap& options) const override {
    absl::StatusOr<Scan::Kind> kind = ParseScanKind(options.at("kind"));
    if (!kind.ok()) return kind.status();
    absl::StatusOr<Scan::Op> op = ParseScanOp(options.at("op"));
    if (!op.ok()) return op.status();
    return Options{*kind, *op};
  }

  absl::Status RunTyped(Scan& scan, const Inputs& inputs,
                        const Outputs& outputs,
                        const Options& options) const override {
    return scan.Run(inputs.at("in"), outputs.at("out"), options);
  }

 private:
  static Case MakeCase(std::string label, OptionMap options, HostArray in) {
    Case made;
    made.label = std::move(label);
    made.type = in.type();
    made.options = std::move(options);
    made.inputs.emplace("in", std::move(in));
    return made;
  }
};

const bool kRegistered = RegisterSpec(new ScanSpec);

}  // namespace
}  // namespace concord
