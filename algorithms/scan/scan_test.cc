// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/algorithms/scan/scan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "concord/core/backend.h"
#include "concord/core/distributions.h"
#include "concord/core/registry.h"
#include "concord/core/signature.h"
#include "concord/core/spec.h"
#include "concord/testing/support/differential.h"
#include "concord/testing/support/named_backends.h"

namespace concord {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Kind = Scan::Kind;
using Op = Scan::Op;

const bool kDifferential = AddDifferentialSuite("scan");

template <typename T>
std::vector<T> ScanWith(const std::shared_ptr<Backend>& backend,
                        const std::vector<T>& in, const Scan::Options& options,
                        const std::string& variant = "") {
  return ValueOf(ComputeScan<T>(backend, in, options, variant));
}

template <typename T>
std::vector<T> Drawn(const char* distribution, std::int64_t n) {
  const HostArray drawn = *Draw(distribution, ElementTypeOf<T>(), n, n);
  const auto values = drawn.span<T>();
  return {values.begin(), values.end()};
}

template <typename T>
bool SameBits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() &&
         std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

class ScanOn : public ::testing::TestWithParam<std::string> {
 protected:
  template <typename T>
  std::vector<T> Result(const std::vector<T>& in, Kind kind, Op op) {
    return ScanWith(Open(GetParam()), in, {kind, op});
  }
};

INSTANTIATE_TEST_SUITE_P(Backends, ScanOn, CpuBackends(), NameOfParameter);

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

// The contract of scan/tbb/one_pass: the bits depend on n alone.
TEST(ScanTbb, FloatBitsDoNotDependOnThreads) {
  for (const std::int64_t n : {1000, 200'000, 1'000'003}) {
    for (const Op op : {Op::kAdd, Op::kMul}) {
      const auto in = Drawn<float>(op == Op::kAdd ? "uniform" : "near_one", n);
      const std::vector<float> wanted =
          ScanWith(Open("tbb:1"), in, {Kind::kInclusive, op});
      for (const char* spec : {"tbb:2", "tbb:3", "tbb:8"}) {
        EXPECT_TRUE(
            SameBits(ScanWith(Open(spec), in, {Kind::kInclusive, op}), wanted))
            << spec << " " << n;
      }
    }
  }
}

TEST(ScanTbb, FloatBitsDoNotDependOnWhereArraysStart) {
  // Large enough to be streamed past the caches, which wants whole lines.
  const std::int64_t n = 8'500'000;
  const auto in = Drawn<float>("uniform", n + 16);
  for (const Kind kind : {Kind::kExclusive, Kind::kInclusive}) {
    const auto scan = *Registry<Scan>::Get().Create(Open("tbb:2"), "one_pass");
    HostArray out(ElementType::kFloat32, {n + 16});
    const auto scanned = [&](std::int64_t to) {
      const ArrayView there = out.view().Slice(to, n);
      EXPECT_TRUE(scan->Run(ConstArrayView(absl::MakeConstSpan(in)).Slice(0, n),
                            there, {kind, Op::kAdd})
                      .ok());
      const auto* const first = there.data<float>();
      return std::vector<float>(first, first + n);
    };
    const std::vector<float> wanted = scanned(0);
    for (const std::int64_t to : {1, 4, 7, 15}) {
      EXPECT_TRUE(SameBits(scanned(to), wanted)) << to;
    }
  }
}

// --- The variants fixed_order ---

// A backend and a variant that promise the bits of the order in scan.h.
struct Promise {
  const char* backend;
  const char* variant;
};

class ScanInFixedOrder : public ::testing::TestWithParam<Promise> {
 protected:
  void SetUp() override { backend_ = OpenOrSkip(GetParam().backend); }

  template <typename T>
  std::vector<T> Result(const std::vector<T>& in, Kind kind, Op op) {
    return ScanWith(backend_, in, {kind, op}, GetParam().variant);
  }

  std::shared_ptr<Backend> backend_;
};

INSTANTIATE_TEST_SUITE_P(Promises, ScanInFixedOrder,
                         ::testing::Values(Promise{"serial", "fixed_order"},
                                           Promise{"tbb:1", "fixed_order"},
                                           Promise{"tbb:2", "fixed_order"},
                                           Promise{"tbb:3", "fixed_order"},
                                           Promise{"tbb:8", "fixed_order"},
                                           Promise{"cuda", "fixed_order"},
                                           Promise{"cuda", "work_efficient"}),
                         [](const auto& param) {
                           return TestName(absl::StrCat(
                               param.param.backend, "_", param.param.variant));
                         });

TEST_P(ScanInFixedOrder, PrefixesAreSumsOfNodes) {
  // Half a unit in the last place of 1: lost when it comes alone.
  const float half = 0x1p-24f;
  const std::vector<float> in = {1, 0, half, half, 0};
  EXPECT_THAT(Result(in, Kind::kExclusive, Op::kAdd),
              ElementsAre(0, 1, 1, 1, 1 + 2 * half));
  EXPECT_THAT(Result(in, Kind::kInclusive, Op::kAdd),
              ElementsAre(1, 1, 1, 1, 1 + 2 * half));
}

// Sizes around vectors, blocks, tiles and chunks.
TEST_P(ScanInFixedOrder, BitsAreThoseOfTheSerialOne) {
  for (const std::int64_t n :
       {1, 3, 16, 17, 127, 255, 257, 1000, 8191, 8193, 32'767, 32'769, 65'537,
        262'143, 524'289, 1'000'003, 3'000'017}) {
    for (const Kind kind : {Kind::kExclusive, Kind::kInclusive}) {
      const std::shared_ptr<Backend> serial = Open("serial");
      const auto floats = Drawn<float>("uniform", n);
      EXPECT_TRUE(
          SameBits(Result(floats, kind, Op::kAdd),
                   ScanWith(serial, floats, {kind, Op::kAdd}, "fixed_order")))
          << n;
      const auto doubles = Drawn<double>("near_one", n);
      EXPECT_TRUE(
          SameBits(Result(doubles, kind, Op::kMul),
                   ScanWith(serial, doubles, {kind, Op::kMul}, "fixed_order")))
          << n;
    }
  }
}

TEST_P(ScanInFixedOrder, PlaceInMemoryDoesNotMatter) {
  // Large enough on the CPU to be streamed past the caches.
  const std::int64_t n = 8'500'000;
  const auto in = Drawn<float>("uniform", n);
  const std::vector<float> wanted =
      ScanWith(Open("serial"), in, {}, "fixed_order");
  const absl::StatusOr<Array> array =
      backend_->Allocate(ElementType::kFloat32, n + 3);
  ASSERT_TRUE(array.ok()) << array.status();
  const std::unique_ptr<Scan> scan =
      *Registry<Scan>::Get().Create(backend_, GetParam().variant);
  for (const std::int64_t first : {0, 1, 3}) {
    const ArrayView there = array->view().Slice(first, n);
    std::vector<float> out(n);
    ASSERT_TRUE(
        backend_->Copy(ConstArrayView(absl::MakeConstSpan(in)), there).ok());
    ASSERT_TRUE(scan->Run(there, there, {}).ok());
    ASSERT_TRUE(backend_->Copy(there, ArrayView(absl::MakeSpan(out))).ok());
    EXPECT_TRUE(SameBits(out, wanted)) << first;
  }
}

// --- Blocks of the caller's choice ---

class ScanWithBlocks : public ::testing::TestWithParam<const char*> {};

INSTANTIATE_TEST_SUITE_P(Variants, ScanWithBlocks,
                         ::testing::Values("naive", "work_efficient",
                                           "shared_memory"),
                         [](const auto& param) {
                           return std::string(param.param);
                         });

TEST_P(ScanWithBlocks, AnyNumberOfThreadsGivesTheSame) {
  const std::shared_ptr<Backend> cuda = OpenOrSkip("cuda");
  if (cuda == nullptr) return;
  for (const int block : {32, 64, 96, 128, 192, 256, 384, 512, 1024}) {
    for (const std::int64_t n :
         {1, 2 * block - 1, 2 * block + 1, 100'003, 3'000'017}) {
      for (const Kind kind : {Kind::kExclusive, Kind::kInclusive}) {
        const auto in = Drawn<std::int32_t>("uniform", n);
        const auto scan = *Registry<Scan>::Get().Create(cuda, GetParam());
        ASSERT_TRUE(scan->Tune({{"block", std::to_string(block)}}).ok());
        const Array place = *cuda->Allocate(ElementType::kInt32, n);
        std::vector<std::int32_t> out(in.size());
        ASSERT_TRUE(cuda->Copy(absl::MakeConstSpan(in), place.view()).ok());
        ASSERT_TRUE(
            scan->Run(place.view(), place.view(), {kind, Op::kAdd}).ok());
        ASSERT_TRUE(cuda->Copy(place.view(), absl::MakeSpan(out)).ok());
        EXPECT_EQ(out, ScanWith(Open("serial"), in, {kind, Op::kAdd}))
            << "n=" << n << " block=" << block;
      }
    }
  }
}

// --- Calls that nobody waits for ---

class ScanWithoutWaiting : public ::testing::TestWithParam<const char*> {};

INSTANTIATE_TEST_SUITE_P(Variants, ScanWithoutWaiting,
                         ::testing::Values("pipelined", "lookback"),
                         [](const auto& param) {
                           return std::string(param.param);
                         });

// Two arrays that are scanned from one to the other and back, each time a
// little less of them.
template <typename T>
class Chain {
 public:
  Chain(Backend& backend, std::int64_t n)
      : wanted_(Drawn<T>("uniform", n)),
        from_(*backend.Allocate(ElementTypeOf<T>(), n)),
        to_(*backend.Allocate(ElementTypeOf<T>(), n)) {
    EXPECT_TRUE(backend.Copy(absl::MakeConstSpan(wanted_), from_.view()).ok());
  }

  // Does not wait.
  absl::Status Scan(concord::Scan& scan) {
    const std::int64_t before = counts_.empty() ? from_.size() : counts_.back();
    counts_.push_back(before - before / 64);
    const absl::Status status = scan.Run(from_.view().Slice(0, counts_.back()),
                                         to_.view().Slice(0, counts_.back()),
                                         {Kind::kInclusive, Op::kAdd});
    std::swap(from_, to_);
    return status;
  }

  // Waits.
  void Check(Backend& backend) {
    for (const std::int64_t count : counts_) {
      wanted_.resize(static_cast<std::size_t>(count));
      std::partial_sum(wanted_.begin(), wanted_.end(), wanted_.begin());
    }
    std::vector<T> found(wanted_.size());
    const ArrayView view = from_.view().Slice(0, counts_.back());
    EXPECT_TRUE(backend.Copy(view, absl::MakeSpan(found)).ok());
    EXPECT_TRUE(SameBits(found, wanted_)) << wanted_.size();
  }

 private:
  std::vector<std::int64_t> counts_;
  std::vector<T> wanted_;
  Array from_;
  Array to_;
};

// A kernel that starts before the one before it has ended must neither read
// what that has yet to write nor write what that has yet to read.
TEST_P(ScanWithoutWaiting, EachCallSeesWhatTheOneBeforeWrote) {
  const std::shared_ptr<Backend> cuda = OpenOrSkip("cuda");
  if (cuda == nullptr) return;
  auto scan = Registry<Scan>::Get().Create(cuda, GetParam());
  if (!scan.ok()) GTEST_SKIP() << scan.status().message();
  for (const std::int64_t n : {1000, 50'000, 300'007, 1 << 20, 1'500'000}) {
    Chain<std::uint64_t> wide(*cuda, n);
    Chain<std::uint32_t> narrow(*cuda, n);
    for (int round = 0; round < 40; ++round) {
      ASSERT_TRUE(wide.Scan(**scan).ok());
      ASSERT_TRUE(narrow.Scan(**scan).ok());
      // Now and then the same one again.
      if (round % 4 == 3) {
        ASSERT_TRUE(narrow.Scan(**scan).ok());
      }
    }
    wide.Check(*cuda);
    narrow.Check(*cuda);
  }
}

TEST(Scan, OptionsHaveTheirNames) {
  EXPECT_EQ(Scan::GetSignature().Parse({{"op", "max"}})->op, Op::kMax);
}

}  // namespace
}  // namespace concord
