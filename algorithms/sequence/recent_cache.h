// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_SEQUENCE_RECENT_CACHE_H_
#define CONCORD_ALGORITHMS_SEQUENCE_RECENT_CACHE_H_

#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace concord::sequence {

// What was made last, each for a key. Threads may use it together; what they
// get stays theirs when it is no longer kept.
template <typename Key, typename Value>
class RecentCache {
 public:
  explicit RecentCache(std::size_t most) : most_(most) {}

  // Null if there is none. Keys compare with anything of type Like.
  template <typename Like>
  std::shared_ptr<Value> Find(const Like& key) {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (const auto& [kept, value] : items_) {
      if (kept == key) return value;
    }
    return nullptr;
  }

  // In place of the oldest one, if there are many.
  void Add(Key key, std::shared_ptr<Value> value) {
    std::pair<Key, std::shared_ptr<Value>> item(std::move(key),
                                                std::move(value));
    const std::lock_guard<std::mutex> lock(mutex_);
    if (items_.size() < most_) {
      items_.push_back(std::move(item));
      return;
    }
    // What goes is freed when the lock is.
    std::swap(items_[oldest_], item);
    oldest_ = (oldest_ + 1) % most_;
  }

 private:
  const std::size_t most_;
  std::mutex mutex_;
  std::vector<std::pair<Key, std::shared_ptr<Value>>> items_;
  std::size_t oldest_ = 0;
};

}  // namespace concord::sequence

#endif  // CONCORD_ALGORITHMS_SEQUENCE_RECENT_CACHE_H_
