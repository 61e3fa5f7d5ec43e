// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/core/backend.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <numeric>
#include <optional>

#include "absl/strings/str_cat.h"
#include "concord/backends/cuda/cuda_backend.h"
#include "concord/core/environment.h"
#include "concord/core/fills.h"
#include "concord/core/host_array.h"
#include "concord/testing/support/named_backends.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace concord {
namespace {

using ::testing::AnyOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(Backends, AreListedByRankWhetherOrNotTheyCanRun) {
  std::vector<std::string> names;
  for (const BackendStatus& status : ListBackends()) {
    names.push_back(status.name);
    EXPECT_EQ(status.available(), status.reason.empty()) << status.reason;
    EXPECT_EQ(status.available(), !status.devices.empty());
    for (const Device& device : status.devices) {
      EXPECT_FALSE(device.facts.empty());
    }
  }
  EXPECT_THAT(names, ElementsAre("gpus", "mpi", "serial", "tbb", "cuda"));
}

TEST(Backends, ADeviceOpensByTheSpecThatTheListGives) {
  for (const BackendStatus& status : ListBackends()) {
    for (const Device& device : status.devices) {
      const auto backend = OpenBackend(device.spec);
      ASSERT_TRUE(backend.ok()) << backend.status();
      EXPECT_EQ((*backend)->info().name, status.name);
      EXPECT_EQ((*backend)->info().spec, device.spec);
      EXPECT_EQ((*backend)->info().chosen_because, "asked for by name");
    }
  }
}

TEST(Backends, AnExplicitNameIsThatBackendOrAnError) {
  for (const BackendStatus& status : ListBackends()) {
    if (status.available()) continue;
    const auto backend = OpenBackend(status.name);
    EXPECT_EQ(backend.status().code(), absl::StatusCode::kUnavailable);
    EXPECT_THAT(std::string(backend.status().message()),
                HasSubstr(std::string(Name(status.stage))));
    EXPECT_THAT(std::string(backend.status().message()),
                HasSubstr(status.reason));
  }
}

TEST(Backends, UnknownNamesListThoseThereAre) {
  for (const char* spec : {"opencl", "Serial", ":1"}) {
    const auto backend = OpenBackend(spec);
    EXPECT_EQ(backend.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(
        std::string(backend.status().message()),
        HasSubstr("the backends are gpus, mpi, serial, tbb, cuda and auto"));
  }
  EXPECT_EQ(OpenBackend("serial:2").status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(OpenBackend("tbb:").status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST(Backends, AutoIsFollowedByABackend) {
  std::string many;
  for (int i = 0; i < 25'000; ++i) many += "auto:";
  for (const std::string& spec :
       {std::string("auto:auto"), std::string("auto:auto:serial"),
        std::string("auto:3"), std::string("auto::1"), many + "serial"}) {
    const absl::Status status = OpenBackend(spec).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(status.message()),
                HasSubstr("a backend follows 'auto:', and not '" +
                          spec.substr(5) + "'; the backends are gpus, "));
  }
}

TEST(Backends, AutoTakesTheFastestThereIsAndSaysWhy) {
  const auto backend = OpenBackend("auto");
  ASSERT_TRUE(backend.ok());
  std::string best;
  std::string missing;
  for (const BackendStatus& status : ListBackends()) {
    // What is passed over ranks above what is taken.
    missing = status.available() ? "" : status.name;
    if (status.available()) best = status.name;
  }
  EXPECT_EQ((*backend)->info().name, best);
  EXPECT_THAT((*backend)->info().chosen_because, HasSubstr("auto: "));
  EXPECT_THAT((*backend)->info().chosen_because, HasSubstr(missing));
}

TEST(Backends, TheEnvironmentIsChecked) {
  EXPECT_EQ(CheckEnvironment(), absl::OkStatus());
  ASSERT_EQ(setenv("CONCORD_VECTOR_INSTRUCTIONS", "avx-2", 1), 0);
  const absl::Status status = CheckEnvironment();
  ASSERT_EQ(unsetenv("CONCORD_VECTOR_INSTRUCTIONS"), 0);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr("'avx-2'"));
}

TEST(Backends, TheEnvironmentSetsTheDefault) {
  ASSERT_EQ(setenv("CONCORD_BACKEND", "tbb:3", 1), 0);
  const auto by_default = OpenBackend("");
  const auto by_name = OpenBackend("serial");
  ASSERT_EQ(setenv("CONCORD_BACKEND", "nonsense", 1), 0);
  const auto nonsense = OpenBackend("");
  ASSERT_EQ(unsetenv("CONCORD_BACKEND"), 0);
  ASSERT_TRUE(by_default.ok() && by_name.ok());
  EXPECT_EQ((*by_default)->info().spec, "tbb:3");
  EXPECT_EQ((*by_default)->info().chosen_because, "named by CONCORD_BACKEND");
  EXPECT_EQ((*by_name)->info().spec, "serial");
  EXPECT_EQ(nonsense.status().code(), absl::StatusCode::kInvalidArgument);
}

class EachBackend : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override { backend_ = OpenOrSkip(GetParam()); }

  std::shared_ptr<Backend> backend_;
};

TEST_P(EachBackend, CopiesThereAndBack) {
  for (std::int64_t n : {0, 1, 1000, 3000001}) {
    HostArray values(ElementType::kInt32, {n});
    std::iota(values.data<std::int32_t>(), values.data<std::int32_t>() + n, 5);
    HostArray back(ElementType::kInt32, {n});
    auto there = backend_->Allocate(ElementType::kInt32, n);
    auto beside = backend_->Allocate(ElementType::kInt32, n);
    ASSERT_TRUE(there.ok() && beside.ok());
    ASSERT_TRUE(backend_->Copy(values.view(), there->view()).ok());
    ASSERT_TRUE(backend_->Copy(there->view(), beside->view()).ok());
    ASSERT_TRUE(backend_->Copy(beside->view(), back.view()).ok());
    EXPECT_EQ(values, back) << n;
    EXPECT_TRUE(backend_->ReadOnce(there->view()).ok());
    EXPECT_TRUE(backend_->Synchronize().ok());
    if (n == 0) continue;
    // Not where vectors begin.
    EXPECT_TRUE(backend_->ReadOnce(there->view().Slice(1, n - 1)).ok());
    EXPECT_TRUE(backend_->Synchronize().ok());
  }
}

TEST_P(EachBackend, CopiesAreasThatOverlap) {
  constexpr std::int64_t kSize = 1 << 20;
  const auto there = backend_->Allocate(ElementType::kInt32, kSize);
  ASSERT_TRUE(there.ok()) << there.status();
  HostArray values(ElementType::kInt32, {kSize});
  std::iota(values.data<std::int32_t>(), values.data<std::int32_t>() + kSize,
            1);
  for (const std::int64_t by : {0, 1, 4, 1000}) {
    for (const bool is_forward : {false, true}) {
      SCOPED_TRACE(absl::StrCat(by, is_forward ? " forward" : " back"));
      const std::int64_t from = is_forward ? 0 : by;
      const std::int64_t to = is_forward ? by : 0;
      const std::int64_t count = kSize - by;
      ASSERT_TRUE(backend_->Copy(values.view(), there->view()).ok());
      ASSERT_EQ(backend_->Copy(there->view().Slice(from, count),
                               there->view().Slice(to, count)),
                absl::OkStatus());
      HostArray back(ElementType::kInt32, {kSize});
      ASSERT_TRUE(backend_->Copy(there->view(), back.view()).ok());
      HostArray moved = values;
      std::copy_n(values.data<std::int32_t>() + from, count,
                  moved.data<std::int32_t>() + to);
      EXPECT_EQ(back, moved);
    }
  }
}

TEST_P(EachBackend, FillsWithZerosWhereItCanFill) {
  auto* const fills = dynamic_cast<Fills*>(backend_.get());
  const std::string& name = backend_->info().name;
  ASSERT_EQ(fills != nullptr,
            name == "tbb" || name == "cuda" || name == "gpus");
  if (fills == nullptr) return;
  for (std::int64_t n : {0, 1, 1000, 3000001}) {
    HostArray values(ElementType::kInt32, {n});
    std::iota(values.data<std::int32_t>(), values.data<std::int32_t>() + n, 5);
    auto there = backend_->Allocate(ElementType::kInt32, n);
    ASSERT_TRUE(there.ok());
    ASSERT_TRUE(backend_->Copy(values.view(), there->view()).ok());
    EXPECT_TRUE(fills->Fill(there->view()).ok());
    ASSERT_TRUE(backend_->Copy(there->view(), values.view()).ok());
    EXPECT_THAT(values.span<std::int32_t>(), Each(0)) << n;
  }
}

TEST_P(EachBackend, CopiesFromAndToItsHostMemory) {
  for (std::int64_t n : {0, 1, 3000001}) {
    auto from = backend_->AllocateHost(ElementType::kInt32, n);
    auto there = backend_->Allocate(ElementType::kInt32, n);
    auto back = backend_->AllocateHost(ElementType::kInt32, n);
    ASSERT_TRUE(from.ok() && there.ok() && back.ok());
    EXPECT_TRUE(from->view().memory().is_host());
    EXPECT_EQ(from->view().size(), n);
    // An empty array has an address of its own.
    EXPECT_NE(from->data<void>(), nullptr);
    EXPECT_NE(from->data<void>(), back->data<void>());
    std::iota(from->data<std::int32_t>(), from->data<std::int32_t>() + n, 5);
    ASSERT_TRUE(backend_->Copy(from->view(), there->view()).ok());
    ASSERT_TRUE(backend_->Copy(there->view(), back->view()).ok());
    EXPECT_EQ(from->view().span<std::int32_t>(),
              back->view().span<std::int32_t>())
        << n;
  }
}

TEST_P(EachBackend, CopyRefusesWhatIsNoArray) {
  HostArray bytes(ElementType::kUInt8, {8});
  const auto there = backend_->Allocate(ElementType::kUInt8, 4);
  ASSERT_TRUE(there.ok());
  const auto host = [&](void* data, const Shape& shape) {
    return ArrayView(data, ElementType::kUInt8, shape, Memory::Host());
  };
  const auto fails = [&](ConstArrayView from, ArrayView to) {
    return backend_->Copy(from, to).code() ==
           absl::StatusCode::kInvalidArgument;
  };
  auto* const data = bytes.data<char>();
  EXPECT_TRUE(fails(host(data, Shape(4).WithStrides(2)), there->view()));
  EXPECT_TRUE(fails(there->view(), host(data, Shape(4).WithStrides(2))));
  EXPECT_TRUE(fails(there->view(), host(data + 3, Shape(4).WithStrides(-1))));
  EXPECT_TRUE(fails(host(nullptr, 4), there->view()));
  EXPECT_TRUE(fails(there->view(), host(nullptr, 4)));
  EXPECT_TRUE(fails(host(data, -1), host(data, -1)));
  EXPECT_FALSE(fails(host(nullptr, 0), host(nullptr, 0)));
}

TEST_P(EachBackend, ReadOnceRefusesWhatItCannotRead) {
  const auto there = backend_->Allocate(ElementType::kUInt8, 8);
  ASSERT_TRUE(there.ok());
  const void* const data = there->view().data();
  const auto code = [&](const void* at, Shape shape, Memory memory) {
    return backend_->ReadOnce({at, ElementType::kUInt8, shape, memory}).code();
  };
  const Memory memory = backend_->memory();
  for (const Shape shape : {Shape(4).WithStrides(2), Shape(-1)}) {
    EXPECT_EQ(code(data, shape, memory), absl::StatusCode::kInvalidArgument);
  }
  EXPECT_EQ(code(nullptr, 4, memory), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(code(data, 4, Memory("moon", 4)),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(code(nullptr, 0, memory), absl::StatusCode::kOk);
  EXPECT_EQ(code(data, 4, memory), absl::StatusCode::kOk);
}

TEST_P(EachBackend, CopyRefusesArraysThatDoNotMatch) {
  auto eight = backend_->Allocate(ElementType::kInt32, 8);
  ASSERT_TRUE(eight.ok());
  const HostArray nine(ElementType::kInt32, {9});
  const HostArray floats(ElementType::kFloat32, {8});
  EXPECT_EQ(backend_->Copy(nine.view(), eight->view()).code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(backend_->Copy(floats.view(), eight->view()).code(),
            absl::StatusCode::kInvalidArgument);
  const HostArray bytes(ElementType::kInt32, {8});
  const absl::Status elsewhere =
      backend_->Copy(ConstArrayView(bytes.view().data(), ElementType::kInt32, 8,
                                    Memory("moon", 4)),
                     eight->view());
  EXPECT_EQ(elsewhere.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(elsewhere.message()), HasSubstr("moon:4"));
  EXPECT_THAT(std::string(elsewhere.message()),
              HasSubstr(backend_->memory().name()));
}

TEST_P(EachBackend, RefusesSizesThatNoMemoryHolds) {
  const std::int64_t held = backend_->pool().bytes_in_use();
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  // Of 4 bytes each these wrap to 0, to 4, and to less than 0.
  for (const std::int64_t size :
       {kMost / 2 + 1, kMost / 2 + 2, kMost / 4, kMost / 8, kMost / 16}) {
    EXPECT_EQ(backend_->Allocate(ElementType::kInt32, size).status().code(),
              absl::StatusCode::kResourceExhausted);
    EXPECT_EQ(backend_->AllocateHost(ElementType::kInt32, size).status().code(),
              absl::StatusCode::kResourceExhausted);
  }
  for (const std::int64_t size : {kMost, kMost / 2 + 2, kMost / 2}) {
    EXPECT_EQ(backend_->Allocate(ElementType::kUInt8, size).status().code(),
              absl::StatusCode::kResourceExhausted);
  }
  for (const std::int64_t size : {std::int64_t{-1}, -kMost}) {
    EXPECT_EQ(backend_->Allocate(ElementType::kInt32, size).status().code(),
              absl::StatusCode::kInvalidArgument);
    EXPECT_EQ(backend_->AllocateHost(ElementType::kInt32, size).status().code(),
              absl::StatusCode::kInvalidArgument);
  }
  EXPECT_EQ(backend_->pool().bytes_in_use(), held);
  EXPECT_TRUE(backend_->Allocate(ElementType::kInt32, 1000).ok());
}

TEST_P(EachBackend, KeepsToItsLimitAndStaysUsable) {
  backend_->pool().set_limit(backend_->pool().bytes_in_use() + 4000);
  const auto refused = backend_->Allocate(ElementType::kInt32, 1001);
  EXPECT_EQ(refused.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(refused.status().message()),
              HasSubstr("4004 bytes wanted, 4000 bytes free"));
  EXPECT_TRUE(backend_->Allocate(ElementType::kInt32, 1000).ok());
}

TEST_P(EachBackend, SurvivesAWishThatNoDeviceCanFulfil) {
  const auto refused =
      backend_->Allocate(ElementType::kInt64, std::int64_t{1} << 50);
  EXPECT_EQ(refused.status().code(), absl::StatusCode::kResourceExhausted)
      << refused.status();
  EXPECT_TRUE(backend_->Allocate(ElementType::kInt64, 1 << 10).ok());
  EXPECT_TRUE(backend_->Synchronize().ok());
}

TEST_P(EachBackend, ArraysOutliveTheBackend) {
  auto array = backend_->Allocate(ElementType::kInt32, 100000);
  ASSERT_TRUE(array.ok());
  backend_.reset();
  std::optional<Array> last = *std::move(array);
  last.reset();
}

TEST_P(EachBackend, TimesTheWorkBetweenStartAndStop) {
  auto array = backend_->Allocate(ElementType::kUInt8, 1 << 24);
  auto beside = backend_->Allocate(ElementType::kUInt8, 1 << 24);
  ASSERT_TRUE(array.ok() && beside.ok());
  auto timer = backend_->NewTimer();
  ASSERT_TRUE(timer.ok());
  ASSERT_TRUE((*timer)->Start().ok());
  for (int i = 0; i < 4; ++i) {
    ASSERT_TRUE(backend_->Copy(array->view(), beside->view()).ok());
  }
  ASSERT_TRUE((*timer)->Stop().ok());
  const auto seconds = (*timer)->Seconds();
  ASSERT_TRUE(seconds.ok());
  // 128 MiB moved: no machine needs less than 10 us or more than 10 s for it.
  EXPECT_GT(*seconds, 1e-5);
  EXPECT_LT(*seconds, 10);
}

INSTANTIATE_TEST_SUITE_P(Backends, EachBackend,
                         ::testing::Values("serial", "tbb:1", "tbb:3", "cuda",
                                           "gpus", "gpus:0+0",
                                           "gpus:0+0+0@striped"),
                         [](const auto& test) {
                           std::string name = test.param;
                           for (char& c : name) c = std::isalnum(c) ? c : '_';
                           return name;
                         });

}  // namespace
}  // namespace concord
