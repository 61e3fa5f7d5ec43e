// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/algorithms/compact/compact.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "concord/core/backend.h"
#include "concord/core/distributions.h"
#include "concord/core/element_width.h"
#include "concord/core/registry.h"
#include "concord/testing/support/differential.h"
#include "concord/testing/support/named_backends.h"

namespace concord {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const bool kDifferential = AddDifferentialSuite("compact");

class CompactOn : public ::testing::TestWithParam<std::string> {
 protected:
  template <typename T>
  std::vector<T> Kept(const std::vector<T>& in, Predicate keep = {}) {
    return ValueOf(ComputeCompact<T>(Open(GetParam()), in, {keep}));
  }
};

INSTANTIATE_TEST_SUITE_P(Backends, CompactOn, CpuBackends(), NameOfParameter);

TEST_P(CompactOn, EachPredicateOfAShortArray) {
  const std::vector<std::int32_t> in = {3, 0, -4, 0, 0, 5, 3};
  EXPECT_THAT(Kept(in), ElementsAre(3, -4, 5, 3));
  EXPECT_THAT(Kept(in, Predicate::Less(3)), ElementsAre(0, -4, 0, 0));
  EXPECT_THAT(Kept(in, Predicate::Greater(0)), ElementsAre(3, 5, 3));
  EXPECT_THAT(Kept(in, Predicate::Equal(3)), ElementsAre(3, 3));
  EXPECT_THAT(Kept(in, Predicate::Between(-4, 3)),
              ElementsAre(3, 0, -4, 0, 0, 3));
  EXPECT_THAT(Kept(in, Predicate::Between(4, 2)), IsEmpty());
}

TEST_P(CompactOn, TheKeptElementsAloneHaveNoPlaceForMore) {
  const std::vector<std::int32_t> in = {3, 0};
  for (const bool indices : {false, true}) {
    Compact::Options options;
    (indices ? options.indices : options.rejected) = true;
    const absl::Status status =
        ComputeCompact<std::int32_t>(Open(GetParam()), in, options).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(status.message(),
                HasSubstr(indices ? "'indices' is not given"
                                  : "'rejected' is not given"));
  }
}

TEST_P(CompactOn, EmptyInputGivesACountOfZero) {
  EXPECT_THAT(Kept<float>({}), IsEmpty());
}

TEST_P(CompactOn, ANanIsNonzeroAndNothingElse) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float inf = std::numeric_limits<float>::infinity();
  const std::vector<float> in = {nan, -nan, 0.0f, -0.0f, inf, -inf};
  EXPECT_EQ(Kept(in).size(), 4u);
  EXPECT_THAT(Kept(in, Predicate::Less(inf)), ElementsAre(0, 0, -inf));
  EXPECT_THAT(Kept(in, Predicate::Greater(-inf)), ElementsAre(0, 0, inf));
  EXPECT_THAT(Kept(in, Predicate::Equal(0)), ElementsAre(0, 0));
  EXPECT_THAT(Kept(in, Predicate::Less(-0.0)), ElementsAre(-inf));
  EXPECT_THAT(Kept(in, Predicate::Greater(-0.0)), ElementsAre(inf));
  EXPECT_THAT(Kept(in, Predicate::Between(-inf, inf)),
              ElementsAre(0, 0, inf, -inf));
}

// Long enough for every step of every vector and for several chunks a thread.
TEST_P(CompactOn, AllOutputsOfALongArray) {
  const std::shared_ptr<Backend> backend = Open(GetParam());
  for (const std::int64_t n : {1000, 300'007, 9'000'001}) {
    const HostArray in = *Draw("small", ElementType::kInt32, n, n);
    HostArray kept(ElementType::kInt32, {n});
    HostArray rejected(ElementType::kInt32, {n});
    HostArray indices(ElementType::kInt64, {n});
    std::int64_t counts[2] = {-1, -1};
    const Compact::Outputs outputs = {
        kept.view(), ArrayView(&counts[0], 1, Memory::Host()), indices.view(),
        rejected.view(), ArrayView(&counts[1], 1, Memory::Host())};
    ASSERT_TRUE(
        ComputeCompact(backend, in.view(), outputs, {Predicate::Between(1, 2)})
            .ok());
    std::int64_t k = 0;
    std::int64_t r = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      const std::int32_t x = in.data<std::int32_t>()[i];
      if (x == 1 || x == 2) {
        ASSERT_EQ(kept.data<std::int32_t>()[k], x) << n << " " << i;
        ASSERT_EQ(indices.data<std::int64_t>()[k], i) << n << " " << i;
        ++k;
      } else {
        ASSERT_EQ(rejected.data<std::int32_t>()[r], x) << n << " " << i;
        ++r;
      }
    }
    EXPECT_EQ(counts[0], k);
    EXPECT_EQ(counts[1], r);
  }
}

// Nothing may be written past the capacity, however wide the stores are.
TEST_P(CompactOn, OutputsHaveNoMoreRoomThanTheInput) {
  const std::shared_ptr<Backend> backend = Open(GetParam());
  for (const ElementType type :
       {ElementType::kUInt8, ElementType::kInt32, ElementType::kFloat64}) {
    for (std::int64_t n = 0; n < 200; ++n) {
      const HostArray in = *Draw("equal", type, n, 1);
      HostArray guarded(type, {n + 16});
      HostArray indices(ElementType::kInt64, {n + 8});
      std::fill_n(guarded.data<char>(), guarded.view().bytes(), '\x55');
      std::fill_n(indices.data<char>(), indices.view().bytes(), '\x55');
      std::int64_t count = -1;
      const Compact::Outputs outputs = {guarded.view().Slice(0, n),
                                        ArrayView(&count, 1, Memory::Host()),
                                        indices.view().Slice(0, n),
                                        {},
                                        {}};
      ASSERT_TRUE(ComputeCompact(backend, in.view(), outputs, {}).ok());
      EXPECT_EQ(count, n);
      for (const HostArray* array : {&guarded, &indices}) {
        const std::int64_t width = SizeOf(array->type());
        for (std::int64_t i = n * width; i < array->view().bytes(); ++i) {
          ASSERT_EQ(array->data<char>()[i], '\x55') << n << " " << i;
        }
      }
    }
  }
}

TEST_P(CompactOn, RefusesWhatItsInterfaceSays) {
  const std::shared_ptr<Backend> backend = Open(GetParam());
  const std::unique_ptr<Compact> compact =
      *Registry<Compact>::Get().Create(backend);
  const std::vector<std::uint8_t> in = {1, 2};
  std::vector<std::uint8_t> out(2);
  std::int64_t count = 0;
  const ConstArrayView view{absl::Span<const std::uint8_t>(in)};
  const ArrayView kept(out.data(), 2, Memory::Host());
  const ArrayView one(&count, 1, Memory::Host());
  std::vector<std::uint8_t> others(2);
  const ArrayView rejected{absl::MakeSpan(others)};
  const auto message = [&](const Compact::Outputs& outputs,
                           Predicate keep = {}) {
    const absl::Status status = compact->Run(view, outputs, {keep});
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    return std::string(status.message());
  };
  EXPECT_THAT(message({kept, one, {}, rejected, {}}),
              HasSubstr("'rejected' and 'rejected_count' go together"));
  EXPECT_THAT(message({kept, one, {}, {}, {}}, Predicate::Less(300)),
              HasSubstr("elements of type uint8 cannot hold 300"));
}

TEST(Predicate, ReadsWhatItsHeaderSays) {
  for (const char* text : {"nonzero", "less:5", "greater:-1.5e3", "equal:+inf",
                           "between:-2,18446744073709551615"}) {
    EXPECT_TRUE(ParsePredicate(text).ok()) << text;
  }
  for (const char* text :
       {"", "zero", "nonzero:1", "less", "less:", "less:1,2", "less:x",
        "between:1", "between:1,2,3", "equal:nan", "equal:1e999", "Less:1"}) {
    const absl::Status status = ParsePredicate(text).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << text;
    EXPECT_THAT(std::string(status.message()),
                HasSubstr(std::string("'") + text + "'"));
  }
  EXPECT_EQ(ParsePredicate("less:x").status().message(),
            "predicate 'less:x': 'x' is not a number");
}

TEST(Predicate, ConstantsAreExactOrRefused) {
  const auto error = [](const char* text, ElementType type) {
    return DispatchWidth(type, [&](auto word) {
      return std::string(
          compact::RangeOf<decltype(word)>(*ParsePredicate(text), type)
              .status()
              .message());
    });
  };
  EXPECT_EQ(error("less:127", ElementType::kInt8), "");
  EXPECT_EQ(error("less:128", ElementType::kInt8),
            "elements of type int8 cannot hold 128");
  EXPECT_EQ(error("less:-1", ElementType::kUInt64),
            "elements of type uint64 cannot hold -1");
  EXPECT_EQ(error("less:9223372036854775808", ElementType::kInt64),
            "elements of type int64 cannot hold 9223372036854775808");
  EXPECT_EQ(error("less:18446744073709551616", ElementType::kUInt64),
            "elements of type uint64 cannot hold 18446744073709551616");
  EXPECT_EQ(error("between:0,0.5", ElementType::kInt32),
            "elements of type int32 cannot hold 0.5");
  EXPECT_EQ(error("less:1e9", ElementType::kInt32), "");
  EXPECT_EQ(error("less:1e10", ElementType::kInt32),
            "elements of type int32 cannot hold 1e+10");
  EXPECT_EQ(error("less:inf", ElementType::kInt32),
            "elements of type int32 cannot hold inf");
  EXPECT_EQ(error("less:inf", ElementType::kFloat32), "");
  EXPECT_EQ(error("less:1e300", ElementType::kFloat32),
            "elements of type float32 cannot hold 1e+300");
  EXPECT_EQ(error("less:1e300", ElementType::kFloat64), "");
}

}  // namespace
}  // namespace concord
