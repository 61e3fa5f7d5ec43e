// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/core/memory_pool.h"

#include <algorithm>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "concord/core/checked_size.h"
#include "concord/core/errors.h"
#include "concord/core/guarded.h"

namespace concord {

absl::Status MemoryPool::Exhausted(std::int64_t wanted,
                                   std::int64_t free) const {
  return ResourceExhaustedError("out of ", memory_.name(), " memory: ", wanted,
                                " bytes wanted, ",
                                std::max<std::int64_t>(free, 0), " bytes free",
                                limit_ == kUnlimited ? "" : " in the limit");
}

absl::Status MemoryPool::Refusal(std::int64_t bytes) const {
  return Exhausted(bytes, AvailableBytes());
}

absl::StatusOr<Array> MemoryPool::Allocate(ElementType type,
                                           std::int64_t size) {
  return Guarded([&]() -> absl::StatusOr<Array> {
    ASSIGN_OR_RETURN(const std::int64_t bytes, CheckedBytes({size}, type));
    // The count goes up before the memory is there, so that two threads cannot
    // both pass under the limit.
    std::int64_t before = in_use_;
    do {
      if (bytes > limit_ - before) return Exhausted(bytes, limit_ - before);
    } while (!in_use_.compare_exchange_weak(before, before + bytes));
    absl::Cleanup uncount = [&] { in_use_.fetch_sub(bytes); };
    // An empty array has an address of its own, like every other.
    const std::int64_t acquired = std::max<std::int64_t>(bytes, 1);
    void* data = Acquire(acquired);
    if (data == nullptr) {
      std::move(uncount).Invoke();
      return Refusal(bytes);
    }
    std::move(uncount).Cancel();
    auto release = [pool = shared_from_this(), bytes, acquired](void* memory) {
      pool->Release(memory, acquired);
      pool->in_use_.fetch_sub(bytes);
    };
    // If the pointer cannot be made, it releases the memory before it throws.
    return Array(ArrayView(data, type, size, memory_),
                 std::shared_ptr<void>(data, std::move(release)));
  });
}

}  // namespace concord
