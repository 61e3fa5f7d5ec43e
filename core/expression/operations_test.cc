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

#include "concord/core/expression/apply.h"
#include "concord/core/expression/edge_values.h"
#include "concord/core/expression/value_type.h"
#include "gtest/gtest.h"

namespace concord::expression {
namespace {

template <typename T>
using Limits = std::numeric_limits<T>;

using Exact = __int128;
using ExactUnsigned = unsigned __int128;
using Quad = __float128;

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
