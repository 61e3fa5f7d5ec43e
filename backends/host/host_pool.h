// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_BACKENDS_HOST_HOST_POOL_H_
#define CONCORD_BACKENDS_HOST_HOST_POOL_H_

#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

#include "concord/core/memory_pool.h"

namespace concord {

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

}  // namespace concord

#endif  // CONCORD_BACKENDS_HOST_HOST_POOL_H_
