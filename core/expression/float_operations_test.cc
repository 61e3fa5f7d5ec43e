// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// What floats alone have: rounding to whole numbers, roots and fma, by numbers
// of more digits.

#include <cmath>
#include <cstdint>
#include <limits>

#include "concord/core/expression/apply.h"
#include "concord/core/expression/edge_values.h"
#include "concord/core/expression/operations.h"
#include "concord/core/expression/value_type.h"
#include "gtest/gtest.h"

namespace concord::expression {
namespace {

using Quad = __float128;

template <typename T>
using Limits = std::numeric_limits<T>;

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

}  // namespace
}  // namespace concord::expression
