// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include <cuda.h>  // types: the driver's functions are asked for by name
#include <cuda_runtime.h>

#include <algorithm>
#include <map>
#include <new>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "concord/backends/cuda/stream_backend.h"
#include "concord/backends/gpus/group_memory.h"
#include "concord/core/errors.h"

namespace concord {
namespace {

// The driver's calls, without linking its library.
struct Driver {
  decltype(&cuMemAddressReserve) reserve = nullptr;
  decltype(&cuMemAddressFree) free = nullptr;
  decltype(&cuMemCreate) create = nullptr;
  decltype(&cuMemRelease) release = nullptr;
  decltype(&cuMemMap) map = nullptr;
  decltype(&cuMemUnmap) unmap = nullptr;
  decltype(&cuMemSetAccess) set_access = nullptr;
  std::string missing;

  static const Driver& Get() {
    static const auto* const driver = new Driver();
    return *driver;
  }

 private:
  Driver() {
    Find("cuMemAddressReserve", reserve);
    Find("cuMemAddressFree", free);
    Find("cuMemCreate", create);
    Find("cuMemRelease", release);
    Find("cuMemMap", map);
    Find("cuMemUnmap", unmap);
    Find("cuMemSetAccess", set_access);
  }

  template <typename Function>
  void Find(const char* name, Function& function) {
    constexpr unsigned kVersion = 12000;
    void* address = nullptr;
    cudaDriverEntryPointQueryResult found;
    const cudaError_t error = cudaGetDriverEntryPointByVersion(
        name, &address, kVersion, cudaEnableDefault, &found);
    if (error == cudaSuccess && found == cudaDriverEntryPointSuccess) {
      function = reinterpret_cast<Function>(address);
      return;
    }
    cudaGetLastError();
    absl::StrAppend(&missing, missing.empty() ? "" : ", ", name);
  }
};

// All ranges that are mapped, by their first byte: arrays of one group may come
// from several pools.
struct Range {
  std::int64_t bytes;
  Stripes stripes;
  GroupLayout layout;
};

class Ranges {
 public:
  static Ranges& Get() {
    static auto* const ranges = new Ranges();
    return *ranges;
  }

  void Add(CUdeviceptr first, Range range) {
    const std::lock_guard<std::mutex> lock(mutex_);
    ranges_[first] = range;
  }
  void Remove(CUdeviceptr first) {
    const std::lock_guard<std::mutex> lock(mutex_);
    ranges_.erase(first);
  }
  // Puts the range and its first byte; false where there is none.
  bool Find(CUdeviceptr address, CUdeviceptr& first, Range& range) {
    const std::lock_guard<std::mutex> lock(mutex_);
    auto it = ranges_.upper_bound(address);
    if (it == ranges_.begin()) return false;
    --it;
    first = it->first;
    range = it->second;
    return address - first < static_cast<CUdeviceptr>(range.bytes);
  }

 private:
  std::mutex mutex_;
  std::map<CUdeviceptr, Range> ranges_;
};

std::int64_t GranulesOf(std::int64_t bytes) {
  return (bytes + kGranuleBytes - 1) / kGranuleBytes;
}

// New memory of a device, at this address.
bool MapStretch(CUdeviceptr at, std::int64_t bytes, int device) {
  const Driver& driver = Driver::Get();
  CUmemAllocationProp properties = {};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  properties.location.id = device;
  CUmemGenericAllocationHandle handle;
  const auto size = static_cast<std::size_t>(bytes);
  if (driver.create(&handle, size, &properties, 0) != CUDA_SUCCESS) {
    return false;
  }
  const bool mapped = driver.map(at, size, 0, handle, 0) == CUDA_SUCCESS;
  driver.release(handle);  // the mapping keeps it
  return mapped;
}

void UnmapStretches(CUdeviceptr first, std::int64_t stripe,
                    std::int64_t stretches, std::size_t reserved) {
  const Driver& driver = Driver::Get();
  for (std::int64_t i = 0; i < stretches; ++i) {
    driver.unmap(first + i * stripe, static_cast<std::size_t>(stripe));
  }
  driver.free(first, reserved);
}

std::int64_t FreeBytesOn(int device) {
  const OnDevice there(device);
  return FreeDeviceMemory();
}

std::string Gibibytes(std::int64_t bytes) {
  const std::int64_t hundredths = bytes / ((std::int64_t{1} << 30) / 100);
  return absl::StrCat(hundredths / 100, ".", hundredths / 10 % 10,
                      hundredths % 10, " GiB");
}

}  // namespace

std::string MissingMemoryCalls() { return Driver::Get().missing; }

Located Locate(const void* data, int members) {
  // More than any array, and few enough for the arithmetic of shares.
  constexpr std::int64_t kEverything = std::int64_t{1} << 42;
  CUdeviceptr first = 0;
  Range range;
  const auto address = reinterpret_cast<CUdeviceptr>(data);
  if (!Ranges::Get().Find(address, first, range)) {
    return {{{kEverything, members}, 0}, GroupLayout::kBlocked};
  }
  return {{range.stripes, static_cast<std::int64_t>(address - first)},
          range.layout};
}

GroupPool::GroupPool(Memory memory, std::vector<int> homes,
                     std::vector<int> users, GroupLayout layout,
                     std::vector<std::shared_ptr<CUstream_st>> streams)
    : MemoryPool(memory),
      homes_(std::move(homes)),
      users_(std::move(users)),
      layout_(layout),
      streams_(std::move(streams)) {}

GroupPool::~GroupPool() { GiveBackWhatIsKept(); }

void* GroupPool::Acquire(std::int64_t bytes) {
  const std::int64_t granules = GranulesOf(bytes);
  void* const data = KeptOrNew(granules);
  if (data != nullptr) return data;
  // Kept ranges of other sizes, or other pools', may be what is in the way.
  KeptMemory::AllGiveBack();
  return KeptOrNew(granules);
}

void GroupPool::Release(void* data, std::int64_t bytes) {
  Keep(data, GranulesOf(bytes));
}

void GroupPool::Keep(void* data, std::int64_t granules) {
  try {
    const std::lock_guard<std::mutex> lock(mutex_);
    kept_ranges_[granules].push_back(data);
  } catch (const std::bad_alloc&) {
    // Deleters throw nothing. Where nobody can wait, it is lost.
    if (IsIdle()) Unmap(data, granules);
  }
}

bool GroupPool::IsIdle() const {
  return std::all_of(streams_.begin(), streams_.end(), [](const auto& stream) {
    return WaitForStream(stream.get());
  });
}

std::int64_t GroupPool::StripeOf(std::int64_t granules) const {
  const auto members = static_cast<std::int64_t>(homes_.size());
  return layout_ == GroupLayout::kStriped
             ? kGranuleBytes
             : (granules + members - 1) / members * kGranuleBytes;
}

void* GroupPool::KeptOrNew(std::int64_t granules) {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::vector<void*>& kept = kept_ranges_[granules];
  if (kept.empty()) return Map(granules);
  void* const data = kept.back();
  kept.pop_back();
  return data;
}

void* GroupPool::Map(std::int64_t granules) {
  const Driver& driver = Driver::Get();
  if (granules > AvailableBytes() / kGranuleBytes) return nullptr;
  const std::int64_t stripe = StripeOf(granules);
  const std::int64_t stretches =
      (granules * kGranuleBytes + stripe - 1) / stripe;
  const auto bytes = static_cast<std::size_t>(stretches * stripe);
  std::vector<CUmemAccessDesc> access;
  for (const int device : users_) {
    access.push_back({{CU_MEM_LOCATION_TYPE_DEVICE, device},
                      CU_MEM_ACCESS_FLAGS_PROT_READWRITE});
  }
  CUdeviceptr first = 0;
  if (driver.reserve(&first, bytes, kGranuleBytes, 0, 0) != CUDA_SUCCESS) {
    return nullptr;
  }
  // Known before it is mapped: there may be no memory for that.
  try {
    Ranges::Get().Add(first, {static_cast<std::int64_t>(bytes),
                              {stripe, static_cast<int>(homes_.size())},
                              layout_});
  } catch (const std::bad_alloc&) {
    driver.free(first, bytes);
    return nullptr;
  }
  std::int64_t mapped = 0;
  while (mapped < stretches &&
         MapStretch(first + mapped * stripe, stripe,
                    homes_[mapped % static_cast<int>(homes_.size())])) {
    ++mapped;
  }
  if (mapped < stretches || driver.set_access(first, bytes, access.data(),
                                              access.size()) != CUDA_SUCCESS) {
    Ranges::Get().Remove(first);
    UnmapStretches(first, stripe, mapped, bytes);
    return nullptr;
  }
  return reinterpret_cast<void*>(first);
}

void GroupPool::Unmap(void* data, std::int64_t granules) {
  const std::int64_t stripe = StripeOf(granules);
  const std::int64_t stretches =
      (granules * kGranuleBytes + stripe - 1) / stripe;
  const auto first = reinterpret_cast<CUdeviceptr>(data);
  Ranges::Get().Remove(first);
  UnmapStretches(first, stripe, stretches,
                 static_cast<std::size_t>(stretches * stripe));
}

void GroupPool::GiveBackWhatIsKept() {
  // What is freed from now on may be in use behind what is waited for.
  std::unordered_map<std::int64_t, std::vector<void*>> kept;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    kept.swap(kept_ranges_);
  }
  const bool is_idle = IsIdle();
  for (const auto& [granules, ranges] : kept) {
    for (void* const range : ranges) {
      is_idle ? Unmap(range, granules) : Keep(range, granules);
    }
  }
}

std::int64_t GroupPool::AvailableBytes() const {
  std::int64_t least = kUnlimited;
  for (const int device : homes_) {
    const std::int64_t times = std::count(homes_.begin(), homes_.end(), device);
    least = std::min(least, FreeBytesOn(device) / times);
  }
  return least * static_cast<std::int64_t>(homes_.size());
}

absl::Status GroupPool::Refusal(std::int64_t bytes) const {
  const auto members = static_cast<std::int64_t>(homes_.size());
  for (const int device : homes_) {
    const std::int64_t times = std::count(homes_.begin(), homes_.end(), device);
    const std::int64_t wanted = bytes / members * times;
    const std::int64_t free = FreeBytesOn(device);
    if (wanted <= free) continue;
    return ResourceExhaustedError(
        "out of cuda:", device, " memory: ", Gibibytes(wanted),
        " wanted there (", Gibibytes(bytes), " in ", memory().name(), "), ",
        Gibibytes(free), " free");
  }
  return MemoryPool::Refusal(bytes);
}

}  // namespace concord
