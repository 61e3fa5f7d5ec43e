// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Physical memory of several GPUs behind one range of addresses, by CUDA's
// virtual memory calls. An array in it is a pointer and a size like any other:
// every member reaches all of it, its own part at the speed of its memory and
// the rest across the links.

#ifndef CONCORD_BACKENDS_GPUS_GROUP_MEMORY_H_
#define CONCORD_BACKENDS_GPUS_GROUP_MEMORY_H_

#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "absl/status/statusor.h"
#include "concord/backends/cuda/kept_memory.h"
#include "concord/backends/gpus/group_spec.h"
#include "concord/backends/gpus/share.h"
#include "concord/core/memory_pool.h"

typedef struct CUstream_st* cudaStream_t;

namespace concord {

// What is mapped at a time, and the stripe of a striped array: CUDA's granule.
inline constexpr std::int64_t kGranuleBytes = std::int64_t{2} << 20;

// Hands out ranges whose stretches lie on `homes` in turn. Making a range costs
// milliseconds, so a freed one is kept for the next array of its size, and
// given back only where memory is short.
//
// A range that is handed out again may still be in use by work queued before:
// whoever gets it has to queue behind that, which is so within one group.
class GroupPool : public MemoryPool {
 public:
  // `users` are all devices that shall reach it. `streams` are waited for
  // before memory is given back: those on which it is used by what the others
  // do not wait for yet.
  GroupPool(Memory memory, std::vector<int> homes, std::vector<int> users,
            GroupLayout layout,
            std::vector<std::shared_ptr<CUstream_st>> streams);
  ~GroupPool() override;

 protected:
  void* Acquire(std::int64_t bytes) override;
  void Release(void* data, std::int64_t bytes) override;
  std::int64_t AvailableBytes() const override;
  absl::Status Refusal(std::int64_t bytes) const override;

 private:
  // How long a stretch of a range of so many granules is, and how many granules
  // the range has when it is made of whole stretches.
  std::int64_t StripeOf(std::int64_t granules) const;
  // Null where a device has no memory left.
  void* KeptOrNew(std::int64_t granules);
  void* Map(std::int64_t granules);
  void Unmap(void* data, std::int64_t granules);
  // For the next array of so many granules.
  void Keep(void* data, std::int64_t granules);
  // Waits for the streams; false where that cannot be.
  bool IsIdle() const;
  void GiveBackWhatIsKept();

  const std::vector<int> homes_;
  const std::vector<int> users_;
  const GroupLayout layout_;
  const std::vector<std::shared_ptr<CUstream_st>> streams_;
  std::mutex mutex_;
  // Freed ranges, by how many granules they were made for.
  std::unordered_map<std::int64_t, std::vector<void*>> kept_ranges_;
  const KeptMemory kept_{[this] { GiveBackWhatIsKept(); }};
};

// What of the driver is missing for this, in words; "" where nothing is.
std::string MissingMemoryCalls();

// Where an array of a group lies, whoever has made it.
struct Located {
  GroupPlace place;
  GroupLayout layout;
};

// An address that no pool has handed out counts as the first of `members`'.
Located Locate(const void* data, int members);

}  // namespace concord

#endif  // CONCORD_BACKENDS_GPUS_GROUP_MEMORY_H_
