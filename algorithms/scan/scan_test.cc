// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "algorithms/scan/scan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "core/backend.h"
#include "core/distributions.h"
#include "core/registry.h"
#include "testing/differential.h"

namespace concord {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Kind = Scan::Kind;
using Op = Scan::Op;

const bool kDifferential = AddDifferentialSuite("scan");

std::shared_ptr<Backend> Open(const std::string& spec) {
  absl::StatusOr<std::shared_ptr<Backend>> backend = OpenBackend(spec);
  EXPECT_TRUE(backend.ok()) << backend.status();
  return *std::move(backend);
}

template <typename T>
std::vector<T> ScanWith(const std::shared_ptr<Backend>& backend,
                        const std::vector<T>& in, Kind kind, Op op) {
  absl::StatusOr<std::vector<T>> out = ComputeScan<T>(backend, in, {kind, op});
  EXPECT_TRUE(out.ok()) << out.status();
  return *std::move(out);
}

// Every CPU backend, with fewer and with more threads than there are CPUs.
class ScanOn : public ::testing::TestWithParam<std::string> {
 protected:
  template <typename T>
  std::vector<T> Result(const std::vector<T>& in, Kind kind, Op op) {
    return ScanWith(Open(GetParam()), in, kind, op);
  }
};

INSTANTIATE_TEST_SUITE_P(Backends, ScanOn,
                         ::testing::Values("serial", "tbb:1", "tbb:2", "tbb:3",
                                           "tbb:8"),
                         [](const auto& param) {
                           std::string name = param.param;
                           for (char& c : name) c = c == ':' ? '_' : c;
                           return name;
                         });

TEST_P(ScanOn, TextbookExample) {
  const std::vector<std::int32_t> in = {15, 10, 42, 24};
  EXPECT_THAT(Result(in, Kind::kExclusive, Op::kAdd),
              ElementsAre(0, 15, 25, 67));
  EXPECT_THAT(Result(in, Kind::kInclusive, Op::kAdd),
              ElementsAre(15, 25, 67, 91));
  EXPECT_THAT(Result(in, Kind::kInclusive, Op::kMul),
              ElementsAre(15, 150, 6300, 151200));
  EXPECT_THAT(Result(in, Kind::kInclusive, Op::kMin),
              ElementsAre(15, 10, 10, 10));
  EXPECT_THAT(
      Result(in, Kind::kExclusive, Op::kMax),
      ElementsAre(std::numeric_limits<std::int32_t>::min(), 15, 15, 42));
}

TEST_P(ScanOn, EmptyInputIsFine) {
  EXPECT_THAT(Result<float>({}, Kind::kExclusive, Op::kAdd), IsEmpty());
}

TEST_P(ScanOn, IntegersWrapAround) {
  EXPECT_THAT(Result<std::int8_t>({127, 1, 1}, Kind::kInclusive, Op::kAdd),
              ElementsAre(127, -128, -127));
  EXPECT_THAT(Result<std::uint8_t>({16, 17, 2}, Kind::kInclusive, Op::kMul),
              ElementsAre(16, 16, 32));
}

TEST_P(ScanOn, MinimumAndMaximumTellZerosApart) {
  const std::vector<float> minima =
      Result<float>({0.0f, -0.0f, 0.0f}, Kind::kInclusive, Op::kMin);
  EXPECT_FALSE(std::signbit(minima[0]));
  EXPECT_TRUE(std::signbit(minima[1]));
  EXPECT_TRUE(std::signbit(minima[2]));
  const std::vector<double> maxima =
      Result<double>({-0.0, 0.0, -0.0}, Kind::kInclusive, Op::kMax);
  EXPECT_TRUE(std::signbit(maxima[0]));
  EXPECT_FALSE(std::signbit(maxima[1]));
  EXPECT_FALSE(std::signbit(maxima[2]));
}

TEST_P(ScanOn, FromANanOnAllIsTheQuietNan) {
  const double quiet = std::numeric_limits<double>::quiet_NaN();
  for (const Op op : {Op::kAdd, Op::kMul, Op::kMin, Op::kMax}) {
    std::vector<double> in(100, 1.0);
    in[50] = -std::nan("12345");
    const std::vector<double> out = Result(in, Kind::kInclusive, op);
    for (std::size_t i = 0; i < out.size(); ++i) {
      if (i < 50) {
        EXPECT_FALSE(std::isnan(out[i])) << i;
      } else {
        EXPECT_EQ(std::memcmp(&out[i], &quiet, sizeof(quiet)), 0) << i;
      }
    }
  }
}

TEST_P(ScanOn, InPlaceMatchesOutOfPlace) {
  const std::shared_ptr<Backend> backend = Open(GetParam());
  const std::unique_ptr<Scan> scan = *Registry<Scan>::Get().Create(backend);
  for (const std::int64_t n : {1, 1000, 300'000, 3'000'000}) {
    for (const Kind kind : {Kind::kExclusive, Kind::kInclusive}) {
      HostArray data = *Draw("uniform", ElementType::kInt32, n, n);
      HostArray out(ElementType::kInt32, {n});
      ASSERT_TRUE(scan->Run(data.view(), out.view(), {kind, Op::kAdd}).ok());
      ASSERT_TRUE(scan->Run(data.view(), data.view(), {kind, Op::kAdd}).ok());
      EXPECT_TRUE(data == out) << n;
    }
  }
}

TEST_P(ScanOn, OutputMayStartAnywhere) {
  // Large enough to be streamed past the caches, which wants whole lines.
  const std::int64_t n = 8'500'000;
  const HostArray in = *Draw("uniform", ElementType::kInt32, n + 16, 1);
  HostArray wanted(ElementType::kInt32, {n});
  HostArray out(ElementType::kInt32, {n + 16});
  for (const std::int64_t from : {0, 1, 15}) {
    for (const std::int64_t to : {0, 1, 15}) {
      ASSERT_TRUE(ComputeScan(Open("serial"), in.view().Slice(from, n),
                              wanted.view(), {})
                      .ok());
      ASSERT_TRUE(ComputeScan(Open(GetParam()), in.view().Slice(from, n),
                              out.view().Slice(to, n), {})
                      .ok());
      EXPECT_EQ(
          std::memcmp(out.data<std::int32_t>() + to,
                      wanted.data<std::int32_t>(), n * sizeof(std::int32_t)),
          0)
          << from << " " << to;
    }
  }
}

TEST_P(ScanOn, RefusesWhatItsInterfaceSays) {
  const std::shared_ptr<Backend> backend = Open(GetParam());
  const std::unique_ptr<Scan> scan = *Registry<Scan>::Get().Create(backend);
  const std::vector<std::int32_t> in = {1, 2};
  std::vector<std::int32_t> out(3);
  std::vector<float> floats(2);
  const ConstArrayView view{absl::Span<const std::int32_t>(in)};

  absl::Status status = scan->Run(view, ArrayView(absl::MakeSpan(out)), {});
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(status.message(), HasSubstr("'out' must have 2 elements, not 3"));

  status = scan->Run(view, ArrayView(absl::MakeSpan(floats)), {});
  EXPECT_THAT(status.message(),
              HasSubstr("'out' must have elements of type int32, not float32"));

  status = scan->Run(view, ArrayView(out.data(), 2, Memory("cuda", 1)), {});
  EXPECT_THAT(status.message(), HasSubstr("'out' lives in cuda:1 memory"));
}

// The contract of scan/tbb/one_pass: the bits depend on n alone.
TEST(ScanTbb, FloatBitsDoNotDependOnThreads) {
  for (const std::int64_t n : {1000, 200'000, 1'000'003}) {
    for (const Op op : {Op::kAdd, Op::kMul}) {
      const HostArray drawn = *Draw(op == Op::kAdd ? "uniform" : "near_one",
                                    ElementType::kFloat32, n, n);
      const auto values = drawn.span<float>();
      const std::vector<float> in(values.begin(), values.end());
      const std::vector<float> wanted =
          ScanWith(Open("tbb:1"), in, Kind::kInclusive, op);
      for (const char* spec : {"tbb:2", "tbb:3", "tbb:8"}) {
        const std::vector<float> got =
            ScanWith(Open(spec), in, Kind::kInclusive, op);
        EXPECT_EQ(std::memcmp(got.data(), wanted.data(), n * sizeof(float)), 0)
            << spec << " " << n;
      }
    }
  }
}

TEST(Scan, NamesReadBack) {
  EXPECT_EQ(*ParseScanKind("inclusive"), Kind::kInclusive);
  EXPECT_EQ(*ParseScanOp("max"), Op::kMax);
  EXPECT_THAT(
      ParseScanKind("both").status().message(),
      HasSubstr("scan has no kind 'both'; it has exclusive, inclusive"));
  EXPECT_THAT(ParseScanOp("xor").status().message(),
              HasSubstr("scan has no op 'xor'; it has add, mul, min, max"));
}

}  // namespace
}  // namespace concord
