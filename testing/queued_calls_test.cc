// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Calls that are queued one after the other without waiting, each of which
// reads what the one before it wrote. On a GPU their launches overlap, and only
// the device sees to the order.

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/types/span.h"
#include "concord/algorithms/compact/compact.h"
#include "concord/algorithms/reduce/reduce.h"
#include "concord/algorithms/run_length_decode/run_length_decode.h"
#include "concord/algorithms/run_length_encode/run_length_encode.h"
#include "concord/algorithms/scan/scan.h"
#include "concord/algorithms/transform/transform.h"
#include "concord/core/backend.h"
#include "concord/core/host_array.h"
#include "concord/core/registry.h"
#include "concord/testing/support/named_backends.h"

namespace concord {
namespace {

// One tile; those of one cluster; one for each block; several for each block.
constexpr std::int64_t kSizes[] = {1000,    6000,      15'000,
                                   200'000, 1'200'000, 3'000'000};

// The parameter is the backend.
class QueuedCalls : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override { backend_ = OpenOrSkip(GetParam()); }

  Array Allocated(ElementType type, std::int64_t size) {
    return ValueOf(backend_->Allocate(type, size));
  }

  template <typename T>
  void CopyThere(const std::vector<T>& elements, Array& to) {
    HostArray host = HostArray::Of<T>(absl::MakeConstSpan(elements));
    ASSERT_EQ(backend_->Copy(host.view(), to.view()), absl::OkStatus());
  }

  template <typename T>
  std::vector<T> CopiedBack(const Array& from) {
    HostArray host(ElementTypeOf<T>(), {from.size()});
    EXPECT_EQ(backend_->Synchronize(), absl::OkStatus());
    EXPECT_EQ(backend_->Copy(from.view(), host.view()), absl::OkStatus());
    return std::vector<T>(host.data<T>(), host.data<T>() + host.size());
  }

  // Each variant that can run here and is for elements of this type.
  template <typename Algorithm>
  std::vector<std::unique_ptr<Algorithm>> Variants(ElementType type) {
    std::vector<std::unique_ptr<Algorithm>> variants;
    for (const ImplementationInfo& info : Registry<Algorithm>::Get().All()) {
      const std::vector<ElementType>& types = info.contract.element_types;
      if (info.backend != backend_->info().name ||
          !absl::c_linear_search(types, type)) {
        continue;
      }
      auto made = Registry<Algorithm>::Get().Create(backend_, info.variant);
      if (made.ok()) variants.push_back(*std::move(made));
    }
    EXPECT_FALSE(variants.empty());
    return variants;
  }

  // Inclusive sums of inclusive sums, `steps` times, to and fro, by each
  // variant.
  template <typename T>
  void ScanAgainAndAgain(const std::vector<T>& elements, int steps) {
    std::vector<T> wanted = elements;
    for (int i = 0; i < steps; ++i) {
      std::partial_sum(wanted.begin(), wanted.end(), wanted.begin());
    }
    for (const auto& scan : Variants<Scan>(ElementTypeOf<T>())) {
      EXPECT_TRUE(Scanned(*scan, elements, steps) == wanted)
          << scan->name() << ", " << elements.size() << " elements of "
          << sizeof(T) << " bytes";
    }
  }

  template <typename T>
  std::vector<T> Scanned(Scan& scan, const std::vector<T>& elements,
                         int steps) {
    const auto size = static_cast<std::int64_t>(elements.size());
    Array from = Allocated(ElementTypeOf<T>(), size);
    Array to = Allocated(ElementTypeOf<T>(), size);
    CopyThere(elements, from);
    Scan::Options options;
    options.kind = Scan::Kind::kInclusive;
    for (int i = 0; i < steps; ++i) {
      EXPECT_EQ(scan.Run(from.view(), to.view(), options), absl::OkStatus());
      std::swap(from, to);
    }
    return CopiedBack<T>(from);
  }

  // Sums of an array and of half of it, to which one is added between, by each
  // variant.
  template <typename T>
  void ReduceAgainAndAgain(std::int64_t size) {
    constexpr int kSteps = 8;
    std::vector<T> elements(size);
    for (std::int64_t i = 0; i < size; ++i) {
      elements[i] = static_cast<T>(i % 1000);
    }
    std::vector<T> wanted;
    for (int i = 0; i < kSteps; ++i) {
      for (const std::int64_t end : {size, size / 2}) {
        wanted.push_back(std::accumulate(
            elements.begin(), elements.begin() + end, static_cast<T>(i * end)));
      }
    }
    const auto add_one = Variants<Transform>(ElementTypeOf<T>());
    for (const auto& reduce : Variants<Reduce>(ElementTypeOf<T>())) {
      Array in = Allocated(ElementTypeOf<T>(), size);
      Array sums = Allocated(ElementTypeOf<T>(), 2 * kSteps);
      CopyThere(elements, in);
      Transform::Options one;
      one.offset = 1;
      for (int i = 0; i < kSteps; ++i) {
        absl::Status status =
            reduce->Run(in.view(), sums.view().Slice(2 * i, 1), {});
        status.Update(reduce->Run(in.view().Slice(0, size / 2),
                                  sums.view().Slice(2 * i + 1, 1), {}));
        status.Update(add_one.front()->Run(in.view(), in.view(), one));
        ASSERT_EQ(status, absl::OkStatus());
      }
      EXPECT_EQ(CopiedBack<T>(sums), wanted)
          << reduce->name() << ", " << size << " elements";
    }
  }

  std::shared_ptr<Backend> backend_;
};

TEST_P(QueuedCalls, OfScan) {
  for (const std::int64_t size : kSizes) {
    std::vector<std::uint32_t> words(size);
    for (std::int64_t i = 0; i < size; ++i) words[i] = i * 2654435761u;
    ScanAgainAndAgain(words, /*steps=*/6);
    ScanAgainAndAgain(std::vector<std::uint64_t>(words.begin(), words.end()),
                      /*steps=*/6);
    // Whole numbers that doubles hold, whatever the order.
    std::vector<double> sparse(size);
    sparse[0] = 1;
    ScanAgainAndAgain(sparse, /*steps=*/3);
  }
}

TEST_P(QueuedCalls, OfReduce) {
  for (const std::int64_t size : kSizes) {
    ReduceAgainAndAgain<std::uint64_t>(size);
    // Whole numbers that doubles hold, whatever the order.
    ReduceAgainAndAgain<double>(size);
  }
}

// Adds one to all elements, of which none becomes 0, keeps those that are not
// 0, encodes and decodes them, so many times. `turn` says which variants.
TEST_P(QueuedCalls, OfOneAlgorithmAfterTheOther) {
  const auto transforms = Variants<Transform>(ElementType::kInt32);
  const auto compacts = Variants<Compact>(ElementType::kInt32);
  const auto encoders = Variants<RunLengthEncode>(ElementType::kInt32);
  const auto decoders = Variants<RunLengthDecode>(ElementType::kInt32);
  constexpr int kTurns = 6;
  constexpr int kSteps = 5;
  constexpr std::int64_t kRuns[] = {2, 3000};
  for (const std::int64_t size : kSizes) {
    for (int turn = 0; turn < kTurns * 2; ++turn) {
      Transform& transform = *transforms[turn / 2 % transforms.size()];
      Compact& compact = *compacts[turn / 2 % compacts.size()];
      RunLengthEncode& encode = *encoders[turn / 2 % encoders.size()];
      RunLengthDecode& decode = *decoders[turn / 2 % decoders.size()];
      const std::int64_t run = kRuns[turn % 2];
      std::vector<std::int32_t> elements(size);
      for (std::int64_t i = 0; i < size; ++i) {
        elements[i] = static_cast<std::int32_t>(1 + i / run);
      }
      const std::int64_t runs = (size + run - 1) / run;
      Array a = Allocated(ElementType::kInt32, size);
      Array b = Allocated(ElementType::kInt32, size);
      Array values = Allocated(ElementType::kInt32, size);
      Array lengths = Allocated(ElementType::kInt32, size);
      Array sizes = Allocated(ElementType::kInt64, 3);
      CopyThere(elements, a);
      Transform::Options add_one;
      add_one.offset = 1;
      for (int i = 0; i < kSteps; ++i) {
        absl::Status status = transform.Run(a.view(), a.view(), add_one);
        status.Update(compact.Run(
            a.view(), {b.view(), sizes.view().Slice(0, 1), {}, {}, {}}, {}));
        status.Update(encode.Run(b.view(), {values.view(), lengths.view(),
                                            sizes.view().Slice(1, 1)}));
        status.Update(decode.Run(
            {values.view().Slice(0, runs), lengths.view().Slice(0, runs)},
            {a.view(), sizes.view().Slice(2, 1)}));
        ASSERT_EQ(status, absl::OkStatus());
        for (std::int32_t& element : elements) ++element;
      }
      EXPECT_TRUE(CopiedBack<std::int32_t>(a) == elements)
          << transform.name() << ", " << compact.name() << ", " << encode.name()
          << ", " << decode.name() << ", " << size << " elements in runs of "
          << run;
      EXPECT_EQ(CopiedBack<std::int64_t>(sizes),
                (std::vector<std::int64_t>{size, runs, size}));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(, QueuedCalls,
                         ::testing::Values("serial", "tbb:2", "cuda"),
                         NameOfParameter);

}  // namespace
}  // namespace concord
