// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/core/replicas.h"

#include <cstring>
#include <map>
#include <mutex>

namespace concord {
namespace {

Replicas*& TheReplicas() {
  static Replicas* replicas = nullptr;
  return replicas;
}

struct Rooms {
  std::mutex mutex;
  // Where each begins -> where it ends.
  std::map<const char*, const char*> ends;
};

Rooms& TheRooms() {
  static auto* const rooms = new Rooms();
  return *rooms;
}

}  // namespace

bool RegisterReplicas(Replicas* replicas) {
  TheReplicas() = replicas;
  return true;
}

int ReplicaCount() {
  return TheReplicas() == nullptr ? 1 : TheReplicas()->count();
}

int ReplicaIndex() {
  return TheReplicas() == nullptr ? 0 : TheReplicas()->index();
}

double FromFirst(double mine) {
  std::string bits(sizeof(mine), '\0');
  std::memcpy(bits.data(), &mine, sizeof(mine));
  const absl::StatusOr<std::string> first = FromFirst(bits);
  if (first.ok() && first->size() == sizeof(mine)) {
    std::memcpy(&mine, first->data(), sizeof(mine));
  }
  return mine;
}

absl::StatusOr<std::string> FromFirst(const std::string& mine) {
  if (ReplicaCount() == 1) return mine;
  return TheReplicas()->FromFirst(mine);
}

absl::Status AgreeAmongReplicas(const absl::Status& mine) {
  return ReplicaCount() == 1 ? mine : TheReplicas()->Agree(mine);
}

SharedRoom::SharedRoom(const void* begin, std::int64_t bytes)
    : begin_(static_cast<const char*>(begin)) {
  const std::lock_guard<std::mutex> lock(TheRooms().mutex);
  TheRooms().ends[begin_] = begin_ + bytes;
}

SharedRoom::~SharedRoom() {
  const std::lock_guard<std::mutex> lock(TheRooms().mutex);
  TheRooms().ends.erase(begin_);
}

bool SharedRoom::Holds(const void* begin, std::int64_t bytes) {
  const auto* const first = static_cast<const char*>(begin);
  const std::lock_guard<std::mutex> lock(TheRooms().mutex);
  auto room = TheRooms().ends.upper_bound(first);
  return room != TheRooms().ends.begin() && first + bytes <= (--room)->second;
}

}  // namespace concord
