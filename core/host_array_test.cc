// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/core/host_array.h"

#include <clocale>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace concord {
namespace {

using ::testing::ElementsAre;

TEST(ElementTypes, NamesReadBack) {
  for (ElementType type : AllElementTypes()) {
    const auto parsed = ParseElementType(Name(type));
    ASSERT_TRUE(parsed.ok());
    EXPECT_EQ(*parsed, type);
  }
  EXPECT_FALSE(ParseElementType("int16").ok());
}

TEST(HostArray, ShapeGivesTheSize) {
  const HostArray array(ElementType::kInt32, {3, 5});
  EXPECT_EQ(array.size(), 15);
  EXPECT_EQ(array.view().bytes(), 60);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(array.view().data()) % 64, 0u);
}

TEST(HostArray, ShapesFromOutsideAreCheckedBeforeMemoryIsTaken) {
  EXPECT_THAT(HostArray::Make(ElementType::kInt32, {3, 5})->shape(),
              ElementsAre(3, 5));
  EXPECT_EQ(HostArray::Make(ElementType::kInt32, {-1}).status().code(),
            absl::StatusCode::kInvalidArgument);
  // The first two wrap to 0 bytes; the last could be, were there that much.
  const std::vector<std::vector<std::int64_t>> shapes = {
      {std::int64_t{1} << 62},
      {std::int64_t{1} << 32, std::int64_t{1} << 32},
      {std::int64_t{1} << 58}};
  for (const std::vector<std::int64_t>& shape : shapes) {
    EXPECT_EQ(HostArray::Make(ElementType::kInt32, shape).status().code(),
              absl::StatusCode::kResourceExhausted);
    EXPECT_THROW(HostArray(ElementType::kInt32, shape), std::bad_alloc);
  }
}

TEST(HostArray, WithoutLeavesTheRest) {
  const HostArray array = HostArray::Of<std::int64_t>({1, 2, 3, 4, 5});
  EXPECT_THAT(array.Without(1, 3).span<std::int64_t>(), ElementsAre(1, 4, 5));
  EXPECT_EQ(array.Without(0, 5).size(), 0);
}

TEST(HostArray, EqualityIsOfBits) {
  EXPECT_EQ(HostArray::Of<float>({NAN}), HostArray::Of<float>({NAN}));
  EXPECT_NE(HostArray::Of<float>({0.0f}), HostArray::Of<float>({-0.0f}));
  EXPECT_NE(HostArray::Of<std::int8_t>({1}), HostArray::Of<std::uint8_t>({1}));
}

TEST(HostArray, CopiesAreOfTheElementsOfTheView) {
  const std::vector<int> values = {1, 2, 3, 4, 5, 6};
  const auto copy = [&](int first, const Shape& shape) {
    return HostArray::CopyOf(
        ConstArrayView(values.data() + first, shape, Memory::Host()));
  };
  EXPECT_EQ(copy(1, Shape(3)), HostArray::Of<int>({2, 3, 4}));
  EXPECT_EQ(copy(0, Shape(3).WithStrides(2)), HostArray::Of<int>({1, 3, 5}));
  EXPECT_EQ(copy(5, Shape(3).WithStrides(-2)), HostArray::Of<int>({6, 4, 2}));
  const HostArray turned = copy(0, Shape(2, 3).WithStrides(1, 2));
  EXPECT_EQ(turned.shape(), (std::vector<std::int64_t>{2, 3}));
  EXPECT_THAT(turned.span<int>(), testing::ElementsAre(1, 3, 5, 2, 4, 6));
  EXPECT_EQ(copy(0, Shape(0).WithStrides(2)).size(), 0);
}

TEST(HostArray, TextReadsBackToTheSameValue) {
  const float third = 1.0f / 3.0f;
  EXPECT_EQ(std::strtof(ElementToString(third).c_str(), nullptr), third);
  EXPECT_EQ(ElementToString(std::int8_t{-128}), "-128");
  EXPECT_EQ(ElementToString(std::numeric_limits<std::uint64_t>::max()),
            "18446744073709551615");
  EXPECT_EQ(ElementToString(-0.0), "-0");
}

TEST(HostArray, TextHasAPointInEveryLocale) {
  if (std::setlocale(LC_ALL, "de_DE.UTF-8") == nullptr) {
    GTEST_SKIP() << "no locale with a comma is installed";
  }
  EXPECT_EQ(ElementToString(1.5e300), "1.5000000000000001e+300");
  EXPECT_EQ(ElementToString(2.5f), "2.5");
  std::setlocale(LC_ALL, "C");
}

}  // namespace
}  // namespace concord
