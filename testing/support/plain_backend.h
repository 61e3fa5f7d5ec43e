// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_TESTING_SUPPORT_PLAIN_BACKEND_H_
#define CONCORD_TESTING_SUPPORT_PLAIN_BACKEND_H_

#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <utility>

#include "concord/core/backend.h"

namespace concord {

// What the C++ library allocates, as a memory of any name.
class PlainPool : public MemoryPool {
 public:
  explicit PlainPool(Memory memory) : MemoryPool(std::move(memory)) {}

 protected:
  void* Acquire(std::int64_t bytes) override {
    return ::operator new(static_cast<std::size_t>(bytes), kAlignment,
                          std::nothrow);
  }
  void Release(void* data, std::int64_t) override {
    ::operator delete(data, kAlignment);
  }
  std::int64_t AvailableBytes() const override { return 0; }

 private:
  static constexpr std::align_val_t kAlignment{64};
};

// A backend for tests, by a name: it computes nothing, is done at once, and
// copies with memcpy. With a memory other than the host's, it takes copies to
// get there, as with a GPU.
class PlainBackend : public Backend {
 public:
  explicit PlainBackend(const std::string& name, Memory memory = Memory::Host(),
                        Facts facts = {})
      : PlainBackend({name, name, "", std::move(facts)},
                     std::make_shared<PlainPool>(std::move(memory))) {}

  absl::Status Synchronize() override { return absl::OkStatus(); }

 protected:
  PlainBackend(BackendInfo info, std::shared_ptr<MemoryPool> pool)
      : Backend(std::move(info), std::move(pool)) {}

  absl::Status CopyChecked(ConstArrayView from, ArrayView to) override {
    std::memcpy(to.data(), from.data(), static_cast<std::size_t>(from.bytes()));
    return absl::OkStatus();
  }
  absl::Status ReadChecked(ConstArrayView) override { return absl::OkStatus(); }
  absl::StatusOr<std::unique_ptr<Timer>> MakeTimer() override {
    return absl::UnimplementedError("nothing is timed on this backend");
  }
};

}  // namespace concord

#endif  // CONCORD_TESTING_SUPPORT_PLAIN_BACKEND_H_
