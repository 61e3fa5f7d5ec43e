// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// What the steps of the sort share: memory, and how it is cut.

#ifndef CONCORD_ALGORITHMS_RADIX_SORT_TBB_WORKSPACE_H_
#define CONCORD_ALGORITHMS_RADIX_SORT_TBB_WORKSPACE_H_

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "concord/backends/tbb/tbb_backend.h"
#include "concord/core/array.h"

namespace concord::radix_sort {

// What one thread sorts alone: with the room to move it around, no more than a
// second-level cache.
inline constexpr std::int64_t kLocalBytes = std::int64_t{512} << 10;

// Memory that a sort keeps from call to call.
class Workspace {
 public:
  explicit Workspace(std::shared_ptr<Backend> backend)
      : backend_(AsTbb(std::move(backend))) {}

  TbbBackend& backend() { return *backend_; }

  // Room for `count` elements at each of the `places`; what was there is lost
  // when it was too small.
  template <typename Element>
  absl::Status Reserve(int place, std::int64_t count) {
    const std::int64_t bytes =
        count * static_cast<std::int64_t>(sizeof(Element));
    Array& array = arrays_[place];
    if (bytes <= array.size()) return absl::OkStatus();
    array = Array();
    absl::StatusOr<Array> larger =
        backend_->Allocate(ElementType::kUInt8, bytes);
    if (!larger.ok()) return larger.status();
    array = *std::move(larger);
    return absl::OkStatus();
  }
  template <typename Element>
  Element* At(int place) const {
    return reinterpret_cast<Element*>(arrays_[place].data<char>());
  }

  // Two places to distribute to in turn are 0 and 1.
  static constexpr int kThreads = 2;       // the threads' own memory
  static constexpr int kChunkThreads = 3;  // the same, of SortByChunks

 private:
  std::shared_ptr<TbbBackend> backend_;
  Array arrays_[4];
};

// Where the part of a thread begins.
inline std::int64_t PartBegin(std::int64_t first, std::int64_t last,
                              int threads, int thread) {
  return first + (last - first) / threads * thread +
         std::min<std::int64_t>((last - first) % threads, thread);
}

}  // namespace concord::radix_sort

#endif  // CONCORD_ALGORITHMS_RADIX_SORT_TBB_WORKSPACE_H_
