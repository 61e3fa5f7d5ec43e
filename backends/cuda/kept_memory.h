// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_BACKENDS_CUDA_KEPT_MEMORY_H_
#define CONCORD_BACKENDS_CUDA_KEPT_MEMORY_H_

#include <functional>
#include <mutex>
#include <set>

namespace concord {

// Freed memory of a device that a pool keeps for its next array. A pool that
// finds no memory asks all of them to give theirs back: those of other backends
// may hold what it lacks.
//
// It goes before anything that giving back takes: as a pool's last member, or
// in its destructor.
class KeptMemory {
 public:
  // `give_back` can be called by any thread until this object is gone. No lock
  // that it takes may be held by who calls AllGiveBack.
  explicit KeptMemory(std::function<void()> give_back);
  ~KeptMemory();
  KeptMemory(const KeptMemory&) = delete;
  KeptMemory& operator=(const KeptMemory&) = delete;

  static void AllGiveBack();

 private:
  struct All {
    std::mutex mutex;
    std::set<KeptMemory*> alive;
  };
  static All& TheirList();

  const std::function<void()> give_back_;
};

}  // namespace concord

#endif  // CONCORD_BACKENDS_CUDA_KEPT_MEMORY_H_
