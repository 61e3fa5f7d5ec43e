// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/backends/host/host_backend.h"

#include <sys/mman.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <mutex>
#include <new>
#include <numeric>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "concord/core/available_memory.h"
#include "concord/core/memory_pool.h"

namespace concord {
namespace {

// --- Memory ---

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

// The host's memory. Blocks that were freed are kept for the next array of
// about their size, because fresh pages cost more than most kernels: the system
// clears each one when it is first touched.
class HostPool : public MemoryPool {
 public:
  HostPool() : MemoryPool(Memory::Host()) {}
  ~HostPool() override;

 protected:
  void* Acquire(std::int64_t bytes) override;
  void Release(void* data, std::int64_t bytes) override;
  std::int64_t AvailableBytes() const override;

 private:
  void FreeKept();

  std::mutex mutex_;
  // Block size -> blocks of that size that nobody uses.
  std::map<std::int64_t, std::vector<void*>> kept_;
  std::int64_t kept_bytes_ = 0;
};

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

// --- The backend ---

class SteadyTimer : public Timer {
 public:
  absl::Status Start() override {
    start_ = Clock::now();
    return absl::OkStatus();
  }
  absl::Status Stop() override {
    stop_ = Clock::now();
    return absl::OkStatus();
  }
  absl::StatusOr<double> Seconds() override {
    return std::chrono::duration<double>(stop_ - start_).count();
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_;
  Clock::time_point stop_;
};

}  // namespace

HostBackend::HostBackend(BackendInfo info)
    : Backend(std::move(info), std::make_shared<HostPool>()) {}

absl::Status HostBackend::CopyChecked(ConstArrayView from, ArrayView to) {
  std::memmove(to.data(), from.data(), static_cast<std::size_t>(from.bytes()));
  return absl::OkStatus();
}

absl::Status HostBackend::ReadChecked(ConstArrayView data) {
  const auto* bytes = data.data<std::uint8_t>();
  // The volatile sum keeps the loop from being optimised away.
  volatile std::uint8_t sum =
      std::accumulate(bytes, bytes + data.bytes(), std::uint8_t{0});
  static_cast<void>(sum);
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<Timer>> HostBackend::MakeTimer() {
  return std::make_unique<SteadyTimer>();
}

std::string CpuModel() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (!absl::StartsWith(line, "model name")) continue;
    const std::pair<std::string, std::string> field =
        absl::StrSplit(line, absl::MaxSplits(':', 1));
    return std::string(absl::StripAsciiWhitespace(field.second));
  }
  return "unknown CPU";
}

}  // namespace concord
