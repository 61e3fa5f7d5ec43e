// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/backends/mpi/stretch_pool.h"

#include <sys/mman.h>

#include <cerrno>
#include <cstring>
#include <map>
#include <mutex>
#include <utility>

#include "concord/core/available_memory.h"
#include "concord/core/errors.h"

namespace concord {
namespace {

constexpr std::int64_t kPage = 4096;
constexpr std::int64_t kHugePage = std::int64_t{2} << 20;

// Whether there is memory is a question that takes as long as to fill this.
constexpr std::int64_t kWorthAsking = std::int64_t{1} << 20;

struct Allocation {
  std::int64_t bytes;
  Ranges stretches;
};

// Every array of the process, by the address at which it begins.
struct Allocations {
  std::mutex mutex;
  std::map<const char*, Allocation> all;
};

Allocations& TheAllocations() {
  static auto* const allocations = new Allocations();
  return *allocations;
}

std::int64_t RoundUp(std::int64_t bytes, std::int64_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

// Addresses for so many bytes, without memory, at a multiple of a huge page if
// they are as many. Null with the reason in errno.
char* Reserve(std::int64_t bytes) {
  const std::int64_t slack = bytes >= kHugePage ? kHugePage : 0;
  const std::int64_t size = RoundUp(bytes, kPage);
  void* const found =
      mmap(nullptr, static_cast<std::size_t>(size + slack), PROT_NONE,
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (found == MAP_FAILED) return nullptr;
  if (slack == 0) return static_cast<char*>(found);
  const auto address = reinterpret_cast<std::intptr_t>(found);
  const std::int64_t before = RoundUp(address, kHugePage) - address;
  char* const begin = static_cast<char*>(found) + before;
  if (before > 0) munmap(found, static_cast<std::size_t>(before));
  munmap(begin + size, static_cast<std::size_t>(slack - before));
  return begin;
}

// Gives the stretch its memory; false with the reason in errno.
bool Back(char* begin, Range stretch) {
  if (stretch.empty()) return true;
  const std::int64_t first = stretch.first / kPage * kPage;
  const auto size =
      static_cast<std::size_t>(RoundUp(stretch.last, kPage) - first);
  if (mprotect(begin + first, size, PROT_READ | PROT_WRITE) != 0) return false;
#ifdef MADV_HUGEPAGE
  // A wish: the array works with small pages too.
  if (stretch.size() >= kHugePage) madvise(begin + first, size, MADV_HUGEPAGE);
#endif
  return true;
}

void Free(char* begin, std::int64_t bytes) {
  munmap(begin, static_cast<std::size_t>(RoundUp(bytes, kPage)));
}

}  // namespace

StretchPool::StretchPool(std::shared_ptr<Team> team, Layout layout)
    : MemoryPool(TheMemory()), team_(std::move(team)), layout_(layout) {}

void* StretchPool::Acquire(std::int64_t bytes) {
  Ranges stretches = CutBytes(bytes, team_->size(), layout_);
  const Range mine = stretches[static_cast<std::size_t>(team_->rank())];
  char* begin = nullptr;
  int error = ENOMEM;
  if (mine.size() < kWorthAsking || mine.size() <= AvailableMemory()) {
    begin = Reserve(bytes);
    error = errno;
  }
  if (begin != nullptr && !Back(begin, mine)) {
    error = errno;
    Free(std::exchange(begin, nullptr), bytes);
  }
  absl::Status status;
  if (begin == nullptr) {
    status = ResourceExhaustedError(
        "out of ", memory().name(), " memory: ", mine.size(),
        " bytes wanted there, ", bytes, " by all, ", AvailableMemory(),
        " bytes free: ", std::strerror(error));
  }
  refusal_ =
      team_->AgreeOn(absl::StrCat("an array of ", bytes, " bytes"), status);
  if (!refusal_.ok()) {
    if (begin != nullptr) Free(begin, bytes);
    return nullptr;
  }
  const std::lock_guard<std::mutex> lock(TheAllocations().mutex);
  TheAllocations().all[begin] = {bytes, std::move(stretches)};
  return begin;
}

void StretchPool::Release(void* data, std::int64_t bytes) {
  char* const begin = static_cast<char*>(data);
  {
    const std::lock_guard<std::mutex> lock(TheAllocations().mutex);
    TheAllocations().all.erase(begin);
  }
  Free(begin, bytes);
}

std::int64_t StretchPool::AvailableBytes() const { return AvailableMemory(); }

absl::Status StretchPool::Refusal(std::int64_t) const { return refusal_; }

absl::StatusOr<Ranges> StretchesOf(const ConstArrayView& view, int members) {
  if (view.empty()) return AllOf(0, members);
  const char* const data = view.data<char>();
  const std::lock_guard<std::mutex> lock(TheAllocations().mutex);
  auto found = TheAllocations().all.upper_bound(data);
  if (found == TheAllocations().all.begin() ||
      data + view.bytes() > (--found)->first + found->second.bytes) {
    return InvalidArgumentError(
        "an array was not allocated by the backend that is to use it");
  }
  const std::int64_t offset = data - found->first;
  const std::int64_t width = SizeOf(view.type());
  const auto element = [&](std::int64_t byte) {
    return std::clamp<std::int64_t>(byte - offset, 0, view.bytes()) / width;
  };
  Ranges elements;
  for (const Range& stretch : found->second.stretches) {
    elements.push_back({element(stretch.first), element(stretch.last)});
  }
  return elements;
}

}  // namespace concord
