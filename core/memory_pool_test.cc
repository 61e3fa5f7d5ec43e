// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/core/memory_pool.h"

#include <cstdlib>
#include <memory>
#include <new>
#include <optional>

#include "absl/strings/str_cat.h"
#include "concord/core/guarded.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace concord {
namespace {

using ::testing::HasSubstr;

// Plain memory, 1000 bytes of it.
class SmallPool : public MemoryPool {
 public:
  SmallPool() : MemoryPool(Memory::Host()) {}
  std::int64_t taken = 0;
  bool throws = false;

 protected:
  void* Acquire(std::int64_t bytes) override {
    if (throws) throw std::bad_alloc();
    if (taken + bytes > 1000) return nullptr;
    taken += bytes;
    return std::malloc(static_cast<std::size_t>(bytes));
  }
  void Release(void* data, std::int64_t bytes) override {
    taken -= bytes;
    std::free(data);
  }
  std::int64_t AvailableBytes() const override { return 1000 - taken; }
};

TEST(Memory, HasTheNameOfADeviceOrOneOfItsOwn) {
  EXPECT_EQ(Memory::Host().name(), "host");
  EXPECT_EQ(Memory("moon", 0).name(), "moon:0");
  EXPECT_EQ(Memory("moons:0+1").name(), "moons:0+1");
  EXPECT_EQ(Memory("moons:0+1"), Memory(std::string("moons:0+1").c_str()));
  EXPECT_NE(Memory("moons:0+1"), Memory("moons:0+2"));
  EXPECT_NE(Memory("moon", 0), Memory("moon"));
}

TEST(MemoryPool, CountsWhatArraysHold) {
  auto pool = std::make_shared<SmallPool>();
  {
    auto array = pool->Allocate(ElementType::kInt64, 10);
    ASSERT_TRUE(array.ok());
    EXPECT_EQ(array->size(), 10);
    EXPECT_EQ(array->type(), ElementType::kInt64);
    EXPECT_EQ(pool->bytes_in_use(), 80);
  }
  EXPECT_EQ(pool->bytes_in_use(), 0);
  EXPECT_EQ(pool->taken, 0);
}

TEST(MemoryPool, CountsNothingOfWhatCouldNotBeMade) {
  auto pool = std::make_shared<SmallPool>();
  pool->throws = true;
  EXPECT_EQ(pool->Allocate(ElementType::kInt64, 10).status(),
            OutOfHostMemory());
  EXPECT_EQ(pool->bytes_in_use(), 0);
}

TEST(MemoryPool, RefusesPastTheLimitAndStaysUsable) {
  auto pool = std::make_shared<SmallPool>();
  pool->set_limit(100);
  auto held = pool->Allocate(ElementType::kUInt8, 60);
  ASSERT_TRUE(held.ok());
  const auto refused = pool->Allocate(ElementType::kInt32, 11);
  EXPECT_EQ(refused.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(refused.status().message()),
              HasSubstr("44 bytes wanted, 40 bytes free in the limit"));
  EXPECT_EQ(pool->bytes_in_use(), 60);
  EXPECT_TRUE(pool->Allocate(ElementType::kInt32, 10).ok());
}

TEST(MemoryPool, SaysSoWhenTheMemoryItselfIsFull) {
  auto pool = std::make_shared<SmallPool>();
  auto held = pool->Allocate(ElementType::kUInt8, 900);
  ASSERT_TRUE(held.ok());
  const auto refused = pool->Allocate(ElementType::kUInt8, 200);
  EXPECT_EQ(refused.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(refused.status().message()),
              HasSubstr("200 bytes wanted, 100 bytes free"));
  EXPECT_EQ(pool->bytes_in_use(), 900);
}

// Of two halves, the second of which is full.
class HalvesPool : public SmallPool {
 protected:
  absl::Status Refusal(std::int64_t bytes) const override {
    return absl::ResourceExhaustedError(
        absl::StrCat("the second half has no ", bytes / 2, " bytes"));
  }
};

TEST(MemoryPool, LetsAMemoryOfSeveralPartsSayWhichOneIsFull) {
  auto pool = std::make_shared<HalvesPool>();
  EXPECT_EQ(pool->Allocate(ElementType::kUInt8, 2000).status().message(),
            "the second half has no 1000 bytes");
  EXPECT_EQ(pool->bytes_in_use(), 0);
}

TEST(MemoryPool, RefusesSizesThatNoMemoryHolds) {
  auto pool = std::make_shared<SmallPool>();
  EXPECT_EQ(pool->Allocate(ElementType::kInt64, std::int64_t{1} << 61)
                .status()
                .code(),
            absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(pool->Allocate(ElementType::kInt64, -1).status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(pool->bytes_in_use(), 0);
}

TEST(MemoryPool, LivesAsLongAsItsArrays) {
  auto pool = std::make_shared<SmallPool>();
  std::optional<Array> array = *pool->Allocate(ElementType::kInt32, 4);
  const std::weak_ptr<SmallPool> watch = pool;
  pool.reset();
  EXPECT_FALSE(watch.expired());
  array->data<std::int32_t>()[3] = 7;
  array.reset();
  EXPECT_TRUE(watch.expired());
}

}  // namespace
}  // namespace concord
