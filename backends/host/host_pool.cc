// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/backends/host/host_pool.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <new>

#include "concord/core/available_memory.h"

namespace concord {
namespace {

constexpr std::int64_t kCacheLine = 64;
// Arrays of this size and more are worth huge pages.
constexpr std::int64_t kHugePage = std::int64_t{2} << 20;
// More than this is given back to the system when it is freed.
constexpr std::int64_t kMostKept = std::int64_t{4} << 30;

// Few distinct sizes, so that a kept block often fits, and never more than an
// eighth wasted.
std::int64_t BlockSize(std::int64_t bytes) {
  std::int64_t step = kCacheLine;
  while (step * 8 < bytes) step *= 2;
  return (bytes + step - 1) / step * step;
}

}  // namespace

HostPool::~HostPool() { FreeKept(); }

void HostPool::FreeKept() {
  for (auto& [size, blocks] : kept_) {
    for (void* block : blocks) std::free(block);
  }
  kept_.clear();
  kept_bytes_ = 0;
}

void* HostPool::Acquire(std::int64_t bytes) {
  const std::int64_t size = BlockSize(bytes);
  const std::lock_guard<std::mutex> lock(mutex_);
  if (auto it = kept_.find(size); it != kept_.end() && !it->second.empty()) {
    void* block = it->second.back();
    it->second.pop_back();
    kept_bytes_ -= size;
    return block;
  }
  const std::int64_t alignment = size >= kHugePage ? kHugePage : kCacheLine;
  const std::int64_t rounded = (size + alignment - 1) / alignment * alignment;
  void* block = std::aligned_alloc(static_cast<std::size_t>(alignment),
                                   static_cast<std::size_t>(rounded));
  if (block == nullptr && kept_bytes_ > 0) {
    FreeKept();
    block = std::aligned_alloc(static_cast<std::size_t>(alignment),
                               static_cast<std::size_t>(rounded));
  }
#ifdef MADV_HUGEPAGE
  // A wish: the array works with small pages too.
  if (block != nullptr && size >= kHugePage) {
    madvise(block, static_cast<std::size_t>(rounded), MADV_HUGEPAGE);
  }
#endif
  return block;
}

void HostPool::Release(void* data, std::int64_t bytes) {
  const std::int64_t size = BlockSize(bytes);
  const std::lock_guard<std::mutex> lock(mutex_);
  if (kept_bytes_ + size <= kMostKept) {
    try {
      kept_[size].push_back(data);
      kept_bytes_ += size;
      return;
    } catch (const std::bad_alloc&) {
      // Then it is not kept: whoever frees memory must not fail.
    }
  }
  std::free(data);
}

std::int64_t HostPool::AvailableBytes() const { return AvailableMemory(); }

}  // namespace concord
