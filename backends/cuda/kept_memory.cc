// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/backends/cuda/kept_memory.h"

#include <utility>

namespace concord {

// Never destroyed: arrays with static storage may give back memory late.
KeptMemory::All& KeptMemory::TheirList() {
  static auto* const all = new All;
  return *all;
}

KeptMemory::KeptMemory(std::function<void()> give_back)
    : give_back_(std::move(give_back)) {
  All& all = TheirList();
  const std::lock_guard<std::mutex> lock(all.mutex);
  all.alive.insert(this);
}

KeptMemory::~KeptMemory() {
  All& all = TheirList();
  const std::lock_guard<std::mutex> lock(all.mutex);
  all.alive.erase(this);
}

void KeptMemory::AllGiveBack() {
  All& all = TheirList();
  const std::lock_guard<std::mutex> lock(all.mutex);
  for (KeptMemory* const kept : all.alive) kept->give_back_();
}

}  // namespace concord
