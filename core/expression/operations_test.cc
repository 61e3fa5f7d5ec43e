// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Every operation on every type, at the edges of the type: against exact
// arithmetic of 128 bits for integers, against wider floats that are rounded
// once for floats.

#include "concord/core/expression/operations.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "concord/core/expression/apply.h"
#include "concord/core/expression/value_type.h"
#include "gtest/gtest.h"

namespace concord::expression {
namespace {

using Exact = __int128;
using ExactUnsigned = unsigned __int128;
using Quad = __float128;

template <typename T>
using Limits = std::numeric_limits<T>;

template <typename T>
std::vector<T> Edges() {
  if constexpr (std::is_same_v<T, bool>) {
    return {false, true};
  } else if constexpr (std::is_floating_point_v<T>) {
    std::vector<T> values = {T{0},
                             Limits<T>::denorm_min(),
                             Limits<T>::min(),
                             T{0.5},
                             Limits<T>::epsilon(),
                             T{1} - Limits<T>::epsilon() / 2,
                             T{1},
                             T{1} + Limits<T>::epsilon(),
                             T{1.5},
                             T{2},
                             T{2.5},
                             T{3},
                             static_cast<T>(0.1),
                             T{127},
                             T{128},
                             T{255},
                             T{255.5},
                             T{256},
                             T{2147483520},
                             T{2147483648},
                             T{4294967296},
                             static_cast<T>(0x1p52) + T{0.5},
                             static_cast<T>(0x1p63),
                             static_cast<T>(0x1p64),
                             Limits<T>::max(),
                             Limits<T>::infinity(),
                             Limits<T>::quiet_NaN()};
    for (std::size_t k = values.size(); k-- > 0;) values.push_back(-values[k]);
    return values;
  } else {
    std::vector<T> values;
    for (int k : {0, 1, 2, 3, 5, 7, 8, 31, 32, 33, 63, 64, 100}) {
      values.push_back(static_cast<T>(k));
      values.push_back(static_cast<T>(-k));
      values.push_back(static_cast<T>(Limits<T>::max() - k));
      values.push_back(static_cast<T>(Limits<T>::min() + k));
    }
    values.push_back(static_cast<T>(Limits<T>::max() / 2));
    values.push_back(static_cast<T>(0x5555555555555555));
    return values;
  }
}

// What is left of an exact integer in a type of fewer bits.
template <typename T>
T Wrap(Exact exact) {
  Exact modulus = 1;
  for (int k = 0; k < meaning::kWidth<T>; ++k) modulus *= 2;
  Exact rest = exact % modulus;
  if (rest < 0) rest += modulus;
  if (rest > static_cast<Exact>(Limits<T>::max())) rest -= modulus;
  return static_cast<T>(rest);
}

template <typename T>
T ExactPower(int exponent) {
  T power = 1;
  for (int k = 0; k < exponent; ++k) power *= 2;
  return power;
}

int ModuloWidth(Exact count, int width) {
  return static_cast<int>((count % width + width) % width);
}

// How many bits are set, or are zeros before the first that is.
template <typename T>
int CountRule(Op op, T a) {
  const int width = meaning::kWidth<T>;
  int count = 0;
  switch (op) {
    case Op::kPopcount:
      for (int k = 0; k < width; ++k) count += (a >> k & 1) != 0 ? 1 : 0;
      return count;
    case Op::kClz:
      while (count < width && (a >> (width - 1 - count) & 1) == 0) ++count;
      return count;
    default:
      while (count < width && (a >> count & 1) == 0) ++count;
      return count;
  }
}

// Bit by bit.
template <typename T>
T BitRule(Op op, T a, T b) {
  Exact bits = 0;
  for (int k = 0; k < meaning::kWidth<T>; ++k) {
    const int p = (a >> k & 1) != 0, q = (b >> k & 1) != 0;
    const bool one = op == Op::kAnd  ? p + q == 2
                     : op == Op::kOr ? p + q > 0
                                     : p + q == 1;
    if (one) bits += ExactPower<Exact>(k);
  }
  return Wrap<T>(bits);
}

template <typename T>
std::optional<T> IntegerRule(Op op, T a, T b) {
  const Exact x = a, y = b;
  const int width = meaning::kWidth<T>;
  switch (op) {
    case Op::kNegate:
      return Wrap<T>(-x);
    case Op::kNot:
      return Wrap<T>(-x - 1);
    case Op::kAbs:
      return Wrap<T>(x < 0 ? -x : x);
    case Op::kPopcount:
    case Op::kClz:
    case Op::kCtz:
      return static_cast<T>(CountRule(op, a));
    case Op::kAdd:
      return Wrap<T>(x + y);
    case Op::kSubtract:
      return Wrap<T>(x - y);
    case Op::kMultiply:
      return Wrap<T>(static_cast<Exact>(static_cast<ExactUnsigned>(x) *
                                        static_cast<ExactUnsigned>(y)));
    case Op::kDivide:
      return y == 0 ? T{0} : Wrap<T>(x / y);
    case Op::kRemainder:
      return y == 0 ? a : Wrap<T>(x - (x / y) * y);
    case Op::kMinimum:
      return y < x ? b : a;
    case Op::kMaximum:
      return y > x ? b : a;
    case Op::kAnd:
    case Op::kOr:
    case Op::kXor:
      return BitRule(op, a, b);
    case Op::kShiftLeft:
      return Wrap<T>(
          static_cast<Exact>(static_cast<ExactUnsigned>(x) *
                             ExactPower<ExactUnsigned>(ModuloWidth(y, width))));
    case Op::kShiftRight: {
      const Exact power = ExactPower<Exact>(ModuloWidth(y, width));
      const Exact truncated = x / power;
      return static_cast<T>(truncated - (truncated * power > x ? 1 : 0));
    }
    default:
      return std::nullopt;
  }
}

template <typename T>
T FloatMinimum(T a, T b) {
  if (std::isnan(a) || std::isnan(b)) return Limits<T>::quiet_NaN();
  if (a == b) return std::signbit(a) ? a : b;
  return a < b ? a : b;
}

// Floats of twice the digits, and two more, are as good as exact numbers for
// one operation that is then rounded.
template <typename T>
std::optional<T> FloatRule(Op op, T a, T b) {
  const Quad x = a, y = b;
  switch (op) {
    case Op::kNegate:
      return std::copysign(a, std::signbit(a) ? T{1} : T{-1});
    case Op::kAbs:
      return std::copysign(a, T{1});
    case Op::kAdd:
      return static_cast<T>(x + y);
    case Op::kSubtract:
      return static_cast<T>(x - y);
    case Op::kMultiply:
      return static_cast<T>(x * y);
    case Op::kDivide:
      return static_cast<T>(x / y);
    case Op::kMinimum:
      return FloatMinimum(a, b);
    case Op::kMaximum:
      return -FloatMinimum(-a, -b);
    default:
      return std::nullopt;
  }
}

template <typename T>
std::string Shown(Op op, T a, T b) {
  const Type type = ValueTypeOf<T>();
  return std::string(Name(op)) + " of " + std::string(Name(type)) + " " +
         ToString(type, ToWord(a)) + " and " + ToString(type, ToWord(b));
}

template <typename T>
class Operations : public ::testing::Test {};
using AllCppTypes =
    ::testing::Types<bool, std::int8_t, std::uint8_t, std::int32_t,
                     std::uint32_t, std::int64_t, std::uint64_t, float, double>;
TYPED_TEST_SUITE(Operations, AllCppTypes);

TYPED_TEST(Operations, GiveWhatExactArithmeticGives) {
  using T = TypeParam;
  constexpr Type kType = ValueTypeOf<T>();
  int checked = 0;
  for (Op op : AllOperations()) {
    for (T a : Edges<T>()) {
      for (T b : Edges<T>()) {
        if (std::is_same_v<T, bool> || !IsFor(op, kType)) continue;
        std::optional<T> rule;
        if constexpr (std::is_floating_point_v<T>) {
          rule = FloatRule(op, a, b);
        } else if constexpr (!std::is_same_v<T, bool>) {
          rule = IntegerRule(op, a, b);
        }
        if (!rule.has_value()) continue;
        ++checked;
        ASSERT_EQ(ToString(kType, Apply(op, kType, ToWord(a), ToWord(b))),
                  ToString(kType, ToWord(*rule)))
            << Shown(op, a, b);
      }
    }
  }
  EXPECT_EQ(checked > 1000, kType != Type::kBool);
}

TYPED_TEST(Operations, CompareAsNumbersDo) {
  using T = TypeParam;
  constexpr Type kType = ValueTypeOf<T>();
  for (T a : Edges<T>()) {
    for (T b : Edges<T>()) {
      const bool unordered = a != a || b != b;
      const long double x = a, y = b;
      const Word p = ToWord(a), q = ToWord(b);
      ASSERT_EQ(Apply(Op::kEqual, kType, p, q), !unordered && x == y)
          << Shown(Op::kEqual, a, b);
      if (!IsFor(Op::kLess, kType)) continue;
      ASSERT_EQ(Apply(Op::kLess, kType, p, q), !unordered && x < y);
      ASSERT_EQ(Apply(Op::kLessEqual, kType, p, q), !unordered && !(y < x));
    }
  }
}

TYPED_TEST(Operations, ChooseWithoutLookingAtBits) {
  using T = TypeParam;
  constexpr Type kType = ValueTypeOf<T>();
  for (T a : Edges<T>()) {
    for (T b : Edges<T>()) {
      EXPECT_EQ(Apply(Op::kSelect, kType, 1, ToWord(a), ToWord(b)), ToWord(a));
      EXPECT_EQ(Apply(Op::kSelect, kType, 0, ToWord(a), ToWord(b)), ToWord(b));
    }
  }
}

TEST(BoolOperations, AreThoseOfLogic) {
  for (Word a : {0, 1}) {
    EXPECT_EQ(Apply(Op::kNot, Type::kBool, a), 1 - a);
    for (Word b : {0, 1}) {
      EXPECT_EQ(Apply(Op::kAnd, Type::kBool, a, b), a * b);
      EXPECT_EQ(Apply(Op::kOr, Type::kBool, a, b), a + b > 0);
      EXPECT_EQ(Apply(Op::kXor, Type::kBool, a, b), a + b == 1);
    }
  }
}

template <typename T>
class FloatOperations : public ::testing::Test {
 protected:
  static T Of(Op op, T a) {
    return FromWord<T>(Apply(op, ValueTypeOf<T>(), ToWord(a)));
  }
};
using FloatTypes = ::testing::Types<float, double>;
TYPED_TEST_SUITE(FloatOperations, FloatTypes);

// The whole numbers around a value, found without rounding functions. Floats
// of 2^52 and more are whole.
TYPED_TEST(FloatOperations, RoundToWholeNumbers) {
  using T = TypeParam;
  for (T a : Edges<T>()) {
    if (std::isnan(a) || std::isinf(a) || std::abs(a) >= T{0x1p52}) {
      for (Op op : {Op::kFloor, Op::kCeil, Op::kTrunc, Op::kRound}) {
        EXPECT_EQ(ToWord(this->Of(op, a)), ToWord(CanonicalNan(a)));
      }
      continue;
    }
    const auto truncated = static_cast<std::int64_t>(a);
    const T rest = a - static_cast<T>(truncated);
    const std::int64_t floor = truncated - (rest < 0 ? 1 : 0);
    const std::int64_t ceil = truncated + (rest > 0 ? 1 : 0);
    const T above = a - static_cast<T>(floor);
    const std::int64_t even = floor % 2 == 0 ? floor : ceil;
    const std::int64_t round = above < T{0.5}   ? floor
                               : above > T{0.5} ? ceil
                                                : even;
    const auto with_sign = [a](std::int64_t whole) {
      return ToWord(std::copysign(static_cast<T>(whole), a));
    };
    EXPECT_EQ(ToWord(this->Of(Op::kFloor, a)), with_sign(floor)) << a;
    EXPECT_EQ(ToWord(this->Of(Op::kCeil, a)), with_sign(ceil)) << a;
    EXPECT_EQ(ToWord(this->Of(Op::kTrunc, a)), with_sign(truncated)) << a;
    EXPECT_EQ(ToWord(this->Of(Op::kRound, a)), with_sign(round)) << a;
  }
}

// The square of a root is nearer to the value than those of its neighbours'
// midpoints: exact in four times the digits.
TYPED_TEST(FloatOperations, RootsAreRoundedToNearest) {
  using T = TypeParam;
  for (T a : Edges<T>()) {
    const T root = this->Of(Op::kSqrt, a);
    if (std::isnan(a) || a < 0) {
      EXPECT_EQ(ToWord(root), ToWord(Limits<T>::quiet_NaN())) << a;
      continue;
    }
    if (a == 0 || std::isinf(a)) {
      EXPECT_EQ(ToWord(root), ToWord(a));
      continue;
    }
    const Quad low = (Quad{root} + std::nextafter(root, T{0})) / 2;
    const Quad high = (Quad{root} + std::nextafter(root, 2 * root)) / 2;
    EXPECT_TRUE(low * low <= a && a <= high * high) << a;
  }
}

TYPED_TEST(FloatOperations, FmaRoundsOnce) {
  using T = TypeParam;
  constexpr Type kType = ValueTypeOf<T>();
  const auto fma = [](T a, T b, T c) {
    return FromWord<T>(Apply(Op::kFma, kType, ToWord(a), ToWord(b), ToWord(c)));
  };
  const T e = Limits<T>::epsilon();
  EXPECT_EQ(fma(1 + e, 1 + e, -(1 + 2 * e)), e * e);
  EXPECT_EQ(fma(1 + e, 1 - e, T{-1}), -e * e);
  EXPECT_EQ(fma(1 + e / 2 * 2, T{0.5}, T{0.5}), 1 + e / 2);
  EXPECT_EQ(fma(Limits<T>::max(), T{2}, -Limits<T>::max()), Limits<T>::max());
  EXPECT_TRUE(std::signbit(fma(T{-0.0}, T{1}, T{-0.0})));
  EXPECT_EQ(ToWord(fma(Limits<T>::infinity(), T{0}, T{1})),
            ToWord(Limits<T>::quiet_NaN()));
  EXPECT_EQ(Apply(Op::kIsNan, kType, ToWord(Limits<T>::quiet_NaN())), 1u);
  EXPECT_EQ(Apply(Op::kIsNan, kType, ToWord(Limits<T>::infinity())), 0u);
}

// What a cast gives, said by what is exact: all integers are long doubles.
template <typename To, typename From>
To CastRule(From a) {
  const long double x = a;
  if constexpr (std::is_same_v<To, bool>) {
    return !(x == 0);
  } else if constexpr (std::is_floating_point_v<To>) {
    return CanonicalNan(static_cast<To>(x));
  } else if constexpr (std::is_floating_point_v<From>) {
    if (std::isnan(a)) return 0;
    const long double whole = std::trunc(x);
    if (whole > static_cast<long double>(Limits<To>::max())) {
      return Limits<To>::max();
    }
    if (whole < static_cast<long double>(Limits<To>::min())) {
      return Limits<To>::min();
    }
    return static_cast<To>(whole);
  } else {
    return Wrap<To>(Exact{a});
  }
}

TYPED_TEST(Operations, CastsFollowTheirRule) {
  using From = TypeParam;
  for (Type to : AllTypes()) {
    Dispatch(to, [&](auto tag) {
      using To = typename decltype(tag)::type;
      for (From a : Edges<From>()) {
        EXPECT_EQ(Cast(ValueTypeOf<From>(), to, ToWord(a)),
                  ToWord(CastRule<To>(a)))
            << Name(to) << " of " << ToString(ValueTypeOf<From>(), ToWord(a));
      }
    });
  }
}

TEST(Words, HoldValuesOfEachType) {
  for (Type type : AllTypes()) {
    Dispatch(type, [&](auto tag) {
      using T = typename decltype(tag)::type;
      for (T value : Edges<T>()) {
        const Word word = ToWord(value);
        EXPECT_EQ(ToWord(FromWord<T>(word)), word);
        EXPECT_EQ(TypeNamed(Name(type)), type);
      }
    });
  }
  EXPECT_EQ(ToString(Type::kInt8, ToWord(std::int8_t{-128})), "-128");
  EXPECT_EQ(ToString(Type::kFloat32, ToWord(0.1f)), "0.1");
  EXPECT_EQ(ToString(Type::kFloat64, ToWord(0.1 + 0.2)), "0.30000000000000004");
  EXPECT_EQ(ToString(Type::kFloat64, ToWord(-0.0)), "-0");
  EXPECT_EQ(ToString(Type::kUInt64, ~Word{0}), "18446744073709551615");
}

}  // namespace
}  // namespace concord::expression
