// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/core/spec.h"

#include <cmath>
#include <limits>
#include <type_traits>

#include "absl/strings/str_cat.h"
#include "concord/algorithms/transform/transform.h"
#include "concord/core/errors.h"

namespace concord::transform {
namespace {

using Op = Transform::Op;

// Nothing here uses core/operators.h or transform_operators.h, which are under
// test. Integers are computed with in 128 bits and cut.
using Wide = __int128;

template <typename T>
T CutOrQuiet(T value) {
  return value == value ? value : std::numeric_limits<T>::quiet_NaN();
}

template <typename T>
T ExpectedAffine(T x, T scale, T offset) {
  if constexpr (std::is_floating_point_v<T>) {
    // Bits are asked for, so this must round where the definition does.
    volatile T product = x * scale;
    return CutOrQuiet<T>(product + offset);
  } else {
    using UnsignedWide = unsigned __int128;
    return static_cast<T>(static_cast<UnsignedWide>(x) *
                              static_cast<UnsignedWide>(scale) +
                          static_cast<UnsignedWide>(offset));
  }
}

template <typename T>
T ExpectedAbs(T x) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::copysign(x, T{1});
  } else {
    const Wide wide = x;
    return static_cast<T>(wide < 0 ? -wide : wide);
  }
}

template <typename Out, typename In>
Out ExpectedCast(In x) {
  if constexpr (std::is_same_v<In, Out>) {
    return x;
  } else if constexpr (std::is_floating_point_v<Out>) {
    const Out result = static_cast<Out>(x);
    return result == result ? result : std::numeric_limits<Out>::quiet_NaN();
  } else if constexpr (std::is_floating_point_v<In>) {
    if (std::isnan(x)) return 0;
    // 64 bits of precision: all integers there are.
    static_assert(std::numeric_limits<long double>::digits >= 64);
    const long double whole = std::trunc(static_cast<long double>(x));
    const auto least =
        static_cast<long double>(std::numeric_limits<Out>::min());
    const auto most = static_cast<long double>(std::numeric_limits<Out>::max());
    return static_cast<Out>(whole < least  ? least
                            : whole > most ? most
                                           : whole);
  } else {
    return static_cast<Out>(static_cast<Wide>(x));
  }
}

template <typename T>
bool ExpectedComparison(Op op, T x, T c) {
  const bool below = x < c;
  const bool above = c < x;
  const bool same = x == c;
  if (op == Op::kLess) return below;
  if (op == Op::kLessEqual) return below || same;
  if (op == Op::kEqual) return same;
  if (op == Op::kNotEqual) return !same;
  if (op == Op::kGreaterEqual) return above || same;
  return above;
}

template <typename T>
HostArray ExpectedArray(const HostArray& in,
                        const Transform::Options& options) {
  HostArray out(ResultType(in.type(), options), {in.size()});
  Dispatch(out.type(), [&](auto tag) {
    using Out = typename decltype(tag)::type;
    for (std::int64_t i = 0; i < in.size(); ++i) {
      const T x = in.data<T>()[i];
      Out& result = out.data<Out>()[i];
      if (IsComparison(options.op)) {
        result = ExpectedComparison(options.op, x, options.constant.As<T>());
      } else if (options.op == Op::kAffine) {
        if constexpr (std::is_same_v<T, Out>) {
          result = ExpectedAffine<T>(x, options.scale.As<T>(),
                                     options.offset.As<T>());
        }
      } else if (options.op == Op::kSquare) {
        if constexpr (std::is_same_v<T, Out>) {
          result = ExpectedAffine<T>(x, x, T{0});
          // -0.0 squared is +0.0 already; adding 0 changes nothing.
        }
      } else if (options.op == Op::kAbs) {
        if constexpr (std::is_same_v<T, Out>) result = ExpectedAbs<T>(x);
      } else {
        result = ExpectedCast<Out, T>(x);
      }
    }
  });
  return out;
}

constexpr char kSameType[] = "same";

std::vector<std::string> NamesOfTypes() {
  std::vector<std::string> names = {kSameType};
  for (const ElementType type : AllElementTypes()) {
    names.emplace_back(Name(type));
  }
  return names;
}

class TransformSpec : public SpecOf<Transform> {
 public:
  std::vector<OptionMap> OptionCombinations(ElementType type) const override {
    std::vector<OptionMap> combinations;
    const auto add = [&](const OptionMap& given) {
      combinations.push_back(*CompleteOptions(options(), given));
    };
    add({{"op", "affine"}, {"scale", "3"}, {"offset", "100"}});
    if (IsFloat(type)) {
      add({{"op", "affine"}, {"scale", "-0.1"}, {"offset", "1e-3"}});
    } else if (type == ElementType::kInt8 || type == ElementType::kInt32 ||
               type == ElementType::kInt64) {
      add({{"op", "affine"}, {"scale", "-7"}, {"offset", "-1"}});
    }
    for (const std::string& op : Transform::GetSignature().ChoicesOf("op")) {
      if (op == "affine" || op == "cast") continue;
      const bool compares = IsComparison(Parse({{"op", op}})->op);
      // One of the values of the distribution `small`.
      add({{"op", op}, {"constant", compares ? "2" : "0"}});
    }
    for (const std::string& to : NamesOfTypes()) {
      add({{"op", "cast"}, {"to", to}});
    }
    return combinations;
  }

  std::vector<Case> SpecialCases() const override {
    std::vector<Case> cases;
    const auto add = [&](const char* label, const OptionMap& given,
                         const HostArray& in) {
      cases.push_back(MakeCase(label, *CompleteOptions(options(), given), in));
    };
    add("a product that a fused operation would round once",
        {{"op", "affine"}, {"scale", "0.1"}, {"offset", "-0.01"}},
        HostArray::Of<double>({0.1, 0.1f, 1 + 0x1p-52}));
    for (const ElementType type : AllElementTypes()) {
      const HostArray edges = Edges(type);
      for (const ElementType to : AllElementTypes()) {
        add("edges of all types",
            {{"op", "cast"}, {"to", std::string(Name(to))}}, edges);
      }
      for (const std::string& op : Transform::GetSignature().ChoicesOf("op")) {
        const Op parsed = Parse({{"op", op}})->op;
        if (parsed == Op::kCast) continue;
        if (!IsComparison(parsed)) {
          add("edges of all types", {{"op", op}}, edges);
          continue;
        }
        // What has nothing below it, or nothing above it.
        for (const std::string& constant : Extremes(type)) {
          add("edges of all types", {{"op", op}, {"constant", constant}},
              edges);
        }
      }
    }
    return cases;
  }

  absl::StatusOr<Expectations> Expected(const Case& test_case) const override {
    ASSIGN_OR_RETURN(Options options, Parse(test_case.options));
    const HostArray& in = test_case.inputs.at("in");
    Expectations expected;
    Dispatch(in.type(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      expected["out"].value = ExpectedArray<T>(in, options);
    });
    return expected;
  }

  // A NaN is the quiet one of std::numeric_limits, or a copy with its bits.
  bool nans_have_bits() const override { return true; }

  std::vector<PresetRows> preset_rows() const override {
    return {{"primitives",
             6,
             {"int8", "int32", "float32"},
             {"op:affine", "op:cast,to:float64"}},
            {"small"}};
  }

 private:
  static std::vector<std::string> Extremes(ElementType type) {
    if (IsFloat(type)) return {"-inf", "-0.0", "inf", "nan"};
    return Dispatch(type, [](auto tag) -> std::vector<std::string> {
      using Limits = std::numeric_limits<typename decltype(tag)::type>;
      return {absl::StrCat(Limits::min()), absl::StrCat(Limits::max())};
    });
  }

  // Ends of the ranges of all types, as far as the type has them, with what
  // stands on both sides of them.
  static HostArray Edges(ElementType type) {
    return Dispatch(type, [](auto tag) {
      using T = typename decltype(tag)::type;
      using Limits = std::numeric_limits<T>;
      std::vector<T> edges = {0, 1, Limits::lowest(), Limits::max()};
      if constexpr (std::is_floating_point_v<T>) {
        constexpr T kInf = Limits::infinity();
        edges.insert(edges.end(),
                     {T(-0.0), T(0.75), T(-0.75), kInf, -kInf,
                      Limits::quiet_NaN(), -Limits::quiet_NaN(),
                      Limits::signaling_NaN(), -Limits::signaling_NaN(),
                      Limits::denorm_min(), -Limits::denorm_min()});
        for (const int bits : {7, 8, 31, 32, 63, 64}) {
          const T power = std::ldexp(T{1}, bits);
          edges.insert(
              edges.end(),
              {power, std::nextafter(power, T{0}), std::nextafter(power, kInf),
               -power, std::nextafter(-power, T{0}), -power - T{1}});
        }
        // To float32: ties, and what rounds to infinity.
        edges.push_back(static_cast<T>(1 + 0x1p-24));
        edges.push_back(static_cast<T>(1 + 3 * 0x1p-24));
        edges.push_back(static_cast<T>(0x1.ffffffp127));
      } else {
        edges.push_back(static_cast<T>(Limits::lowest() + T{1}));
        edges.push_back(static_cast<T>(Limits::max() - T{1}));
        if constexpr (sizeof(T) == 8) {
          // To float32 in one rounding, not by way of float64.
          edges.push_back(static_cast<T>((std::uint64_t{1} << 62) +
                                         (std::uint64_t{1} << 38) + 1));
        }
      }
      return HostArray::Of<T>(edges);
    });
  }
};

const bool kRegistered = RegisterSpec(new TransformSpec);

}  // namespace
}  // namespace concord::transform
