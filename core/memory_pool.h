// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_CORE_MEMORY_POOL_H_
#define CONCORD_CORE_MEMORY_POOL_H_

#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>

#include "absl/status/statusor.h"
#include "concord/core/array.h"

namespace concord {

// Hands out the memory of one backend and keeps count of it against a limit.
// How memory is really obtained, and whether freed memory is kept for the next
// caller, is the business of the class that derives from this one.
//
// Thread-safe. Arrays keep their pool alive.
class MemoryPool : public std::enable_shared_from_this<MemoryPool> {
 public:
  static constexpr std::int64_t kUnlimited =
      std::numeric_limits<std::int64_t>::max();

  explicit MemoryPool(Memory memory) : memory_(memory) {}
  virtual ~MemoryPool() = default;
  MemoryPool(const MemoryPool&) = delete;
  MemoryPool& operator=(const MemoryPool&) = delete;

  // An array of `size` elements with unspecified values, aligned to 64 bytes
  // at least. InvalidArgument: a negative size. ResourceExhausted, with the
  // bytes wanted and free, when the limit or the memory itself does not allow
  // it; the pool stays usable.
  absl::StatusOr<Array> Allocate(ElementType type, std::int64_t size);

  // Arrays in use may take this many bytes together. Lowering the limit under
  // what is in use frees nothing: it only refuses what comes next.
  void set_limit(std::int64_t bytes) { limit_ = bytes; }
  std::int64_t limit() const { return limit_; }
  std::int64_t bytes_in_use() const { return in_use_; }

  Memory memory() const { return memory_; }

 protected:
  // Null when there is no memory. At least 1 byte and at most kMostBytes.
  virtual void* Acquire(std::int64_t bytes) = 0;
  // Takes back what Acquire gave for the same number of bytes.
  virtual void Release(void* data, std::int64_t bytes) = 0;
  // How many more bytes Acquire could give at present.
  virtual std::int64_t AvailableBytes() const = 0;
  // ResourceExhausted, after Acquire gave nothing: what is wanted and free. A
  // memory of several devices says which of them has too little.
  virtual absl::Status Refusal(std::int64_t bytes) const;

 private:
  absl::Status Exhausted(std::int64_t wanted, std::int64_t free) const;

  const Memory memory_;
  std::atomic<std::int64_t> limit_{kUnlimited};
  std::atomic<std::int64_t> in_use_{0};
};

}  // namespace concord

#endif  // CONCORD_CORE_MEMORY_POOL_H_
