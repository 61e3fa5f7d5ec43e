// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/algorithms/run_length_decode/run_length_decode.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "concord/algorithms/run_length_encode/run_length_cases.h"
#include "concord/algorithms/run_length_encode/run_length_encode.h"
#include "concord/core/backend.h"
#include "concord/core/registry.h"
#include "concord/core/spec.h"
#include "concord/testing/support/differential.h"
#include "concord/testing/support/named_backends.h"

namespace concord {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const bool kDifferential = AddDifferentialSuite("run_length_decode");

class RunLengthDecodeOn : public ::testing::TestWithParam<std::string> {
 protected:
  template <typename T>
  std::vector<T> Decode(const std::vector<T>& values,
                        const std::vector<std::int64_t>& lengths) {
    return ValueOf(
        ComputeRunLengthDecode<T>(Open(GetParam()), values, lengths));
  }
};

INSTANTIATE_TEST_SUITE_P(Backends, RunLengthDecodeOn, CpuBackends(),
                         NameOfParameter);

TEST_P(RunLengthDecodeOn, RunsOfAShortArray) {
  EXPECT_THAT(Decode<int>({7, 0, 7}, {3, 1, 2}), ElementsAre(7, 7, 7, 0, 7, 7));
  EXPECT_THAT(Decode<int>({7, 0, 7}, {0, 2, -1}), ElementsAre(0, 0));
  EXPECT_THAT(Decode<int>({}, {}), IsEmpty());
}

// Lengths from `least` to `most`, of values of which neighbours differ.
template <typename T, typename Length>
void ExpectDecoded(const std::string& spec, int least, int most) {
  std::vector<T> values(30'001);
  std::vector<Length> lengths(values.size());
  std::vector<T> wanted;
  for (std::size_t k = 0; k < values.size(); ++k) {
    values[k] = static_cast<T>(k % 251);
    lengths[k] = static_cast<Length>(
        least + static_cast<int>((k * 2'654'435'761u >> 7) %
                                 static_cast<unsigned>(most - least + 1)));
    if (lengths[k] > 0) {
      wanted.insert(wanted.end(), static_cast<std::size_t>(lengths[k]),
                    values[k]);
    }
  }
  const std::unique_ptr<RunLengthDecode> decode =
      *Registry<RunLengthDecode>::Get().Create(Open(spec));
  // Room for all, and for all but a few of them.
  for (const std::size_t left_out : {0, 1, 50, 1000}) {
    std::vector<T> out(wanted.size() - left_out + 1, T{99});
    std::int64_t size = 0;
    ASSERT_TRUE(
        decode
            ->Run({ConstArrayView(absl::MakeConstSpan(values)),
                   ConstArrayView(absl::MakeConstSpan(lengths))},
                  {ArrayView(absl::MakeSpan(out))
                       .Slice(0, static_cast<std::int64_t>(out.size()) - 1),
                   ArrayView(&size, 1, Memory::Host())})
            .ok());
    EXPECT_EQ(size, static_cast<std::int64_t>(wanted.size()));
    EXPECT_EQ(out.back(), T{99}) << spec;
    out.pop_back();
    EXPECT_TRUE(std::equal(out.begin(), out.end(), wanted.begin()))
        << spec << ", lengths from " << least << " to " << most;
  }
}

// Runs that fit vectors, some of them, halves and quarters of them.
TEST_P(RunLengthDecodeOn, RunsOfAllShortLengths) {
  for (const int most : {1, 2, 3, 4, 5, 8, 9, 16, 17, 33, 65}) {
    for (const int least : {-1, 0, 1, most}) {
      ExpectDecoded<std::int8_t, std::int32_t>(GetParam(), least, most);
      ExpectDecoded<std::int8_t, std::int64_t>(GetParam(), least, most);
      ExpectDecoded<std::int32_t, std::int32_t>(GetParam(), least, most);
      ExpectDecoded<std::int32_t, std::int64_t>(GetParam(), least, most);
      ExpectDecoded<std::int64_t, std::int32_t>(GetParam(), least, most);
      ExpectDecoded<std::int64_t, std::int64_t>(GetParam(), least, most);
    }
  }
}

TEST_P(RunLengthDecodeOn, SaysHowMuchRoomItNeeds) {
  const std::unique_ptr<RunLengthDecode> decode =
      *Registry<RunLengthDecode>::Get().Create(Open(GetParam()));
  const std::vector<std::uint8_t> values = {1, 2, 3};
  const std::vector<std::int32_t> lengths = {2'000'000, 2'000'000, 2'000'000};
  std::vector<std::uint8_t> out(3'000'000, 0);
  std::int64_t size = 0;
  ASSERT_TRUE(
      decode
          ->Run({ConstArrayView(absl::Span<const std::uint8_t>(values)),
                 ConstArrayView(absl::Span<const std::int32_t>(lengths))},
                {ArrayView(absl::MakeSpan(out)).Slice(0, 2'500'000),
                 ArrayView(&size, 1, Memory::Host())})
          .ok());
  EXPECT_EQ(size, 6'000'000);
  EXPECT_EQ(out[1'999'999], 1);
  EXPECT_EQ(out[2'000'000], 2);
  EXPECT_EQ(out[2'499'999], 2);
  EXPECT_EQ(out[2'500'000], 0);
}

TEST_P(RunLengthDecodeOn, RestoresWhatWasEncoded) {
  const std::shared_ptr<Backend> backend = Open(GetParam());
  for (const std::string& distribution :
       run_length_encode::RunDistributions(ElementType::kInt32)) {
    const HostArray in = *run_length_encode::DrawRuns(
        distribution, ElementType::kInt32, 1'234'567, 1);
    const absl::Span<const std::int32_t> wanted = in.span<std::int32_t>();
    const EncodedRuns<std::int32_t> runs =
        *ComputeRunLengthEncode<std::int32_t>(backend, wanted);
    EXPECT_EQ(Decode(runs.values, runs.lengths),
              std::vector<std::int32_t>(wanted.begin(), wanted.end()))
        << distribution;
  }
}

// What becomes of the room for results, and of what lies around it.
struct Decoded {
  absl::Status status;
  std::int64_t size = 0;
  std::vector<std::int32_t> before, results, behind;
};

Decoded DecodeIntoRoom(const std::string& spec,
                       const std::vector<std::int64_t>& lengths,
                       std::int64_t room) {
  constexpr std::int64_t kAround = 1000;
  const std::shared_ptr<Backend> backend = Open(spec);
  const std::unique_ptr<RunLengthDecode> decode =
      *Registry<RunLengthDecode>::Get().Create(backend);
  const auto runs = static_cast<std::int64_t>(lengths.size());
  std::vector<std::int32_t> values(lengths.size());
  std::iota(values.begin(), values.end(), 0);
  std::vector<std::int32_t> all(room + 2 * kAround, -1);
  const Array device_values = *backend->Allocate(ElementType::kInt32, runs);
  const Array device_lengths = *backend->Allocate(ElementType::kInt64, runs);
  const Array device_all =
      *backend->Allocate(ElementType::kInt32, room + 2 * kAround);
  const Array device_size = *backend->Allocate(ElementType::kInt64, 1);
  const ArrayView all_view = absl::MakeSpan(all);
  const auto copy = [&](ConstArrayView from, ArrayView to) {
    const absl::Status status = backend->Copy(from, to);
    EXPECT_TRUE(status.ok()) << status;
  };
  copy(absl::MakeConstSpan(values), device_values.view());
  copy(absl::MakeConstSpan(lengths), device_lengths.view());
  copy(all_view, device_all.view());
  Decoded decoded;
  decoded.status =
      decode->Run({device_values.view(), device_lengths.view()},
                  {device_all.view().Slice(kAround, room), device_size.view()});
  copy(device_all.view(), all_view);
  if (decoded.status.ok()) {
    copy(device_size.view(), ArrayView(&decoded.size, 1, Memory::Host()));
  }
  const auto first = all.begin() + kAround;
  decoded.before.assign(all.begin(), first);
  decoded.results.assign(first, first + room);
  decoded.behind.assign(first + room, all.end());
  return decoded;
}

std::vector<std::string> AvailableBackends() {
  std::vector<std::string> specs;
  for (const BackendStatus& status : ListBackends()) {
    if (!status.available()) continue;
    specs.push_back(status.name);
    specs.insert(specs.end(), status.variations.begin(),
                 status.variations.end());
  }
  return specs;
}

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

TEST(RunLengthDecodeSizes, OfLengthsThatInt64DoesNotAddUp) {
  constexpr std::int64_t kHuge = std::int64_t{1} << 62;
  // Too many in one group, in all groups together, and behind the last result.
  std::vector<std::int64_t> behind(5000, 1);
  behind.insert(behind.end(), {kMost, 7, kMost});
  for (const std::vector<std::int64_t>& lengths :
       {std::vector<std::int64_t>(4, kHuge),
        std::vector<std::int64_t>{3, kMost, kMost},
        std::vector<std::int64_t>(100'000, kHuge >> 12), behind}) {
    for (const std::string& spec : AvailableBackends()) {
      for (const std::int64_t room : {0, 100, 200'000}) {
        const Decoded decoded = DecodeIntoRoom(spec, lengths, room);
        EXPECT_THAT(decoded.before, Each(-1)) << spec;
        EXPECT_THAT(decoded.behind, Each(-1)) << spec;
        if (Open(spec)->memory().is_host()) {
          EXPECT_EQ(decoded.status.code(), absl::StatusCode::kInvalidArgument);
          EXPECT_THAT(decoded.status.message(),
                      HasSubstr("add up to more than 2^63 - 1"));
          continue;
        }
        EXPECT_TRUE(decoded.status.ok()) << decoded.status;
        EXPECT_EQ(decoded.size, kMost);
        std::vector<std::int32_t> wanted;
        for (std::size_t k = 0; k < lengths.size(); ++k) {
          const auto left = room - static_cast<std::int64_t>(wanted.size());
          wanted.insert(wanted.end(), std::min(lengths[k], left), k);
        }
        EXPECT_EQ(decoded.results, wanted) << spec;
      }
    }
    EXPECT_EQ(SumOfLengths(absl::MakeConstSpan(lengths)).status().code(),
              absl::StatusCode::kInvalidArgument);
  }
}

TEST(RunLengthDecodeSizes, OfTheLargestSum) {
  for (const std::string& spec : AvailableBackends()) {
    const Decoded decoded =
        DecodeIntoRoom(spec, {2, -kMost - 1, kMost - 3, -1, 1}, 100'000);
    EXPECT_TRUE(decoded.status.ok()) << spec << decoded.status;
    EXPECT_EQ(decoded.size, kMost);
    EXPECT_EQ(decoded.results[1], 0);
    EXPECT_EQ(decoded.results[2], 2);
    EXPECT_EQ(decoded.results.back(), 2);
  }
}

template <typename T>
void ExpectNoRoomForVector(const std::vector<std::int64_t>& lengths) {
  const std::vector<T> values(lengths.size());
  const absl::Status status =
      ComputeRunLengthDecode<T>(Open("serial"), values, lengths).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted) << status;
}

// No vector counts so many elements, or there is no memory for them.
TEST(RunLengthDecodeSizes, NoVectorHoldsWhatLengthsAddUpTo) {
  const std::int64_t huge = std::int64_t{1} << 61;
  for (const std::vector<std::int64_t>& lengths :
       {std::vector<std::int64_t>{huge, huge},
        std::vector<std::int64_t>{huge, 3, huge, huge}}) {
    ExpectNoRoomForVector<float>(lengths);
    ExpectNoRoomForVector<double>(lengths);
    ExpectNoRoomForVector<std::uint8_t>(lengths);
  }
}

// So the command line refuses before it allocates anything.
TEST(RunLengthDecodeSizes, TheSpecRefusesWhatInt64DoesNotAddUp) {
  const AlgorithmSpec& spec = **FindSpec("run_length_decode");
  for (const char* limit : {"all", "10"}) {
    Case test_case;
    test_case.options = *CompleteOptions(spec.options(), {{"limit", limit}});
    test_case.inputs.emplace("values", HostArray::Of<int>({1, 2}));
    test_case.inputs.emplace("lengths",
                             HostArray::Of<std::int64_t>({kMost, 1}));
    EXPECT_EQ(spec.OutputsOf(test_case).status().code(),
              absl::StatusCode::kInvalidArgument);
  }
}

}  // namespace
}  // namespace concord
