// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/algorithms/transform/transform.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "concord/core/backend.h"
#include "concord/core/registry.h"
#include "concord/core/signature.h"
#include "concord/testing/support/differential.h"
#include "concord/testing/support/named_backends.h"

namespace concord {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Op = Transform::Op;

const bool kDifferential = AddDifferentialSuite("transform");

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

Transform::Options Only(Op op) {
  Transform::Options options;
  options.op = op;
  return options;
}

class TransformOn : public ::testing::TestWithParam<std::string> {
 protected:
  template <typename Out, typename In>
  std::vector<Out> Result(const std::vector<In>& in,
                          const Transform::Options& options) {
    return ValueOf(ComputeTransform<Out, In>(Open(GetParam()), in, options));
  }

  template <typename To, typename From>
  std::vector<To> Cast(const std::vector<From>& in) {
    Transform::Options options = Only(Op::kCast);
    options.to = ElementTypeOf<To>();
    return Result<To>(in, options);
  }

  template <typename T>
  std::vector<std::uint8_t> Compare(const std::vector<T>& in, Op op, T c) {
    Transform::Options options = Only(op);
    options.constant = c;
    return Result<std::uint8_t>(in, options);
  }
};

INSTANTIATE_TEST_SUITE_P(Backends, TransformOn, CpuBackends(), NameOfParameter);

TEST_P(TransformOn, AffineOfIntegersWraps) {
  Transform::Options options;
  options.scale = 3;
  options.offset = -2;
  EXPECT_THAT(
      Result<std::int32_t>(std::vector<std::int32_t>{0, 1, 5, -4}, options),
      ElementsAre(-2, 1, 13, -14));
  EXPECT_THAT(Result<std::int8_t>(std::vector<std::int8_t>{100, -128}, options),
              ElementsAre(42, 126));
}

TEST_P(TransformOn, AffineOfFloatsRoundsTwice) {
  Transform::Options options;
  options.scale = 1 + 0x1p-12;
  options.offset = -(1 + 0x1p-11);
  // Fused, the square of the last bit, 2^-24, would be left.
  EXPECT_THAT(Result<float>(std::vector<float>{1 + 0x1p-12f}, options),
              ElementsAre(0.0f));
}

TEST_P(TransformOn, TheSmallestIntegerHasNoAbsoluteValue) {
  constexpr std::int32_t kLeast = std::numeric_limits<std::int32_t>::min();
  EXPECT_THAT(Result<std::int32_t>(std::vector<std::int32_t>{kLeast, -3, 4},
                                   Only(Op::kAbs)),
              ElementsAre(kLeast, 3, 4));
  EXPECT_THAT(
      Result<std::int8_t>(std::vector<std::int8_t>{-128, -127}, Only(Op::kAbs)),
      ElementsAre(-128, 127));
}

// Words in and out: no comparison of floats tells NaNs apart.
template <typename T, typename Word>
std::vector<Word> AbsOfBits(const std::string& spec,
                            const std::vector<Word>& bits) {
  std::vector<Word> out(bits.size());
  const auto n = static_cast<std::int64_t>(bits.size());
  EXPECT_EQ(
      ComputeTransform(
          Open(spec),
          ConstArrayView(bits.data(), ElementTypeOf<T>(), n, Memory::Host()),
          ArrayView(out.data(), ElementTypeOf<T>(), n, Memory::Host()),
          Only(Op::kAbs)),
      absl::OkStatus());
  return out;
}

// For vectors, and for what is left of them.
template <typename Word>
std::vector<Word> OfEach37(const std::vector<Word>& words) {
  std::vector<Word> all;
  for (const Word word : words) all.insert(all.end(), 37, word);
  return all;
}

TEST_P(TransformOn, AbsClearsTheSignBitAndNothingElse) {
  EXPECT_EQ((AbsOfBits<float, std::uint32_t>(
                GetParam(), OfEach37<std::uint32_t>(
                                {0x80000000, 0xff800000, 0x7fc00000, 0xffc00000,
                                 0x7f800001, 0xff800001, 0x7fc12345}))),
            OfEach37<std::uint32_t>({0, 0x7f800000, 0x7fc00000, 0x7fc00000,
                                     0x7f800001, 0x7f800001, 0x7fc12345}));
  EXPECT_EQ((AbsOfBits<double, std::uint64_t>(
                GetParam(), OfEach37<std::uint64_t>(
                                {0x8000000000000000, 0xfff0000000000000,
                                 0x7ff8000000000000, 0xfff8000000000000,
                                 0x7ff0000000000001, 0x7ff8000000012345}))),
            OfEach37<std::uint64_t>({0, 0x7ff0000000000000, 0x7ff8000000000000,
                                     0x7ff8000000000000, 0x7ff0000000000001,
                                     0x7ff8000000012345}));
}

TEST_P(TransformOn, SquaresWrap) {
  EXPECT_THAT(Result<std::uint8_t>(std::vector<std::uint8_t>{15, 16, 17},
                                   Only(Op::kSquare)),
              ElementsAre(225, 0, 33));
}

TEST_P(TransformOn, ComparesWithAConstant) {
  const std::vector<std::int8_t> in = {-128, -1, 0, 127};
  const std::int8_t zero = 0;
  EXPECT_THAT(Compare(in, Op::kLess, zero), ElementsAre(1, 1, 0, 0));
  EXPECT_THAT(Compare(in, Op::kLessEqual, zero), ElementsAre(1, 1, 1, 0));
  EXPECT_THAT(Compare(in, Op::kEqual, zero), ElementsAre(0, 0, 1, 0));
  EXPECT_THAT(Compare(in, Op::kNotEqual, zero), ElementsAre(1, 1, 0, 1));
  EXPECT_THAT(Compare(in, Op::kGreaterEqual, zero), ElementsAre(0, 0, 1, 1));
  EXPECT_THAT(Compare(in, Op::kGreater, zero), ElementsAre(0, 0, 0, 1));
}

TEST_P(TransformOn, ANanIsNotEqualAndNothingElse) {
  const std::vector<float> in = {kNan, -0.0f, -kInf};
  EXPECT_THAT(Compare(in, Op::kLess, 0.0f), ElementsAre(0, 0, 1));
  EXPECT_THAT(Compare(in, Op::kEqual, 0.0f), ElementsAre(0, 1, 0));
  EXPECT_THAT(Compare(in, Op::kNotEqual, 0.0f), ElementsAre(1, 0, 1));
  EXPECT_THAT(Compare(in, Op::kLess, -kInf), ElementsAre(0, 0, 0));
  EXPECT_THAT(Compare(in, Op::kLessEqual, kNan), ElementsAre(0, 0, 0));
  EXPECT_THAT(Compare(in, Op::kNotEqual, kNan), ElementsAre(1, 1, 1));
}

TEST_P(TransformOn, CastsToIntegersSaturate) {
  const std::vector<float> in = {1.9f, -1.9f, 300, -300, kInf, -kInf, kNan};
  EXPECT_THAT(Cast<std::int8_t>(in),
              ElementsAre(1, -1, 127, -128, 127, -128, 0));
  EXPECT_THAT(Cast<std::uint8_t>(in), ElementsAre(1, 0, 255, 0, 255, 0, 0));
  EXPECT_THAT(Cast<std::uint64_t>(std::vector<float>{0x1p64f, 0x1p63f}),
              ElementsAre(~std::uint64_t{0}, std::uint64_t{1} << 63));
}

TEST_P(TransformOn, CastsBetweenIntegersWrap) {
  EXPECT_THAT(Cast<std::uint8_t>(std::vector<std::int32_t>{-1, 256, 300}),
              ElementsAre(255, 0, 44));
  EXPECT_THAT(Cast<std::int64_t>(std::vector<std::int8_t>{-1, 127}),
              ElementsAre(-1, 127));
  EXPECT_THAT(Cast<std::uint64_t>(std::vector<std::int8_t>{-1}),
              ElementsAre(~std::uint64_t{0}));
}

TEST_P(TransformOn, MaySharesMemoryWithItsInput) {
  const std::shared_ptr<Backend> backend = Open(GetParam());
  std::vector<std::int32_t> values(300'001);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = i;
  Transform::Options options = Only(Op::kCast);
  options.to = ElementType::kFloat32;
  const ArrayView floats(values.data(), ElementType::kFloat32, values.size(),
                         Memory::Host());
  ASSERT_TRUE(ComputeTransform(backend, absl::Span<const std::int32_t>(values),
                               floats, options)
                  .ok());
  for (std::size_t i = 0; i < values.size(); ++i) {
    ASSERT_EQ(floats.data<float>()[i], static_cast<float>(i));
  }
}

TEST_P(TransformOn, RefusesWhatItsInterfaceSays) {
  const std::shared_ptr<Backend> backend = Open(GetParam());
  const std::unique_ptr<Transform> transform =
      *Registry<Transform>::Get().Create(backend);
  const std::vector<std::int8_t> in = {1, 2};
  std::vector<std::int8_t> out(2);
  const ConstArrayView view{absl::Span<const std::int8_t>(in)};
  const ArrayView result{absl::MakeSpan(out)};

  Transform::Options options;
  options.scale = 300;
  EXPECT_THAT(transform->Run(view, result, options).message(),
              HasSubstr("scale 300 is no int8"));
  options.scale = 0.5;
  EXPECT_THAT(transform->Run(view, result, options).message(),
              HasSubstr("scale 0.5 is no int8"));
  options = Only(Op::kAbs);
  options.to = ElementType::kInt8;
  EXPECT_THAT(transform->Run(view, result, options).message(),
              HasSubstr("only a cast has a type to go to"));
}

TEST_P(TransformOn, RefusesNumbersThatItsOperationDoesNotUse) {
  const std::shared_ptr<Backend> backend = Open(GetParam());
  const std::unique_ptr<Transform> transform =
      *Registry<Transform>::Get().Create(backend);
  const std::vector<std::int8_t> in = {1, 2};
  std::vector<std::int8_t> out(2);
  const auto message = [&](const Transform::Options& options) {
    return std::string(
        transform
            ->Run(ConstArrayView(absl::Span<const std::int8_t>(in)),
                  ArrayView(absl::MakeSpan(out)), options)
            .message());
  };

  Transform::Options options = Only(Op::kAbs);
  options.scale = 7;
  EXPECT_EQ(message(options),
            "transform: only affine has a scale and an offset");
  options = Only(Op::kCast);
  options.offset = 1;
  EXPECT_EQ(message(options),
            "transform: only affine has a scale and an offset");
  options = Only(Op::kAffine);
  options.constant = 2;
  EXPECT_EQ(message(options), "transform: only comparisons have a constant");
  // As good as not given.
  options = Only(Op::kSquare);
  options.scale = 1.0;
  EXPECT_EQ(message(options), "");
}

TEST(Transform, OptionsHaveTheirNames) {
  const Signature<Transform>& signature = Transform::GetSignature();
  EXPECT_EQ(signature.Parse({{"op", "square"}})->op, Op::kSquare);
  EXPECT_EQ(signature.Parse({{"to", "int8"}})->to, ElementType::kInt8);
  EXPECT_THAT(signature.Parse({{"scale", "two"}}).status().message(),
              HasSubstr("'two' is not a number"));
}

}  // namespace
}  // namespace concord
