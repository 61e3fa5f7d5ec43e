// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/core/exact_float.h"

#include <gtest/gtest.h>

#include <cmath>
#include <initializer_list>
#include <limits>

namespace concord {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kMax = std::numeric_limits<float>::max();

ExactSum<float> Sum(std::initializer_list<float> values) {
  ExactSum<float> sum;
  for (const float x : values) sum.Add(x);
  return sum;
}

ExactProduct<float> Product(std::initializer_list<float> values) {
  ExactProduct<float> product;
  for (const float x : values) product.Multiply(x);
  return product;
}

TEST(ExactSum, KeepsWhatFloatsLose) {
  EXPECT_EQ(Sum({0x1p100f, 1, -0x1p100f}).value(), 1.0f);
}

TEST(ExactSum, ToleranceGrowsWithRoundingsAndMagnitude) {
  const ExactSum<float> sum = Sum({3, -2});
  // 10 roundings of 2^-24 on a magnitude of 5, and one on the value, 1.
  EXPECT_NEAR(sum.Tolerance(10), 51 * 0x1p-24, 0x1p-30);
  EXPECT_GT(sum.Tolerance(20), sum.Tolerance(10));
}

TEST(ExactSum, InfinitiesAreCertainUnlessFiniteSumsMayOverflow) {
  EXPECT_EQ(Sum({1, kInf}).value(), kInf);
  EXPECT_EQ(Sum({1, kInf}).Tolerance(2), 0);
  EXPECT_TRUE(std::isnan(Sum({kInf, -kInf}).value()));
  EXPECT_EQ(Sum({kInf, -kInf}).Tolerance(2), 0);
  // -max - max + inf is NaN or inf: as the order will have it.
  EXPECT_EQ(Sum({-kMax, -kMax, kInf}).Tolerance(3), HUGE_VAL);
  EXPECT_EQ(Sum({kMax, kMax, -kMax}).Tolerance(3), HUGE_VAL);
}

TEST(ErrorOfSum, IsThatOfTheExactSum) {
  ErrorOfSum<float> error;
  for (const float x : {3.0f, -2.0f}) error.Add(x);
  EXPECT_EQ(error.Tolerance(10, 1), Sum({3, -2}).Tolerance(10));
  EXPECT_EQ(error.ToleranceOfTwo(10, 1), 2 * Sum({3, -2}).Tolerance(10));
  EXPECT_EQ(error.ToleranceOfTwo(10, -1), error.ToleranceOfTwo(10, 1));
}

TEST(RelativeError, IsNoSmallerThanManyRoundings) {
  for (const double unit : {0x1p-24, 0x1p-53}) {
    for (double roundings = 1; roundings < 0x1p55; roundings *= 1.7) {
      const double exact = std::expm1(roundings * unit);
      const double error = RelativeError(roundings, unit);
      EXPECT_GE(error, exact * (1 - 0x1p-50)) << roundings;
      EXPECT_LE(error, 1.02 * exact) << roundings;
    }
  }
}

TEST(ErrorOfProduct, TellsTwoProductsApartByOneOfThem) {
  ErrorOfProduct<float> error;
  for (const float x : {1.5f, -1.5f}) error.Multiply(x);
  EXPECT_NEAR(error.ToleranceOfTwo(2, -2.25f), 2 * 3 * 2.25 * 0x1p-24, 0x1p-28);
  // With so many roundings one of the two may be 0, and the other one not.
  EXPECT_EQ(error.ToleranceOfTwo(0x1p24, -2.25f), HUGE_VAL);
  error.Multiply(0.0f);
  EXPECT_EQ(error.ToleranceOfTwo(0x1p24, 0.0f), 0);
}

TEST(ExactProduct, KeepsWhatFloatsLose) {
  EXPECT_EQ(Product({0x1p100f, 0x1p100f, -0x1p-100f, 0x1p-99f}).value(), -2.0f);
  EXPECT_EQ(Product({0x1p100f, 0x1p100f}).value(), kInf);
  EXPECT_EQ(Product({0x1p-100f, -0x1p-100f}).value(), 0.0f);
}

TEST(ExactProduct, ToleranceIsInfiniteWhereTheOrderDecides) {
  EXPECT_EQ(Product({0x1p100f, 0x1p100f, 0x1p-120f}).Tolerance(3), HUGE_VAL);
  EXPECT_EQ(Product({0x1p-100f, 0x1p-100f, 0x1p90f}).Tolerance(3), HUGE_VAL);
  EXPECT_NEAR(Product({1.5f, 1.5f}).Tolerance(2), 3 * 2.25 * 0x1p-24, 0x1p-28);
}

TEST(ExactProduct, ZerosAndInfinitiesAreCertain) {
  EXPECT_EQ(Product({0.0f, -3.0f}).Tolerance(2), 0);
  EXPECT_TRUE(std::signbit(Product({0.0f, -3.0f}).value()));
  EXPECT_EQ(Product({kInf, -3.0f}).value(), -kInf);
  EXPECT_TRUE(std::isnan(Product({kInf, 0.0f}).value()));
  // max * max overflows before the zero, or does not.
  EXPECT_EQ(Product({kMax, kMax, 0.0f}).Tolerance(3), HUGE_VAL);
}

}  // namespace
}  // namespace concord
