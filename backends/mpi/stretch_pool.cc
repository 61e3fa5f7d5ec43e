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

// The stretch in a GPU's memory has the place in a line of so many bytes that
// it has in the array, so that kernels find the same vectors in both.
constexpr std::int64_t kLine = 256;

struct Allocation {
  std::int64_t bytes;
  Ranges stretches;
  // What is added to an address for that where the member has the byte.
  std::intptr_t to_here = 0;
  // The stretch, where it is not in host memory.
  Array here = {};
};

// Every array of the process, by the address at which it begins.
struct Allocations {
  std::mutex mutex;
  std::map<const char*, Allocation> all;

  // That which has these bytes, with where it begins; null where none has. The
  // mutex is held.
  const std::pair<const char* const, Allocation>* Find(const char* data,
                                                       std::int64_t bytes) {
    auto found = all.upper_bound(data);
    if (found == all.begin()) return nullptr;
    --found;
    return data + bytes > found->first + found->second.bytes ? nullptr
                                                             : &*found;
  }
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

StretchPool::StretchPool(std::shared_ptr<Team> team, Layout layout,
                         std::shared_ptr<MemoryPool> local,
                         std::vector<std::uint64_t> hosts)
    : MemoryPool(MemoryOver(local->memory())),
      team_(std::move(team)),
      layout_(layout),
      local_(std::move(local)),
      hosts_(std::move(hosts)) {}

std::int64_t StretchPool::BytesOnHost(const Ranges& stretches) const {
  const std::uint64_t here = hosts_[static_cast<std::size_t>(team_->rank())];
  std::int64_t bytes = 0;
  for (std::size_t r = 0; r < stretches.size(); ++r) {
    if (hosts_[r] == here) bytes += stretches[r].size();
  }
  return bytes;
}

void* StretchPool::Acquire(std::int64_t bytes) {
  Allocation made = {bytes, CutBytes(bytes, team_->size(), layout_)};
  const Range mine = made.stretches[static_cast<std::size_t>(team_->rank())];
  const bool on_host = local_->memory().is_host();
  const std::int64_t of_host = BytesOnHost(made.stretches);
  absl::Status status;
  if (!on_host) {
    const std::int64_t before = mine.first % kLine;
    absl::StatusOr<Array> here = local_->Allocate(
        ElementType::kUInt8, mine.empty() ? 0 : before + mine.size());
    status = here.status();
    if (here.ok()) {
      made.here = *std::move(here);
      made.to_here = reinterpret_cast<std::intptr_t>(made.here.view().data()) +
                     before - mine.first;
    }
  }
  char* begin = nullptr;
  int error = ENOMEM;
  if (status.ok() &&
      (!on_host || of_host < kWorthAsking || of_host <= AvailableMemory())) {
    begin = Reserve(bytes);
    error = errno;
  }
  if (begin != nullptr && on_host && !Back(begin, mine)) {
    error = errno;
    Free(std::exchange(begin, nullptr), bytes);
  }
  if (begin == nullptr && status.ok()) {
    status = ResourceExhaustedError(
        "out of ", memory().name(), " memory: ", mine.size(),
        " bytes wanted there, ", of_host, " by all of its host, ", bytes,
        " by all, ", AvailableMemory(), " bytes free: ", std::strerror(error));
  }
  refusal_ =
      team_->AgreeOn(absl::StrCat("an array of ", bytes, " bytes"), status);
  if (!refusal_.ok()) {
    if (begin != nullptr) Free(begin, bytes);
    return nullptr;
  }
  if (!on_host) made.to_here -= reinterpret_cast<std::intptr_t>(begin);
  const std::lock_guard<std::mutex> lock(TheAllocations().mutex);
  TheAllocations().all[begin] = std::move(made);
  return begin;
}

void StretchPool::Release(void* data, std::int64_t bytes) {
  char* const begin = static_cast<char*>(data);
  Array here;
  {
    const std::lock_guard<std::mutex> lock(TheAllocations().mutex);
    const auto found = TheAllocations().all.find(begin);
    here = std::move(found->second.here);
    TheAllocations().all.erase(found);
  }
  Free(begin, bytes);
}

std::int64_t StretchPool::AvailableBytes() const { return AvailableMemory(); }

absl::Status StretchPool::Refusal(std::int64_t) const { return refusal_; }

void* AddressHere(const void* address) {
  const std::lock_guard<std::mutex> lock(TheAllocations().mutex);
  const auto* const found =
      TheAllocations().Find(static_cast<const char*>(address), 1);
  const std::intptr_t to_here = found == nullptr ? 0 : found->second.to_here;
  return reinterpret_cast<void*>(reinterpret_cast<std::intptr_t>(address) +
                                 to_here);
}

absl::StatusOr<Ranges> StretchesOf(const ConstArrayView& view, int members) {
  if (view.empty()) return AllOf(0, members);
  const char* const data = view.data<char>();
  const std::lock_guard<std::mutex> lock(TheAllocations().mutex);
  const auto* const found = TheAllocations().Find(data, view.bytes());
  if (found == nullptr) {
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
