// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_TESTING_SUPPORT_SPOILING_BACKEND_H_
#define CONCORD_TESTING_SUPPORT_SPOILING_BACKEND_H_

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "concord/testing/support/plain_backend.h"

namespace concord {

// Memory that is spoiled when it is given back, so that who reads it then gets
// wrong values, and is not given out again. It knows how much was in use.
class SpoilingPool : public PlainPool {
 public:
  SpoilingPool() : PlainPool(Memory::Host()) {}
  ~SpoilingPool() override {
    for (const auto& [data, bytes] : spoiled_) PlainPool::Release(data, bytes);
  }

  // At most, at any time.
  std::int64_t most() const { return most_; }

 protected:
  void* Acquire(std::int64_t bytes) override {
    used_ += bytes;
    most_ = std::max(most_, used_);
    return PlainPool::Acquire(bytes);
  }
  void Release(void* data, std::int64_t bytes) override {
    used_ -= bytes;
    std::memset(data, 0x5a, static_cast<std::size_t>(bytes));
    spoiled_.emplace_back(data, bytes);
  }

 private:
  std::int64_t used_ = 0, most_ = 0;
  std::vector<std::pair<void*, std::int64_t>> spoiled_;
};

class SpoilingBackend : public PlainBackend {
 public:
  SpoilingBackend() : SpoilingBackend(std::make_shared<SpoilingPool>()) {}

  const SpoilingPool& memory_pool() const { return *pool_; }

 private:
  explicit SpoilingBackend(std::shared_ptr<SpoilingPool> pool)
      : PlainBackend({"spoiling", "spoiling", "", {}}, pool),
        pool_(std::move(pool)) {}

  const std::shared_ptr<SpoilingPool> pool_;
};

}  // namespace concord

#endif  // CONCORD_TESTING_SUPPORT_SPOILING_BACKEND_H_
